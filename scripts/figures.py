"""Figures of a study, each from its tables and, if it names one, its scenario."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from job import job

from sdclab.experiment.data import read
from sdclab.experiment.scenario import Scenario
from sdclab.experiment.study import Figure
from sdclab.output.drawing import draw
from sdclab.output.style import save


def main(
    figure: Figure,
    tables: Sequence[str],
    scenario: Scenario | None,
    dataset: Sequence[str],
    outputs: Sequence[str],
) -> None:
    frames = [pd.read_csv(path) for path in tables]
    data = read(scenario, *map(Path, dataset)) if scenario else None
    drawn = draw(figure, frames, scenario, data)
    for output in outputs:
        save(drawn, output)


if "snakemake" in globals():
    with job(snakemake) as task:
        for figure, *outputs in zip(task.given["figures"], task.files[::2], task.files[1::2], strict=True):
            main(
                figure,
                task.inputs[f"tables_{figure.name}"],
                task.given["scenarios"].get(figure.name),
                task.inputs.get(f"dataset_{figure.name}", ()),
                outputs,
            )
