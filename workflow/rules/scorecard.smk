# Published against reproduced, and the papers against themselves.


rule audit:
    input:
        unpack(inputs_of("audit")),
    output:
        report(f"{RESULTS}/audit.csv", caption="../report/audit.rst", category="Scorecard"),
    log:
        f"{RESULTS}/logs/audit.log",
    benchmark:
        f"{RESULTS}/benchmarks/audit.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("audit"),
        told=told_of("audit"),
    script:
        "../../scripts/audit.py"


rule scorecard:
    input:
        unpack(inputs_of("scorecard")),
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
        task=task_of("scorecard"),
        told=told_of("scorecard"),
    script:
        "../../scripts/scorecard.py"
