"""From a study's figure, as its config has it, to a drawing."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure as Drawing

from sdclab.experiment.scenario import Scenario
from sdclab.experiment.study import Figure
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS
from sdclab.output.style import plain


def draw(figure: Figure, tables: Sequence[pd.DataFrame], scenario: Scenario | None, dataset: Dataset | None) -> Drawing:
    """A figure from its tables and, if it names one, its scenario; what shows data says of what kind they are."""
    title, split = plain(figure.title), None
    if scenario is not None and dataset is not None:
        title, split = f"{title}\ndata: {dataset.kind}", scenario.split(dataset)
    named = dict(zip(figure.tables, tables, strict=True))
    drawn: Drawing = PLOTS.get(figure.plot)(
        named, split, **PLOTS.checked(figure.plot, {"title": title, **figure.options})
    )
    return drawn
