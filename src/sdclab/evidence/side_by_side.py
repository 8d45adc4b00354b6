"""A published table with ours beside it."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from sdclab.base.errors import SdclabError, unknown
from sdclab.evidence.answers import answers
from sdclab.evidence.correlation import rank_correlation, rank_correlations
from sdclab.evidence.published import Published, Row
from sdclab.experiment.cell import REFUSED, Cell
from sdclab.experiment.table import Panel, Table
from sdclab.numerics.ties import equated

FEWEST = 4
"""Values of a key that make a trend."""

CellRows = tuple[Cell, pd.DataFrame]
"""A cell with its rows, one a replicate."""


def by_cell(rows: pd.DataFrame, cells: Sequence[Cell]) -> list[CellRows]:
    """These cells with their rows, out of rows of many cells.

    A column that another cell has, and this one not, is none of its own; one that is empty in all is undefined. A cell
    that is not applicable is left out.
    """
    if REFUSED in rows:
        refused = rows[rows[REFUSED].notna()]
        cells = [cell for cell in cells if cell.name not in set(refused["cell"])]
        if not cells:
            raise SdclabError(f"no method of the table is applicable: {refused[REFUSED].iloc[0]}")
        rows = rows.drop(index=refused.index, columns=REFUSED)
    frames = dict(list(rows.groupby("cell")))
    defined = rows.columns[rows.notna().any()]
    none = {name: [column for column in defined if frame[column].isna().all()] for name, frame in frames.items()}
    return [(cell, frames[cell.name].drop(columns=none[cell.name])) for cell in cells]


def side_by_side(published: Published, cells: Sequence[CellRows], table: Table) -> pd.DataFrame:
    """Our cells in the grid's order, each with the published row it answers; then what nobody answers; panel by panel.

    For a quantity q the columns are q_published (as printed), q (mean of the replicates) and q_sd.
    """
    parts = []
    for panel in table.panels:
        parts += _panel(published, [(cell, frame) for cell, frame in cells if panel.holds(cell)], panel)
    made = pd.DataFrame(parts)
    front = ["cell", *table.keys, "parameters"]
    return made[front + [column for column in made if column not in front]]


def _panel(published: Published, cells: Sequence[CellRows], panel: Panel) -> list[dict[str, Any]]:
    _check_quantities([frame for _, frame in cells], panel)
    answered = list(answers(published, [cell for cell, _ in cells], panel))
    printed = {cell.name: row for row, cell in answered if cell is not None}
    lines = [_line(cell, frame, printed.get(cell.name), panel) for cell, frame in cells]
    return lines + [_line(None, None, row, panel) for row, cell in answered if cell is None]


def _check_quantities(frames: Sequence[pd.DataFrame], panel: Panel) -> None:
    measured = {str(column) for frame in frames for column in frame}
    for quantity in (*panel.quantities, *panel.beside):
        if panel.ours_of(quantity) not in measured:
            raise unknown("quantity", panel.ours_of(quantity), measured, "a table's config")


def _line(cell: Cell | None, frame: pd.DataFrame | None, row: Row | None, panel: Panel) -> dict[str, Any]:
    line: dict[str, Any] = {"cell": cell.name if cell else ""}
    values, others = panel.coordinates(cell) if cell else ({}, {})
    line |= {key: row[key] if row is not None else values[key] for key in panel.keys}
    line["parameters"] = ",".join(f"{key}={value}" for key, value in others.items())
    for quantity in panel.quantities:
        line[f"{quantity}_published"] = row[quantity] if row is not None else ""
        line |= _summary(frame, quantity, panel.ours_of(quantity))
    for quantity in panel.beside:
        line |= _summary(frame, quantity, panel.ours_of(quantity))
    line["replicates"] = len(frame) if frame is not None else 0
    for column in ("dataset_kind", "fingerprint"):
        line[column] = frame[column].iloc[0] if frame is not None else ""
    return line


def _summary(frame: pd.DataFrame | None, quantity: str, column: str) -> dict[str, float]:
    """Mean and, over several replicates, standard deviation of a cell's column, if its method tells it."""
    if frame is None or column not in frame:
        return {quantity: float("nan"), f"{quantity}_sd": float("nan")}
    return {quantity: float(frame[column].mean()), f"{quantity}_sd": float(frame[column].std())}


def markdown(rows: pd.DataFrame, table: Table) -> str:
    """The table for reading: published and ours next to each other, SD behind a ±."""
    kinds = ", ".join(sorted(set(rows["dataset_kind"]) - {""}))
    keys, printed = [*table.keys, "parameters"], table.published is not None
    head = list(keys)
    for quantity in table.quantities:
        head += [f"{quantity} published", f"{quantity} ours"] if printed else [quantity]
    head += table.beside
    lines = [f"# {table.title}", "", *([table.question, ""] if table.question else [])]
    lines += [f"Data: {kinds}. Ours: mean ± standard deviation over the replicates.", ""]
    lines += _head(head)
    for _, row in rows.iterrows():
        cells = [_shown(row[column]) for column in keys]
        for quantity in table.quantities:
            cells += [_shown(row[f"{quantity}_published"])] if printed else []
            cells.append(_with_sd(row, quantity))
        cells += [_with_sd(row, quantity) for quantity in table.beside]
        lines.append("| " + " | ".join(cells) + " |")
    for more in (_trends(rows, table), _correlations(rows, table)):
        lines += ["", *more] if more else []
    return "\n".join(lines) + "\n"


def _head(names: Sequence[str]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]


def _correlations(rows: pd.DataFrame, table: Table) -> list[str]:
    """Rank correlations, if the table has any."""
    if table.correlations is None:
        return []
    found = rank_correlations(rows, table)
    texts = found.map(lambda value: f"{value:+.2f}" if isinstance(value, float) else str(value))
    body = ["| " + " | ".join(row) + " |" for row in texts.itertuples(index=False)]
    return ["Spearman's correlations over the rows:", "", *_head([str(name) for name in found]), *body]


def _trends(made: pd.DataFrame, table: Table) -> list[str]:
    """Spearman's correlation of our values with the table's last key, for each combination of the other keys."""
    *others, last = table.keys
    if not others:
        return []
    lines = []
    numbers = made.assign(**{last: pd.to_numeric(made[last], errors="coerce")})
    for names, rows in numbers[numbers["cell"] != ""].groupby([*others, "parameters"], sort=False):
        rows = rows[rows[last].notna()]
        if rows[last].nunique() < FEWEST:
            continue
        rows = rows.assign(
            **{quantity: equated(rows[quantity].to_numpy(dtype=float)) for quantity in table.quantities}
        ).sort_values(last)
        each = [_trend(rows, last, quantity) for quantity in table.quantities if rows[quantity].nunique() > 1]
        label = " ".join(str(name) for name in names if name != "")
        lines.append(f"- Spearman's correlation with {last}, {label}: {', '.join(each)}")
    return lines


def _trend(rows: pd.DataFrame, key: str, quantity: str) -> str:
    """Spearman's correlation, and how often the quantity falls from one value of the key to the next."""
    rho = rank_correlation(rows[key], rows[quantity])
    return f"{quantity} {rho:+.3f} ({int((rows[quantity].diff() < 0).sum())} descents)"


def _shown(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _with_sd(row: "pd.Series[Any]", quantity: str) -> str:
    mean, spread = row[quantity], row[f"{quantity}_sd"]
    if mean != mean:
        return ""
    return f"{mean:.3f} ± {spread:.3f}" if spread > 0 else f"{mean:.3f}"
