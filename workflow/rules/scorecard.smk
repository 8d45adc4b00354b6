# Published against reproduced, and the papers against themselves.


rule audit:
    input:
        published=published_files(),
        schema=str(SCHEMAS / "published.schema.yaml"),
    output:
        report(f"{RESULTS}/audit.csv", caption="../report/audit.rst", category="Scorecard"),
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
    conda:
        "../../environment.yml"
    params:
        claims=CLAIMS,
        code=code_fingerprint(["sdclab.audit"]),
    script:
        "../../scripts/audit.py"


rule scorecard:
    input:
        tables=judged_tables(),
        audit=f"{RESULTS}/audit.csv",
        datasets=used_datasets(),
    output:
        csv=report(
            f"{RESULTS}/scorecard.csv",
            caption="../report/scorecard.rst",
            category="Scorecard",
        ),
        summary=f"{RESULTS}/summary.txt",
    log:
        f"{RESULTS}/logs/scorecard.log",
    benchmark:
        f"{RESULTS}/benchmarks/scorecard.tsv"
    conda:
        "../../environment.yml"
    params:
        studies=list(STUDIES.values()),
        code=code_fingerprint(["sdclab.scorecard"]),
    script:
        "../../scripts/scorecard.py"
