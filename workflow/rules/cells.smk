# The fan-out: scenario × method × parameters, a job a batch of cells.


rule cells:
    input:
        unpack(dataset_of_batch),
    output:
        f"{RESULTS}/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.csv",
    log:
        f"{RESULTS}/logs/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/cells/{{study}}/{{scenario}}/{{method}}/{{batch}}.tsv"
    conda:
        "../../environment.yml"
    params:
        cells=cells_of_batch,
        scenario=scenario_of,
        measured=measured_of,
        code=code_of_batch,
    script:
        "../../scripts/cells.py"
