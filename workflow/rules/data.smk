# From the best source at hand to a prepared, verified table.


rule dataset:
    input:
        unpack(inputs_of("data/{dataset}")),
    output:
        table=f"{RESULTS}/data/{{dataset}}.csv",
        about=f"{RESULTS}/data/{{dataset}}.json",
    log:
        f"{RESULTS}/logs/data/{{dataset}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/data/{{dataset}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("data/{dataset}"),
        told=told_of("data/{dataset}"),
    script:
        "../../scripts/dataset.py"
