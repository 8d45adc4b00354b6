# Releases of one's own data in partitions: statistics a partition, what follows from all, a release a partition.


rule partition_statistics:
    input:
        unpack(inputs_of("releases/{release}/owner/statistics/{part}")),
    output:
        f"{RESULTS}/releases/{{release}}/owner/statistics/{{part}}.json",
    log:
        f"{RESULTS}/logs/releases/{{release}}/owner/statistics/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/releases/{{release}}/owner/statistics/{{part}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_for("releases/{release}/owner/statistics/{part}"),
    params:
        task=task_of("releases/{release}/owner/statistics/{part}"),
        told=told_of("releases/{release}/owner/statistics/{part}"),
    script:
        "../../scripts/partition_statistics.py"


rule merged_statistics:
    input:
        unpack(inputs_of("releases/{release}/owner/merged")),
    output:
        f"{RESULTS}/releases/{{release}}/owner/merged.json",
    log:
        f"{RESULTS}/logs/releases/{{release}}/owner/merged.log",
    benchmark:
        f"{RESULTS}/benchmarks/releases/{{release}}/owner/merged.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("releases/{release}/owner/merged"),
        told=told_of("releases/{release}/owner/merged"),
    script:
        "../../scripts/merged_statistics.py"


rule partition_release:
    input:
        unpack(inputs_of("releases/{release}/owner/released/{part}")),
    output:
        table=f"{RESULTS}/releases/{{release}}/protected/part-{{part}}.parquet",
        about=f"{RESULTS}/releases/{{release}}/owner/released/{{part}}.json",
    log:
        f"{RESULTS}/logs/releases/{{release}}/owner/released/{{part}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/releases/{{release}}/owner/released/{{part}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=memory_for("releases/{release}/owner/released/{part}"),
    params:
        task=task_of("releases/{release}/owner/released/{part}"),
        told=told_of("releases/{release}/owner/released/{part}"),
    script:
        "../../scripts/partition_release.py"


rule release_summary:
    input:
        unpack(inputs_of("releases/{release}/owner/summary")),
    output:
        f"{RESULTS}/releases/{{release}}/owner/summary.json",
    log:
        f"{RESULTS}/logs/releases/{{release}}/owner/summary.log",
    benchmark:
        f"{RESULTS}/benchmarks/releases/{{release}}/owner/summary.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("releases/{release}/owner/summary"),
        told=told_of("releases/{release}/owner/summary"),
    script:
        "../../scripts/release_summary.py"
