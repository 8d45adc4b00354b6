"""Axes and headings take their words from what measures declare."""

from types import SimpleNamespace

import pandas as pd
from matplotlib.figure import Figure

from sdclab.experiment.ranking import PLAIN
from sdclab.output.pages import choice, maps, ranking
from sdclab.output.pages.tables import heading
from sdclab.output.plots import against_c, ru_map, surface

PIL, DR = "information loss PIL", "disclosure risk DR"


def table(**columns):
    rows = [{"method": "fcrm", "parameters": "", "c": c, "n_independent": n} for c in (2, 3) for n in (1, 2)]
    frame = pd.DataFrame(rows).assign(dataset_kind="own", **columns)
    for name in ("pil", "dr", "score"):
        frame[[name, f"{name}_sd", f"{name}_published"]] = 10.0, 1.0, 20.0
    return {"table": frame}


def test_a_heading_tells_what_is_measured():
    assert heading("pil", "ours") == (f'<th class="number" title="{PIL} (0–100); less is more useful">pil ours</th>')
    assert 'title="median change of the regression slopes (%); less is more useful"' in heading(
        "coefficient_change_median"
    )


def test_a_heading_that_nobody_declares_stands_for_itself():
    assert heading("smallest_cluster") == '<th class="number">smallest_cluster</th>'


def test_a_map_has_its_axes_from_the_measures():
    axes = Figure().add_subplot()
    ru_map.frame(axes, 50, 50)
    assert axes.get_xlabel() == f"{PIL} (0–100); less is more useful"
    assert axes.get_ylabel() == f"{DR} (0–100); less is safer"


def test_so_have_other_plots():
    upper, lower = against_c.draw(table(), None, title="x").axes
    assert [upper.get_ylabel(), lower.get_ylabel()] == [f"{PIL} (0–100)", f"{DR} (0–100)"]
    titles = [axes.get_title() for axes in surface.draw(table(), None, title="x").axes]
    assert titles == [f"{PIL} (0–100)", f"{DR} (0–100)", "mean of PIL and DR (0–100)"]


def test_a_surface_of_one_row_is_a_line():
    """As of a study with a single number of independents; matplotlib would refuse it."""
    (one,) = table().values()
    for axes in surface.draw({"table": one[one["n_independent"] == 1]}, None, title="x").axes:
        (line,) = axes.lines
        assert [list(values) for values in line.get_data_3d()] == [[2, 3], [1, 1], [10, 10]]


def test_and_the_map_on_the_page_and_its_points():
    row = {"method": "fcrm", "parameters": "", "c": "2", "dataset_kind": "own", "copy": "7", "copy_sd": ""}
    for name, value in (("pil", "12.5"), ("dr", "30")):
        row |= {name: value, f"{name}_sd": "0.5", f"{name}_published": "11"}
    page = maps.ru_map([row], {}, "A map")
    assert f"{PIL} →" in page
    assert f"{DR} →" in page
    assert f"fcrm c=2; ours; {PIL} 12.5 ± 0.5; {DR} 30 ± 0.5; records that stand in the release 7 %; data: own" in page
    assert f"fcrm c=2; published; {PIL} 11; {DR} 11" in page


def test_the_pages_of_a_users_file_explain_their_columns():
    for page in (choice.reading(PLAIN), str(ranking.lead([], SimpleNamespace(datasets=[])))):
        assert "score: mean of PIL and DR (0–100); less is better." in page
        assert f"pil: {PIL} (0–100); less is more useful. dr: {DR} (0–100); less is safer." in page
        assert "copy: records that stand in the release (0–100 %); less is safer." in page
