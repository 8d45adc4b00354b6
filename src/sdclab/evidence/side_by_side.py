"""A published table with ours beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from sdclab.base.errors import SdclabError, unknown
from sdclab.evidence.published import Published, Row, meant, same
from sdclab.experiment.grid import Cell
from sdclab.numerics.ties import equated

Spec = Mapping[str, Any]


def side_by_side(published: Published, cells: Sequence[tuple[Cell, pd.DataFrame]], spec: Spec) -> pd.DataFrame:
    """Our cells in the grid's order, each with the published row it answers; then what nobody answers; panel by panel.

    For a quantity q the columns are q_published (as printed), q (mean of the replicates) and q_sd.
    """
    parts = []
    for panel in panels_of(spec):
        here = [(cell, frame) for cell, frame in cells if stands_in(cell, panel)]
        parts += _panel(published, here, panel)
    table = pd.DataFrame(parts)
    front = ["cell", *spec["keys"], "parameters"]
    return table[front + [column for column in table if column not in front]]


def panels_of(spec: Spec) -> list[Spec]:
    """The panels of a table, each with the table's own spec filled in; a plain table is one panel."""
    return [{**spec, **panel} for panel in spec.get("panels", [{}])]


def stands_in(cell: Cell, panel: Spec) -> bool:
    """Whether a cell belongs in a panel: it is of its scenario and among the cells that it asks for."""
    about = {"method": cell.method, **cell.parameters}
    return bool(cell.scenario == panel["scenario"] and meant(about, panel.get("cells", {})))


def _panel(published: Published, cells: Sequence[tuple[Cell, pd.DataFrame]], spec: Spec) -> list[dict[str, Any]]:
    _check_quantities([frame for _, frame in cells], spec)
    rows = [{**spec.get("fixed", {}), **row} for row in published.rows if meant(row, spec.get("rows", {}))]
    answers = {id(row): _answer(row, [cell for cell, _ in cells], spec, published.stem) for row in rows}
    printed = {answer.name: row for row in rows if (answer := answers[id(row)]) is not None}
    lines = [_line(cell, frame, printed.get(cell.name), spec) for cell, frame in cells]
    return lines + [_line(None, None, row, spec) for row in rows if answers[id(row)] is None]


def _check_quantities(frames: Sequence[pd.DataFrame], spec: Spec) -> None:
    measured = {str(column) for frame in frames for column in frame}
    ours = spec.get("ours", {})
    for quantity in (*spec["quantities"], *spec.get("beside", ())):
        if ours.get(quantity, quantity) not in measured:
            raise unknown("quantity", ours.get(quantity, quantity), measured, "a table's config")


def _answer(row: Row, cells: Sequence[Cell], spec: Spec, stem: str) -> Cell | None:
    """The cell that answers a published row."""
    found = [cell for cell in cells if _answers(cell, row, spec)]
    if len(found) > 1:
        names = ", ".join(cell.name for cell in found)
        raise SdclabError(f"table {stem}: several cells answer one published row ({names}); name a reading.")
    return found[0] if found else None


def _answers(cell: Cell, row: Row, spec: Spec) -> bool:
    """Equal in the table's keys, and in all other parameters as the table's readings say."""
    values, others = _coordinates(cell, spec)
    if any(not same(row[key], value) for key, value in {**values, "method": name_of(cell.method, spec)}.items()):
        return False
    return others == dict(reading_of(row["method"], spec).get("parameters", {}))


def is_answered(row: Row, cells: Sequence[Cell], spec: Spec) -> bool:
    """Whether some of these cells would answer a row of a table."""
    return any(
        stands_in(cell, panel)
        and meant(row, panel.get("rows", {}))
        and _answers(cell, {**panel.get("fixed", {}), **row}, panel)
        for panel in panels_of(spec)
        for cell in cells
    )


def _coordinates(cell: Cell, spec: Spec) -> tuple[dict[str, Any], dict[str, Any]]:
    """A cell's values of the table's keys, and its parameters that are not among them."""
    values: dict[str, Any] = {}
    others = dict(cell.parameters)
    for key in spec["keys"]:
        if key == "method":
            values[key] = name_of(cell.method, spec)
        elif key in spec.get("scaled", {}):
            scale = spec["scaled"][key]
            values[key] = round(others.pop(scale["parameter"]) * scale["times"], 9)
        else:
            values[key] = spec.get("fixed", {}).get(key, others.pop(key, ""))
    return values, others


