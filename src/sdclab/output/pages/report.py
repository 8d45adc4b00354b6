"""The report of a run: one page that says what was reproduced, and shows it."""

from collections.abc import Sequence
from string import Template

from sdclab.evidence.scorecard import HOLDS, NOT_RUN, held_out_words, shown
from sdclab.experiment.study import Study
from sdclab.output.pages.figures import figure
from sdclab.output.pages.glance import glance, printed, strips, strongest
from sdclab.output.pages.markup import Html, asset, document, joined, number, table, tag
from sdclab.output.pages.overview import PLACE, TITLE, overview
from sdclab.output.pages.ranking import lead, publishes_nothing, ranking
from sdclab.output.pages.readings import readings
from sdclab.output.pages.run import Cost, Run
from sdclab.output.pages.scorecard import scorecard
from sdclab.output.pages.tables import findings, plain, side_by_side
from sdclab.output.pages.verdicts import badge, bars, counts, tally, weak, widths

OWNER = {
    "data/": "the prepared datasets: records, not to be passed on without thought",
    "cells/": "one row a replicate of every cell: measures, seeds and provenance, no records",
    "tables/, sensitivity/": "the tables of this page",
    "multiverse/": "all readings of the published tables, if `make multiverse` was run: aggregates only",
    "figures/": "the figures; those that draw single records are named on this page but not shown",
    "scorecard.csv, audit.csv, summary.txt": "the verdicts and the audit",
    "report/": "this page and the explorer: aggregates only",
    "article.pdf": "the run as an article for print, if it reproduces papers: aggregates only",
    "checksums/": "what every job was told, as a fingerprint, and the SHA-256 of the files that it made",
}
ABOUT = ("title", "licence", "obtain")
RELEASE = {"protected/": "protected files, if a run writes any: the only folder that is meant for release"}


ABOUT_PAPERS = "Published results on statistical disclosure control, computed again and compared number by number."
ABOUT_OWN = "What methods of statistical disclosure control lose and give away on a file of one's own."


def page(run: Run) -> str:
    """The whole page. For the same files it is the same text; only the section on run time follows the clock."""
    papers = [study for study in run.studies if not publishes_nothing(study)]
    every = overview(run)
    shared = [_section(PLACE, TITLE, every)] if every else []
    audit = [_section("audit", "The papers against their own tables", _audit(run))] if run.audit else []
    sections = [
        _headline(papers, run) if papers else _section("headline", "What does best", lead(run.studies, run)),
        *shared,
        *(_study(study, run) for study in run.studies),
        *audit,
        _section("data", "Data", _data(run)),
        _section("folders", "Which file is for whom", _folders()),
        _section("versions", "Versions", _versions(run.versions)),
        _section("run-time", "Run time", _costs(run.costs)),
    ]
    places = {
        "about": ABOUT_PAPERS if papers else ABOUT_OWN,
        "contents": _contents(run, bool(every)),
        "sections": joined(sections),
    }
    body = Html(Template(asset("report.html")).substitute(places))
    title = "sdclab: what was reproduced" if papers else "sdclab: what does best"
    script = asset("map.js") + asset("report.js") + (asset("chart.js") if shared else "")
    style = widths(run.scorecard) + strips(printed(run))
    return document(title, body, script=script, style=style, class_="railed")


def _section(name: str, title: str, *content: object) -> Html:
    return tag("section", tag("h2", title), *content, id=name)


def _contents(run: Run, shared: bool) -> Html:
    places = {"headline": "What was reproduced" if run.scorecard else "What does best"}
    places |= {PLACE: TITLE} if shared else {}
    places |= {study.name: study.title for study in run.studies}
    places |= {"audit": "Audit"} if run.audit else {}
    places |= {"data": "Data", "folders": "Files", "versions": "Versions", "run-time": "Run time"}
    return tag("ul", *(tag("li", tag("a", title, href=f"#{name}")) for name, title in places.items()))


