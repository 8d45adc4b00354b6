# From cells to the printed table, under the published table's own name.


rule table:
    input:
        cells=table_cell_paths,
        published=f"{PUBLISHED}/{{table}}.csv",
        schema=str(SCHEMAS / "published.schema.yaml"),
    output:
        csv=report(
            f"{RESULTS}/tables/{{table}}.csv",
            caption="../report/table.rst",
            category="Tables",
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