def name_of(method: str, spec: Spec) -> str:
    """What the published table calls a method."""
    return str(spec.get("names", {}).get(method, method))


def reading_of(method: str, spec: Spec) -> Mapping[str, Any]:
    """The reading that a table gives for a method, by the published name, if any."""
    for reading in spec.get("readings", ()):
        if reading["method"] == method:
            return dict(reading)
    return {}


def _line(cell: Cell | None, frame: pd.DataFrame | None, row: Row | None, spec: Spec) -> dict[str, Any]:
    line: dict[str, Any] = {"cell": cell.name if cell else ""}
    values, others = _coordinates(cell, spec) if cell else ({}, {})
    line |= {key: row[key] if row is not None else values[key] for key in spec["keys"]}
    line["parameters"] = ",".join(f"{key}={value}" for key, value in others.items())
    ours = spec.get("ours", {})
    for quantity in spec["quantities"]:
        line[f"{quantity}_published"] = row[quantity] if row is not None else ""
        line |= _summary(frame, quantity, ours.get(quantity, quantity))
    for quantity in spec.get("beside", ()):
        line |= _summary(frame, quantity, ours.get(quantity, quantity))
    line["replicates"] = len(frame) if frame is not None else 0
    for column in ("dataset_kind", "fingerprint"):
        line[column] = frame[column].iloc[0] if frame is not None else ""
    return line


def _summary(frame: pd.DataFrame | None, quantity: str, column: str) -> dict[str, float]:
    """Mean and, over several replicates, standard deviation of a cell's column, if its method tells it."""
    if frame is None or column not in frame:
        return {quantity: float("nan"), f"{quantity}_sd": float("nan")}
    return {quantity: float(frame[column].mean()), f"{quantity}_sd": float(frame[column].std())}


def markdown(table: pd.DataFrame, title: str, spec: Spec) -> str:
    """The table for reading: published and ours next to each other, SD behind a ±."""
    kinds = ", ".join(sorted(set(table["dataset_kind"]) - {""}))
    own = spec.get("published", "") is None
    head = [*spec["keys"], "parameters"]
    for quantity in spec["quantities"]:
        head += [quantity] if own else [f"{quantity} published", f"{quantity} ours"]
    head += list(spec.get("beside", ()))
    lines = [f"# {title}", "", f"Data: {kinds}. Ours: mean ± standard deviation over the replicates.", ""]
    lines += ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for _, row in table.iterrows():
        cells = [_shown(row[column]) for column in [*spec["keys"], "parameters"]]
        for quantity in spec["quantities"]:
            cells += (
                [_with_sd(row, quantity)] if own else [_shown(row[f"{quantity}_published"]), _with_sd(row, quantity)]
            )
        cells += [_with_sd(row, quantity) for quantity in spec.get("beside", ())]
        lines.append("| " + " | ".join(cells) + " |")
    trends = _trends(table, spec)
    return "\n".join([*lines, *(["", *trends] if trends else [])]) + "\n"


def _trends(table: pd.DataFrame, spec: Spec) -> list[str]:
    """Spearman's correlation of our values with the table's last key, for each combination of the other keys."""
    *others, last = spec["keys"]
    if not others:
        return []
    lines = []
    numbers = table.assign(**{last: pd.to_numeric(table[last], errors="coerce")})
    for names, rows in numbers[numbers["cell"] != ""].groupby([*others, "parameters"], sort=False):
        rows = rows[rows[last].notna()]
        if rows[last].nunique() < 3:
            continue
        rows = rows.assign(**{quantity: equated(rows[quantity]) for quantity in spec["quantities"]}).sort_values(last)
        each = [_trend(rows, last, quantity) for quantity in spec["quantities"] if rows[quantity].nunique() > 1]
        label = " ".join(str(name) for name in names if name != "")
        lines.append(f"- Spearman's correlation with {last}, {label}: {', '.join(each)}")
    return lines


def _trend(rows: pd.DataFrame, key: str, quantity: str) -> str:
    """Spearman's correlation, and how often the quantity falls from one value of the key to the next."""
    rho = rows[key].corr(rows[quantity], method="spearman")
    return f"{quantity} {rho:+.3f} ({int((rows[quantity].diff() < 0).sum())} descents)"


def _shown(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _with_sd(row: "pd.Series[Any]", quantity: str) -> str:
    mean, spread = row[quantity], row[f"{quantity}_sd"]
    if mean != mean:
        return ""
    return f"{mean:.3f} ± {spread:.3f}" if spread > 0 else f"{mean:.3f}"
