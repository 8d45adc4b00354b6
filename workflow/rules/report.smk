# Everything a run found, on one page that needs nothing else, with the explorer beside it; and as an article for print.


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


rule article:
    input:
        unpack(inputs_of("article")),
    output:
        f"{RESULTS}/article.pdf",
    log:
        f"{RESULTS}/logs/article.log",
    benchmark:
        f"{RESULTS}/benchmarks/article.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("article"),
        told=told_of("article"),
    script:
        "../../scripts/article.py"
