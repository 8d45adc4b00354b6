# All readings of the published tables: their cells, and what is found out by them. Their figures are made as all others are.


use rule cells as cells_of_multiverse with:
    input:
        unpack(inputs_of("multiverse/cells/{multiverse}/{study}/{scenario}/{method}/{batch}")),
    output:
        f"{RESULTS}/multiverse/cells/{{multiverse}}/{{study}}/{{scenario}}/{{method}}/{{batch}}.csv",
    log:
        f"{RESULTS}/logs/multiverse/cells/{{multiverse}}/{{study}}/{{scenario}}/{{method}}/{{batch}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/multiverse/cells/{{multiverse}}/{{study}}/{{scenario}}/{{method}}/{{batch}}.tsv"
    params:
        task=task_of("multiverse/cells/{multiverse}/{study}/{scenario}/{method}/{batch}"),
        told=told_of("multiverse/cells/{multiverse}/{study}/{scenario}/{method}/{batch}"),


rule multiverse:
    input:
        unpack(inputs_of("multiverse/{study}/{multiverse}")),
    output:
        report(
            f"{RESULTS}/multiverse/{{study}}/{{multiverse}}/summary.csv",
            caption="../report/multiverse.rst",
            category="Readings",
            subcategory=lambda wildcards: heading(wildcards.study),
            labels={"table": "{multiverse}"},
        ),
        f"{RESULTS}/multiverse/{{study}}/{{multiverse}}/readings.csv",
        f"{RESULTS}/multiverse/{{study}}/{{multiverse}}/axes.csv",
        f"{RESULTS}/multiverse/{{study}}/{{multiverse}}/numbers.csv",
        f"{RESULTS}/multiverse/{{study}}/{{multiverse}}/multiverse.md",
    log:
        f"{RESULTS}/logs/multiverse/{{study}}/{{multiverse}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/multiverse/{{study}}/{{multiverse}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("multiverse/{study}/{multiverse}"),
        told=told_of("multiverse/{study}/{multiverse}"),
    script:
        "../../scripts/multiverse.py"
