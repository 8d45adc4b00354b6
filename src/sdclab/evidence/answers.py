"""Which cell answers which published row."""

from collections.abc import Iterator, Sequence

from sdclab.base.errors import SdclabError
from sdclab.evidence.published import Published, Row
from sdclab.experiment.cell import Cell
from sdclab.experiment.table import Panel, Table


def answers(published: Published, cells: Sequence[Cell], panel: Panel) -> Iterator[tuple[Row, Cell | None]]:
    """The published rows of a panel, each with the cell that answers it, if there is one."""
    for row in published.rows:
        if panel.shows(row):
            yield {**panel.fixed, **row}, _answer(row, cells, panel, published.stem)


def _answer(row: Row, cells: Sequence[Cell], panel: Panel, stem: str) -> Cell | None:
    found = [cell for cell in cells if panel.answers(cell, row)]
    if len(found) > 1:
        names = ", ".join(cell.name for cell in found)
        raise SdclabError(f"table {stem}: several cells answer one published row ({names}); name a reading.")
    return found[0] if found else None


def is_answered(row: Row, cells: Sequence[Cell], table: Table) -> bool:
    """Whether some of these cells would answer a row of a table."""
    return any(
        panel.holds(cell) and panel.shows(row) and panel.answers(cell, row) for panel in table.panels for cell in cells
    )


def printed(published: Published, cells: Sequence[Cell], panels: Sequence[Panel], quantity: str) -> dict[str, float]:
    """What a table prints for each of these cells, by name, as far as it does."""
    found = {
        cell.name: float(row[quantity])
        for panel in panels
        for row, cell in answers(published, [cell for cell in cells if panel.holds(cell)], panel)
        if cell is not None and row[quantity]
    }
    return {cell.name: found[cell.name] for cell in cells if cell.name in found}
