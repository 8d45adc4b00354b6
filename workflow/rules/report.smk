# Everything a run found, on one page that needs nothing else; and the explorer beside it.


rule report:
    input:
        unpack(report_inputs),
        assets=sorted(map(str, Path("src/sdclab/report/assets").glob("*"))),
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
        studies=list(STUDIES.values()),
        benchmarks=f"{RESULTS}/benchmarks",
        code=code_fingerprint(["sdclab.report.page", "sdclab.report.explorer"]),
    script:
        "../../scripts/report.py"
