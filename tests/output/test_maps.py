"""Risk-utility maps: one rule for copies, one for curves."""

import pandas as pd
import yaml
from conftest import PROJECT

from sdclab.experiment import choice


def test_both_figures_take_the_rule():
    """The map's figure is the own study's: the table brings the crowding along."""
    from sdclab.output.plots.choices import draw

    table = pd.DataFrame(
        {"method": "mdav", "parameters": ["k=3", "k=5"], "pil": [1.0, 2.0], "dr": [2.0, 1.0], "copy": [60.0, 60.0],
         "crowding": [0.0, 40.0], "dataset_kind": "own"}
    )  # fmt: skip
    (points,) = (part for part in draw({"t": table}, None, title="").axes[0].collections if len(part.get_offsets()))
    assert [tuple(colour[:3]) == (1, 1, 1) for colour in points.get_facecolors()] == [True, False]
    study = yaml.safe_load((PROJECT / "config/studies/own.yaml").read_text())
    assert study["measures"] == choice.MEASURED
    assert {"copy", "crowding", "intact"} <= set(study["tables"]["own_releases"]["beside"])
