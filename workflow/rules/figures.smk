# From tables, and sometimes a scenario's data, to figures: one job for all of a study, and one for all of a multiverse.
# What draws single records is for the owner of the data: it is on no page, Snakemake's report included.
for drawn in PLAN.jobs_in("figures", "multiverse/figures"):

    rule:
        name:
            rule_name(drawn)
        input:
            unpack(inputs_of(drawn)),
        output:
            *in_report(drawn, "figure", SHOWN_FIGURES),
        log:
            f"{RESULTS}/logs/{drawn}.log",
        benchmark:
            f"{RESULTS}/benchmarks/{drawn}.tsv"
        group:
            "tables"
        conda:
            "../../environment.yml"
        resources:
            runtime=5,
        params:
            task=task_of(drawn),
            told=told_of(drawn),
        script:
            "../../scripts/figures.py"
