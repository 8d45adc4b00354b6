# The fan-out: scenario × method × parameters, a job a batch of cells.


rule cells:
    input:
        unpack(inputs_of("cells/{study}/{scenario}/{method}/{batch}")),
    output:
        f"{RESULTS}/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.csv",
    log:
        f"{RESULTS}/logs/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("cells/{study}/{scenario}/{method}/{batch}"),
        told=told_of("cells/{study}/{scenario}/{method}/{batch}"),
    script:
        "../../scripts/cells.py"
