# From tables, and sometimes a scenario's data, to figures. The wildcard is study/figure: both say whether it shows records.


rule figure:
    input:
        unpack(inputs_of("figures/{figure}")),
    output:
        report(
            f"{RESULTS}/figures/{{figure}}.svg",
            caption="../report/figure.rst",
            category="Figures",
            subcategory=lambda wildcards: heading(wildcards.figure.split("/")[0]),
            labels={"figure": "{figure}"},
        ),
        f"{RESULTS}/figures/{{figure}}.png",
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/figures/{{figure}}.tsv"
    wildcard_constraints:
        figure=figures(showing_records=False),
    conda:
        "../../environment.yml"
    params:
        task=task_of("figures/{figure}"),
        told=told_of("figures/{figure}"),
    script:
        "../../scripts/figure.py"


# What draws single records is for the owner of the data: it is on no page, Snakemake's report included.
use rule figure as figure_of_records with:
    output:
        f"{RESULTS}/figures/{{figure}}.svg",
        f"{RESULTS}/figures/{{figure}}.png",
    wildcard_constraints:
        figure=figures(showing_records=True),
