"""All readings of a study's published tables: how near they come, what decides, and how lucky the nearest one is."""

from collections.abc import Sequence

from sdclab.evidence.multiverse import SHOWN, sentence
from sdclab.experiment.multiverse import Multiverse
from sdclab.experiment.study import Figure, Study
from sdclab.output.pages.figures import inline
from sdclab.output.pages.markup import Html, joined, number, scrolling, table, tag
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.tables import folded, rounded

ABOUT = (
    "A choice that the paper leaves open is an axis; a reading has one option of each. Distances are root mean "
    "square errors over the published rows. An asterisk marks what was thought of after seeing the published numbers. "
)


def readings(study: Study, run: Run) -> list[Html]:
    """A folded part for every multiverse that the run has gone through."""
    return [_part(each, run) for each in run.multiverses if each.study == study.name]


def _part(multiverse: Multiverse, run: Run) -> Html:
    name = (multiverse.study, multiverse.name)
    summary, nearest, axes = (found[name] for found in (run.summaries, run.readings, run.axes))
    file = tag("code", f"multiverse/{multiverse.study}/{multiverse.name}/")
    parts: list[object] = [tag("p", ABOUT, file, class_="about")]
    for line in summary:
        quantity = line["quantity"]
        parts += [tag("h4", quantity), tag("p", sentence(line))]
        parts.append(_deciding([row for row in axes if row["quantity"] == quantity], quantity))
        parts.append(_nearest([row for row in nearest if row["quantity"] == quantity], axes, quantity))
    drawn = [_curve(figure, run.curves[figure.study, figure.name]) for figure in run.curves_of(multiverse)]
    parts.append(tag("div", *drawn, class_="figures"))
    count = sum(int(line["readings"]) for line in summary)
    title = f"Readings of {multiverse.title}"
    return folded(title, count, joined(parts), id=f"readings-{'-'.join(name)}", of="readings")


def _deciding(lines: Sequence[Row], quantity: str) -> Html:
    """What decides, the most first, and how near the readings with each option come."""
    by_axis: dict[str, list[Row]] = {}
    for line in lines:
        by_axis.setdefault(line["axis"], []).append(line)
    ordered = sorted(by_axis.values(), key=lambda rows: -float(rows[0]["decides"]))
    body = [
        [
            rows[0]["axis"],
            number(f"{100 * float(rows[0]['decides']):.0f} %"),
            tag("td", ", ".join(map(_option, rows)), class_="text"),
            tag("td", rows[0]["open"], class_="text"),
        ]
        for rows in ordered
    ]
    head = ["axis", number("decides", "th"), "nearest with each option", "what leaves it open"]
    return table(head, body, f"What decides {quantity}")


def _option(line: Row) -> str:
    return f"{line['option']}{'*' if line['after'] else ''} {float(line['least']):.3g}"


def _nearest(lines: Sequence[Row], axes: Sequence[Row], quantity: str) -> Html:
    names = list(dict.fromkeys(row["axis"] for row in axes if row["quantity"] == quantity))
    body = [[number(rounded(line["distance"])), *(line[name] for name in names)] for line in lines[:SHOWN]]
    return table([number("distance", "th"), *names], body, f"The nearest readings of {quantity}")


def _curve(figure: Figure, svg: str) -> Html:
    name = f"readings-{figure.study}-{figure.name}"
    drawn, wide = inline(svg, name, figure.title)
    return tag(
        "figure",
        scrolling(drawn, figure.title),
        tag("figcaption", figure.title),
        id=f"figure-{name}",
        class_="wide" if wide else None,
    )
