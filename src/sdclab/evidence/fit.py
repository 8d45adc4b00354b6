"""Whether the tables of studies fit what was published, as far as can be said before anything runs."""

from collections.abc import Iterable
from pathlib import Path

from sdclab.base.errors import SdclabError, unknown
from sdclab.evidence import published
from sdclab.evidence.published import Published
from sdclab.experiment.study import Study
from sdclab.experiment.table import Table


def check(studies: Iterable[Study], folder: Path, schema: Path) -> None:
    """Refuse a table that names what is not in print, or that the scorecard could not judge whole."""
    known = {path.stem: path for path in folder.glob("*.csv")}
    for study in studies:
        for table in study.tables.values():
            if table.published is not None:
                where = f"study {study.name}: tables.{table.name}"
                if table.published not in known:
                    raise unknown("published table", table.published, known, where)
                check_table(study, table, published.load(known[table.published], schema), where)


def check_table(study: Study, table: Table, printed: Published, where: str) -> None:
    """The same for one table."""
    for panel in table.panels:
        for column in (*panel.keys, *panel.quantities):
            if column not in printed.columns and column not in panel.fixed:
                raise unknown("column", column, printed.columns, f"{where}: {printed.stem}")
    if table.in_judgement:
        _check_shown(table, printed, where)
        _check_judged(study, table, printed, where)


def _check_shown(table: Table, printed: Published, where: str) -> None:
    """A published row that no panel shows would be missing from the scorecard without a word."""
    lost = sum(not any(panel.shows(row) for panel in table.panels) for row in printed.rows)
    if lost and not any(panel.rows for panel in table.panels):
        raise SdclabError(
            f"{where}: {lost} rows of {printed.stem} stand in none of its panels; `fixed` must say what is printed, or "
            "`rows` name the rows that are meant."
        )


def _check_judged(study: Study, table: Table, printed: Published, where: str) -> None:
    for panel in table.panels:
        for row in filter(panel.shows, printed.rows):
            for quantity in panel.quantities:
                if row[quantity] and study.judgement_of(table.name, quantity, {**panel.fixed, **row}) is None:
                    keys = " ".join(f"{key}={row[key]}" for key in panel.keys if row.get(key))
                    raise SdclabError(f"{where}: no judgement covers {quantity} of {keys}.")
