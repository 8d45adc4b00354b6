# What a run leaves for others' tools: all that it made and was made from, with checksums. It is the last job of all.


rule crate:
    input:
        unpack(inputs_of("crate")),
    output:
        crate=f"{RESULTS}/ro-crate-metadata.json",
        workflow=f"{RESULTS}/code/Snakefile",
        packed=f"{RESULTS}/code/source.zip",
    log:
        f"{RESULTS}/logs/crate.log",
    benchmark:
        f"{RESULTS}/benchmarks/crate.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("crate"),
        told=told_of("crate"),
    script:
        "../../scripts/crate.py"
