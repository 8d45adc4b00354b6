"""How far a measure depends on its options, each changed alone, and whether the ranking of the methods does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sdclab import measures
from sdclab.base.errors import SdclabError
from sdclab.evidence.scorecard import rank_agreement
from sdclab.experiment.cell import releases
from sdclab.experiment.grid import Cell, values_of
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import seed_of
from sdclab.numerics.ties import ascending, smallest_of

Options = Mapping[str, Any]

IN_THE_TABLES = "as in the tables"
"""What the study's own cells were measured with."""


def variants(options: Options, path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every single option value as (label, options of the measure), nested options included."""
    for name, choice in options.items():
        if isinstance(choice, Mapping):
            yield from variants(choice, (*path, name))
            continue
        for value in values_of(choice):
            nested: dict[str, Any] = {name: value}
            for outer in reversed(path):
                nested = {outer: nested}
            yield f"{'.'.join((*path, name))} = {value}", nested


def _over(base: Options, changed: Options) -> dict[str, Any]:
    """The base with some options changed, nested ones included."""
    made = dict(base)
    for name, value in changed.items():
        made[name] = _over(base.get(name, {}), value) if isinstance(value, Mapping) else value
    return made


def sensitivity(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    dataset: Dataset,
    published: Mapping[str, float],
    spec: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """One row the published values, one as in the tables, one each option value: the measure's mean for every cell.

    `agreement` is Kendall's tau with the published order, `worst_ratio` the largest factor between ours and
    published over the cells.
    """
    if not published:
        raise SdclabError(f"sensitivity of {spec['quantity']}: none of its cells has a published value.")
    base = spec.get("base", {})
    chosen = [(IN_THE_TABLES, base), *((label, _over(base, one)) for label, one in variants(spec["options"]))]
    values: dict[str, dict[str, float]] = {label: {} for label, _ in chosen}
    splits = list(scenario.splits(dataset, {}))
    for cell in cells:
        seeds = [seed_of(cell.scenario, cell.method, dict(cell.parameters), i) for i in range(cell.replicates)]
        made = [pair for seed in seeds for pair in releases(cell, scenario, splits, seed)]
        for label, options in chosen:
            each = [
                measures.measure(spec["measure"], y, released.values, x, options)[spec["quantity"]]
                for (y, x), released in made
            ]
            values[label][cell.name] = float(np.mean(each))
    usual = _order(values[IN_THE_TABLES])
    rows: list[dict[str, Any]] = [{"variant": "published", **published, "ranking": _order(published)}]
    for label, of_cell in values.items():
        ranking = _order(of_cell)
        pairs = [(published[name], of_cell[name]) for name in published]
        rows.append(
            {
                "variant": label,
                **of_cell,
                "ranking": ranking,
                "as_in_tables": "yes" if ranking == usual else "no",
                "agreement": rank_agreement([a for a, _ in pairs], [b for _, b in pairs], 0.0)[0],
                "worst_ratio": max(max(a, b) / min(a, b) if min(a, b) > 0 else np.inf for a, b in pairs),
            }
        )
    return rows


def _order(of_cell: Mapping[str, float]) -> str:
    """The cells from safest to riskiest, equals in the order of the grid."""
    names = list(of_cell)
    return " < ".join(names[i] for i in ascending(list(of_cell.values())))


def markdown(rows: Sequence[Mapping[str, Any]], cells: Sequence[Cell], title: str, kind: str) -> str:
    """The table for reading, with its two conclusions in words."""
    names = [cell.name for cell in cells]
    tried = rows[1:]
    changed = sum(row["as_in_tables"] == "no" for row in tried)
    best = tried[smallest_of([float(row["worst_ratio"]) for row in tried])]
    head = ["variant", *names, "ranking as in the tables", "agreement", "worst ratio"]
    lines = [f"# {title}", "", f"Data: {kind}. Options are changed one at a time; means over the replicates.", ""]
    lines += ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for row in rows:
        last = [str(row.get("as_in_tables", "")), *(_number(row.get(key)) for key in ("agreement", "worst_ratio"))]
        lines.append("| " + " | ".join([row["variant"], *(_number(row.get(name)) for name in names), *last]) + " |")
    ranking = f"The ranking differs from that in the tables under {changed} of {len(tried) - 1} variants."
    nearest = f"{best['worst_ratio']:.2f} ({best['variant']})"
    level = f"No variant comes closer to all published levels at once than a factor of {nearest}."
    return "\n".join([*lines, "", f"{ranking} {level}"]) + "\n"


def _number(value: Any) -> str:
    return "" if value is None else f"{float(value):.2f}"
