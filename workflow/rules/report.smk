# Everything a run found, on one page that needs nothing else; and the explorer beside it.


rule report:
    input:
        unpack(inputs_of("report")),
    output:
        page=f"{RESULTS}/report/index.html",
        explorer=f"{RESULTS}/report/explorer.html",
    log:
        f"{RESULTS}/logs/report.log",
    benchmark:
        f"{RESULTS}/benchmarks/report.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("report"),
        told=told_of("report"),
    script:
        "../../scripts/report.py"
