# From cells to the printed table, under the published table's own name.


rule table:
    input:
        cells=table_cell_paths,
        published=table_published,
        schema=str(SCHEMAS / "published.schema.yaml"),
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            caption="../report/table.rst",
            category="Tables",
            subcategory=table_study,
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
        spec=table_spec,
        cells=table_cells,
        code=code_fingerprint(["sdclab.tables.side_by_side"]),
    script:
        "../../scripts/table.py"


rule sensitivity:
    input:
        dataset=sensitivity_dataset,
        table=sensitivity_table,
    output:
        csv=report(
            f"{RESULTS}/sensitivity/{{sensitivity}}.csv",
            caption="../report/sensitivity.rst",
            category="Tables",
            subcategory=sensitivity_study,
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
        spec=sensitivity_spec,
        cells=sensitivity_cells,
        scenario=sensitivity_scenario,
        code=code_of_sensitivity,
    script:
        "../../scripts/sensitivity.py"
