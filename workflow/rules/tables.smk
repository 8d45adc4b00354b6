# From cells to the printed table, under the published table's own name.


rule table:
    input:
        unpack(inputs_of("tables/{study}/{table}")),
    output:
        csv=report(
            f"{RESULTS}/tables/{{study}}/{{table}}.csv",
            caption="../report/table.rst",
            category="Tables",
            subcategory=lambda wildcards: heading(wildcards.study),
            labels={"table": "{table}"},
        ),
        markdown=f"{RESULTS}/tables/{{study}}/{{table}}.md",
    log:
        f"{RESULTS}/logs/tables/{{study}}/{{table}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/{{study}}/{{table}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("tables/{study}/{table}"),
        told=told_of("tables/{study}/{table}"),
    script:
        "../../scripts/table.py"


rule sensitivity:
    input:
        unpack(inputs_of("sensitivity/{study}/{sensitivity}")),
    output:
        csv=report(
            f"{RESULTS}/sensitivity/{{study}}/{{sensitivity}}.csv",
            caption="../report/sensitivity.rst",
            category="Tables",
            subcategory=lambda wildcards: heading(wildcards.study),
            labels={"table": "{sensitivity}"},
        ),
        markdown=f"{RESULTS}/sensitivity/{{study}}/{{sensitivity}}.md",
    log:
        f"{RESULTS}/logs/sensitivity/{{study}}/{{sensitivity}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sensitivity/{{study}}/{{sensitivity}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("sensitivity/{study}/{sensitivity}"),
        told=told_of("sensitivity/{study}/{sensitivity}"),
    script:
        "../../scripts/sensitivity.py"
