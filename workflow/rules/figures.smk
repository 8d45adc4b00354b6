# From tables to figures.


rule ru_map:
    input:
        f"{RESULTS}/tables/{{table}}.csv",
    output:
        report(
            f"{RESULTS}/figures/{{table}}_ru.svg",
            caption="../report/ru_map.rst",
            category="Risk-utility maps",
            labels={"table": "{table}"},
        ),
        f"{RESULTS}/figures/{{table}}_ru.png",
    log:
        f"{RESULTS}/logs/figures/{{table}}_ru.log",
    benchmark:
        f"{RESULTS}/benchmarks/figures/{{table}}_ru.tsv"
    conda:
        "../../environment.yml"
    params:
        title=table_title,
        code=code_fingerprint(["sdclab.plots.ru_map"]),
    script:
        "../../scripts/ru_map.py"
