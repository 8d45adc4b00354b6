"""How far a measure depends on its options, each changed alone, and whether the ranking of the methods does."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sdclab import measures
from sdclab.base.errors import SdclabError
from sdclab.evidence.agreement import rank_agreement
from sdclab.experiment.cell import Cell, releases
from sdclab.experiment.scenario import AnyScenario
from sdclab.microdata.dataset import Dataset
from sdclab.numerics.seeds import seed_of
from sdclab.numerics.ties import ascending, smallest_of


def sensitivity(
    cells: Sequence[Cell],
    scenario: AnyScenario,
    dataset: Dataset,
    published: Mapping[str, float],
    measure: str,
    quantity: str,
    variants: Mapping[str, Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """One row the published values, one each variant of the measure's options: the quantity's mean for every cell.

    The first variant is what the study's own tables have.

    `agreement` is Kendall's tau with the published order, `worst_ratio` the largest factor between ours and
    published over the cells.
    """
    if not published:
        raise SdclabError(f"sensitivity of {quantity}: none of its cells has a published value.")
    values: dict[str, dict[str, float]] = {label: {} for label in variants}
    splits = list(scenario.splits(dataset, {}))
    attributes, rules = scenario.attributes(dataset), scenario.ruled(dataset)
    for cell in cells:
        seeds = [seed_of(cell.scenario, cell.method, dict(cell.parameters), i) for i in range(cell.replicates)]
        made = [pair for seed in seeds for pair in releases(cell, scenario, splits, seed, attributes, rules)]
        for label, options in variants.items():
            each = [
                measures.measure(measure, y, released.values, x, options, attributes, rules=rules)[quantity]
                for (y, x), released in made
            ]
            values[label][cell.name] = float(np.mean(each))
    usual = _order(next(iter(values.values())))
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
