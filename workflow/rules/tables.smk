# From cells to the printed table, under the published table's own name.


rule table:
    input:
        unpack(inputs_of("tables/{table}")),
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            caption="../report/table.rst",
            category="Tables",
            subcategory=lambda wildcards: heading(PLAN.tables[wildcards.table]),
            labels={"table": "{table}"},
        ),
        markdown=f"{RESULTS}/tables/{{table}}.md",
    log:
        f"{RESULTS}/logs/tables/{{table}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/{{table}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("tables/{table}"),
        told=told_of("tables/{table}"),
    script:
        "../../scripts/table.py"


rule sensitivity:
    input:
        unpack(inputs_of("sensitivity/{sensitivity}")),
    output:
        csv=report(
            f"{RESULTS}/sensitivity/{{sensitivity}}.csv",
            caption="../report/sensitivity.rst",
            category="Tables",
            subcategory=lambda wildcards: heading(PLAN.sensitivities[wildcards.sensitivity]),
            labels={"table": "{sensitivity}"},
        ),
        markdown=f"{RESULTS}/sensitivity/{{sensitivity}}.md",
    log:
        f"{RESULTS}/logs/sensitivity/{{sensitivity}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sensitivity/{{sensitivity}}.tsv"
    conda:
        "../../environment.yml"
    params:
        task=task_of("sensitivity/{sensitivity}"),
        told=told_of("sensitivity/{sensitivity}"),
    script:
        "../../scripts/sensitivity.py"
