# From cells to the printed tables, under the published tables' own names: one job for all of a study.
for tabled in PLAN.jobs_in("tables"):

    rule:
        name:
            rule_name(tabled)
        input:
            unpack(inputs_of(tabled)),
        output:
            *in_report(tabled, "table", SHOWN_TABLES),
        log:
            f"{RESULTS}/logs/{tabled}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{tabled}.tsv"
        group:
            "tables"
        conda:
            "../../environment.yml"
        resources:
            runtime=2,
        params:
            task=task_of(tabled),
            told=told_of(tabled),
        script:
            "../../scripts/tables.py"


rule sensitivity:
    input:
        unpack(inputs_of("sensitivity/{study}/{sensitivity}")),
    output:
        csv=report(
            f"{RESULTS}/sensitivity/{{study}}/{{sensitivity}}.csv",
            caption="../report/sensitivity.rst",
            category="Tables",
            subcategory=lambda wildcards: heading(wildcards.study),
            labels={"table": "{sensitivity}"},
        ),
        markdown=f"{RESULTS}/sensitivity/{{study}}/{{sensitivity}}.md",
    log:
        f"{RESULTS}/logs/sensitivity/{{study}}/{{sensitivity}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sensitivity/{{study}}/{{sensitivity}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("sensitivity/{study}/{sensitivity}"),
        told=told_of("sensitivity/{study}/{sensitivity}"),
    script:
        "../../scripts/sensitivity.py"
