"""What a page weighs: every reader loads all of it, also over a slow line."""

import numpy as np
import pandas as pd
import pytest
from conftest import PROJECT

from sdclab.experiment import plan
from sdclab.output.drawing import draw
from sdclab.output.pages.figures import inline
from sdclab.output.plots import PLOTS
from sdclab.output.style import save

CURVES = 600_000
"""Bytes of all readings' figures on a page of less than 2.5 MB; the rest of it is 1.8 MB."""


def worst(multiverse, seed):
    """Readings of a multiverse in no order at all, so that hardly any neighbours share an option."""
    rng = np.random.default_rng(seed)
    readings, axes, summary = [], [], []
    for quantity in multiverse.quantities:
        every, default = multiverse.readings(quantity), multiverse.default(quantity)
        distances = np.sort(rng.exponential(20, len(every)))
        readings += [
            {
                "quantity": quantity,
                "rank": rank,
                "distance": distance,
                "default": "yes" if each == default else "",
                **each,
            }
            for rank, (distance, each) in enumerate(zip(distances, rng.permutation(every), strict=True), 1)
        ]
        axes += [
            {"quantity": quantity, "axis": axis.name, "decides": 0.5, "option": option, "default": "", "after": "yes"}
            for axis in multiverse.axes_of(quantity)
            for option in axis.options
        ]
        summary.append({"quantity": quantity, "luck": 12.5, "scale": "linear", "dataset_kind": "replica"})
    return [pd.DataFrame(lines) for lines in (readings, axes, summary)]


@pytest.mark.slow
def test_all_readings_fit_on_the_page(monkeypatch, tmp_path):
    monkeypatch.chdir(PROJECT)
    run = plan.load({"multiverse": True, "results": str(tmp_path)}, PLOTS)
    weight, file = 0, tmp_path / "curve.svg"
    for seed, multiverse in enumerate(run.multiverses):
        tables = worst(multiverse, seed)
        for figure in run.curves(multiverse):
            save(draw(figure, tables, None, None), file)
            weight += len(inline(file.read_text(encoding="utf-8"), figure.name, figure.title)[0].encode())
    assert len(run.multiverses) > 10
    assert weight < CURVES
