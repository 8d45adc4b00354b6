# From tables, and sometimes a scenario's data, to figures.


rule figure:
    input:
        unpack(figure_inputs),
    output:
        report(
            f"{RESULTS}/figures/{{figure}}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        f"{RESULTS}/figures/{{figure}}.png",
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/figures/{{figure}}.tsv"
    conda:
        "../../environment.yml"
    params:
        spec=figure_spec,
        scenario=figure_scenario,
        code=code_of_figure,
    script:
        "../../scripts/figure.py"
