"""The section of a study: what was claimed, what was run, what came out, and what stays unexplained."""

from collections.abc import Iterable, Sequence

from sdclab.evidence.scorecard import HOLDS
from sdclab.experiment.study import Figure, Study
from sdclab.output.article.blocks import (
    LEFT,
    Block,
    Column,
    Drawing,
    Drawings,
    Grid,
    Heading,
    Paragraph,
    Section,
    Span,
    Text,
    cite,
    code,
    plain,
    strong,
    text,
)
from sdclab.output.article.references import Citation
from sdclab.output.article.tables import (
    called,
    judgements,
    named,
    open_question,
    published,
    readings_in_full,
)
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.svg import WIDE, size
from sdclab.output.pages.tables import rounded
from sdclab.output.pages.verdicts import counts, weak

BROAD = 600
"""Points from which on a drawing has a row for itself."""

UNKNOWN = "no explanation was found"

AS_WRITTEN = "default"
"""The reading of a number that needed none."""


def section(study: Study, run: Run, citation: Citation) -> Section:
    """All about a study."""
    lines = [line for line in run.scorecard if line["study"] == study.name]
    claimed = "What was claimed" if study.published else "What was asked"
    blocks: list[Block] = [Paragraph(_papers(study, citation))] if study.papers else []
    blocks += [Heading(claimed), Paragraph(text(study.claim))] if study.claim else []
    blocks += [Heading("What was run"), *_cells(study, run)]
    blocks += [Heading("What came out"), *_outcome(lines), *_figures(study, run), *_tables(study, run)]
    open_ = [*_unexplained(study, lines), *_readings(study, lines, run), *_audit(study, run)]
    blocks += [Heading("What stays open, and how print was read"), *open_] if open_ else []
    return Section(study.title, blocks)


def _papers(study: Study, citation: Citation) -> Text:
    parts: list[str | Span] = []
    for each in citation.of(study):
        parts += ["; ", f"{each.short} ", cite(each.name)]
    return text("Reproduced here: ", *parts[1:], ".")


def _cells(study: Study, run: Run) -> list[Block]:
    """What was computed, scenario by scenario."""
    records = {fact["name"]: str(fact["rows"]) for fact in run.datasets}
    rows = [row for row in run.cells if row["study"] == study.name]
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["scenario"], row["dataset"], row["dataset_kind"]), []).append(row)
    order = {name: place for place, name in enumerate(study.scenarios)}
    body = [
        plain(
            scenario,
            f"{dataset} ({kind})",
            records.get(dataset, ""),
            ", ".join(dict.fromkeys(row["method"] for row in here)),
            str(len({row["cell"] for row in here})),
            str(len(here)),
        )
        for (scenario, dataset, kind), here in sorted(groups.items(), key=lambda each: order[each[0][0]])
    ]
    columns = [Column("scenario", LEFT), Column("data", LEFT), Column("records"), Column("methods", LEFT, wide=1)]
    columns += [Column("cells"), Column("releases")]
    about = "A cell is a method with its parameters on a scenario; each of its replicates is a release."
    return [Grid(text(strong("What was computed."), f" {about}"), columns, body)]


def _outcome(lines: Sequence[Row]) -> list[Block]:
    """The verdicts in a sentence."""
    if not lines:
        return []
    here = counts(lines)
    held, judged = sum(here[verdict] for verdict in HOLDS), sum(here[verdict] for verdict in (*HOLDS, "differs"))
    of_these = f"{judged} could be judged, and {held} of these hold" if judged else "none could be judged"
    words = f"Of {len(lines)} published numbers {of_these}: {named(here)}."
    few = weak(lines)
    return [Paragraph(text(words, f" Of those that hold {few} are weak." if few else ""))]


def _tables(study: Study, run: Run) -> list[Block]:
    blocks: list[Block] = []
    silent: list[str | Span] = []
    for spec in study.tables.values():
        if spec.in_judgement:
            blocks += published(spec, run)
        elif spec.question:
            blocks += open_question(spec, run)
        elif spec.published is None:
            silent += ["; ", f"{spec.title} (", code(f"tables/{spec.study}/{spec.name}.csv"), ")"]
    blocks += judgements(study, run)
    return [*blocks, Paragraph(text("Further tables, of our own: ", *silent[1:], "."))] if silent else blocks


