# From the best source at hand to a prepared, verified table.


rule dataset:
    input:
        local_source,
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
        entry=entry_of,
        places=PLACES,
        download=config["download"],
        most_records=config["most_records"],
        code=code_fingerprint(["sdclab.data.retrieve"]),
    script:
        "../../scripts/dataset.py"