def _headline(papers: Sequence[Study], run: Run) -> Html:
    here = counts(run.scorecard)
    held = sum(here[verdict] for verdict in HOLDS)
    judged = held + here["differs"]
    words = f"Of {len(run.scorecard)} published numbers, {judged} could be judged here, and {held} of these hold."
    if few := weak(run.scorecard):
        words += f" {few} of them are weak: half of the wrong answers or more would hold, too."
    if said := held_out_words((row["verdict"], row["held_out_verdict"]) for row in run.scorecard):
        words += f" {said}"
    if here[NOT_RUN]:
        words += f" This is a thinned run: {here[NOT_RUN]} of them were left out, and none is for quoting."
    failed = sum(row["holds"] == "no" for row in run.audit)
    audit = f"{failed} of {len(run.audit)} claims that the papers make about their own tables do not hold."
    others = [fact for fact in run.datasets if fact["kind"] not in ("original", "own")]
    warning = ", ".join(f"{fact['name']} ({fact['kind']})" for fact in others)
    said = f"Not the original data: {warning}. What was made from them is not judged, unless the study says otherwise."
    note = tag("p", said, class_="note")
    lines = tag("p", words, f" {audit}" if run.audit else "", class_="lead")
    tables = printed(run)
    looks = [tag("h3", "Every published table at a glance"), glance(tables)]
    warned = note if others else ""
    parts = [lines, warned, strongest(tables, run), bars(run.scorecard), _by_study(papers, run), *looks]
    parts.append(scorecard(tables, run))
    return _section("headline", "What was reproduced", *parts)


def _by_study(papers: Sequence[Study], run: Run) -> Html:
    verdicts = shown(counts(run.scorecard))
    head = ["study", *(number(joined([badge(verdict), " ", verdict]), "th") for verdict in verdicts)]
    rows = []
    for study in papers:
        here = counts(row for row in run.scorecard if row["study"] == study.name)
        numbers = [number(here[verdict] or "") for verdict in verdicts]
        rows.append([tag("td", tag("a", study.title, href=f"#{study.name}"), class_="text"), *numbers])
    return table(head, rows, "Verdicts by study")


def _study(study: Study, run: Run) -> Html:
    lines = [row for row in run.scorecard if row["study"] == study.name]
    shown_first = sorted(study.figures.values(), key=lambda each: (each.study, each.name) not in run.figures)
    figures = [figure(each, run) for each in shown_first]
    tables = [side_by_side(table, run) for table in study.tables.values()]
    tables += [plain(each, run) for each in study.sensitivities.values()]
    tables += readings(study, run)
    shown = [tag("div", *figures, class_="figures"), *tables]
    if not publishes_nothing(study):
        shown = [tally(lines), *shown]
    elif len(study.scenarios) == 1:
        shown = [ranking(study, run), *shown]
    else:  # of several rankings none is what the study is about
        shown = [*shown, ranking(study, run)]
    return _section(study.name, study.title, *shown)


def _audit(run: Run) -> Html:
    intro = tag(
        "p",
        "What the papers say about their own tables, checked on the printed numbers alone. ",
        tag("code", "audit.csv"),
    )
    return joined([intro, findings(run.audit)])


def _data(run: Run) -> Html:
    head = ["dataset", "kind", number("records", "th"), "columns", "made from", "fingerprint (SHA-256)"]
    rows = [
        [
            tag("td", tag("strong", fact["name"]), *(tag("div", fact[key]) for key in ABOUT), class_="text"),
            fact["kind"],
            number(fact["rows"]),
            tag("td", " ".join(fact["columns"]), class_="text"),
            tag("td", fact["source"], class_="text"),
            tag("td", tag("code", fact["fingerprint"]), class_="print"),
        ]
        for fact in run.datasets
    ]
    kinds = "A replica is synthetic and comes with the project; a stand-in is generated, or a file cut short."
    words = f"{kinds} Nothing on this page is a record or a value of one."
    return joined([tag("p", words), table(head, rows, "Datasets")])


def _folders() -> Html:
    rows = [
        [tag("code", path), "the owner of the data", tag("td", what, class_="text")] for path, what in OWNER.items()
    ]
    rows += [[tag("code", path), "release", tag("td", what, class_="text")] for path, what in RELEASE.items()]
    return table(["in the results folder", "for", "what it holds"], rows, "Folders")


def _versions(versions: Sequence[str]) -> Html:
    return tag("ul", *(tag("li", tag("code", line)) for line in versions))


def _costs(costs: Sequence[Cost]) -> Html:
    """The one part of the page that differs between two runs of the same thing."""
    head = ["stage", *(number(name, "th") for name in ("jobs", "seconds in all", "largest memory, MB"))]
    rows = [
        [cost.stage, *(number(f"{value:,.0f}") for value in (cost.jobs, cost.seconds, cost.megabytes))]
        for cost in costs
    ]
    words = "As measured when each job last ran. This section is all that differs between two runs of the same thing."
    return joined([tag("p", words), table(head, rows, "Run time")])