def _figures(study: Study, run: Run) -> list[Block]:
    drawn = [each for each in study.figures.values() if (each.study, each.name) in run.figures]
    hidden = [each for each in study.figures.values() if each not in drawn]
    drawings = [_drawing(each, run) for each in drawn]
    blocks: list[Block] = [Drawings(drawings)] if drawings else []
    if hidden:
        places = [part for each in hidden for part in ("; ", f"{each.title} (", _place(each), ")")]
        words = "Drawn but not shown, because every dot is a record of somebody’s data: "
        blocks.append(Paragraph(text(words, *places[1:], ".")))
    return blocks


def _place(figure: Figure) -> Span:
    return code(f"figures/{figure.study}/{figure.name}.svg")


def _drawing(figure: Figure, run: Run) -> Drawing:
    svg = run.figures[figure.study, figure.name]
    width, height = size(svg, figure.name)
    return Drawing(svg, text(f"{figure.title}."), width > WIDE * height or width > BROAD, width, height)


def _unexplained(study: Study, lines: Iterable[Row]) -> list[Block]:
    """What differs or cannot be reproduced, with what is known about it."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for line in lines:
        if line["verdict"] in ("differs", "not reproducible"):
            groups.setdefault((line["verdict"], line["note"]), []).append(line)
    body = [
        plain(_tables_of(study, here), _quantities_of(here), f"{len(here)} {verdict}", note or UNKNOWN)
        for (verdict, note), here in groups.items()
    ]
    columns = [Column("table", LEFT, wide=2), Column("numbers", LEFT, wide=2), Column("verdict", LEFT)]
    columns += [Column("what is known", LEFT, wide=8)]
    told = "What stays unexplained, and what print does not determine."
    return [Grid(text(strong(told)), columns, body)] if body else []


def _readings(study: Study, lines: Sequence[Row], run: Run) -> list[Block]:
    """How the paper was read where it leaves a choice, and what becomes of other readings."""
    used: dict[str, list[Row]] = {}
    for line in lines:
        if line["reading"] not in (AS_WRITTEN, ""):
            used.setdefault(line["reading"], []).append(line)
    body = [plain(_tables_of(study, here), str(len(here)), reading) for reading, here in used.items()]
    columns = [Column("table", LEFT, wide=2), Column("numbers"), Column("read as", LEFT, wide=8)]
    about = " Numbers that were read in a way of their own, and what was settled by looking."
    caption = text(strong("Readings."), about)
    own = [Grid(caption, columns, body)] if body else []
    return [*own, *readings_in_full(study, run), *_multiverse(study, run)]


def _tables_of(study: Study, lines: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(called(study.tables[line["table"]]) for line in lines))


def _quantities_of(lines: Iterable[Row]) -> str:
    return ", ".join(dict.fromkeys(line["quantity"] for line in lines))


def _multiverse(study: Study, run: Run) -> list[Block]:
    """All declared readings, a line for each published quantity."""
    body = [
        plain(
            each.title,
            line["quantity"],
            line["readings"],
            rounded(line["default_distance"]),
            rounded(line["best_distance"]),
            rounded(line["luck"]),
            line["p_value"] and f"{float(line['p_value']):.2g}",
            rounded(line["distance_held_out"]),
        )
        for each in run.multiverses
        if each.study == study.name
        for line in run.summaries[each.study, each.name]
    ]
    if not body:
        return []
    caption = text(
        strong("All declared readings."),
        " Root mean square distances to print: of the reading that is judged, of the nearest, of the nearest of as "
        "many to shuffled print (p: the share of shuffles that come as near), and of readings that were chosen on the "
        "other half of the rows. ",
        code(f"multiverse/{study.name}/"),
    )
    numbers = ("readings", "as judged", "nearest", "nearest to shuffled", "p", "chosen on other rows")
    columns = [Column("table", LEFT, wide=1), Column("number", LEFT), *map(Column, numbers)]
    return [Grid(caption, columns, body)]


def _audit(study: Study, run: Run) -> list[Block]:
    """What the papers say about their own tables that their printed numbers do not bear out."""
    rows = [row for row in run.audit if row["table"] in study.published]
    failed = [row for row in rows if row["holds"] == "no"]
    if not rows:
        return []
    words = f" Of {len(rows)} that were checked on the printed numbers alone {len(failed)} do not hold."
    columns = [
        Column("claim", LEFT, wide=1),
        Column("table", LEFT),
        Column("what the printed numbers say", LEFT, wide=1),
    ]
    body = [plain(row["claim"], row["table"], row["detail"]) for row in failed]
    caption = text(strong("Claims of the papers about their own tables."), words)
    return [Grid(caption, columns, body)] if failed else [Paragraph(caption)]
