"""A figure of a study, from its tables and, if it names one, its scenario."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from job import job

from sdclab.experiment.scenario import Scenario
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS
from sdclab.output.style import plain, save


def main(
    spec: Mapping[str, Any],
    tables: Sequence[str],
    scenario: Scenario | None,
    dataset: Sequence[str],
    outputs: Sequence[str],
) -> None:
    frames = {Path(path).stem: pd.read_csv(path) for path in tables}
    title, split = plain(spec["title"]), None
    if scenario and dataset:
        data = Dataset.read(*map(Path, dataset))
        title, split = f"{title}\ndata: {data.kind}", scenario.split(data)
    options = PLOTS.checked(spec["plot"], {"title": title, **spec.get("options", {})})
    figure = PLOTS.get(spec["plot"])(frames, split, **options)
    for output in outputs:
        save(figure, output)


if "snakemake" in globals():
    with job(snakemake) as task:
        main(
            task.given["spec"],
            task.inputs["tables"],
            task.given["scenario"],
            task.inputs["dataset"],
            snakemake.output,
        )
