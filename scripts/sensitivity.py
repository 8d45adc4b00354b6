"""How far a measure depends on its options: a table for machines and for people."""

from collections.abc import Sequence
from pathlib import Path

from job import job

from sdclab.base.files import csv_text, write
from sdclab.evidence import published
from sdclab.evidence.answers import printed
from sdclab.evidence.sensitivity import markdown, sensitivity
from sdclab.experiment.data import read
from sdclab.experiment.scenario import AnyScenario
from sdclab.experiment.study import Sensitivity
from sdclab.experiment.table import Panel


def main(
    each: Sensitivity,
    panels: Sequence[Panel],
    scenario: AnyScenario,
    dataset: Sequence[str],
    print_: Path,
    schema: Path,
    as_csv: Path,
    as_markdown: Path,
) -> None:
    data = read(scenario, *map(Path, dataset))
    values = printed(published.load(print_, schema), each.cells, panels, each.quantity)
    rows = sensitivity(each.cells, scenario, data, values, each.measure, each.quantity, each.variants)
    write(as_csv, csv_text(list(rows[1]), rows))
    write(as_markdown, markdown(rows, each.cells, each.title, data.kind))


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["sensitivity"],
            task.given["panels"],
            task.given["scenario"],
            task.inputs["dataset"],
            Path(*task.inputs["published"]),
            Path(*task.inputs["schema"]),
            Path(snakemake.output.csv),
            Path(snakemake.output.markdown),
        )
