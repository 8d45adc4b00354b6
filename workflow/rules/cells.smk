# The fan-out: one job a cell of a study's grid, scenario × method × parameters.


rule cell:
    input:
        unpack(dataset_of_cell),
    output:
        f"{RESULTS}/cells/{{study}}/{{scenario}}/{{method}}/{{slug}}.csv",
    log:
        f"{RESULTS}/logs/cells/{{study}}/{{scenario}}/{{method}}/{{slug}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/cells/{{study}}/{{scenario}}/{{method}}/{{slug}}.tsv"
    conda:
        "../../environment.yml"
    params:
        cell=cell_of,
        scenario=scenario_of,
        measured=measured_of,
        code=code_of_cell,
    script:
        "../../scripts/cell.py"
