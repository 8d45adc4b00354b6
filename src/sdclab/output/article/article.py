"""The whole article: every number in it is counted, or read from a file of the results."""

from collections.abc import Iterable, Sequence

from sdclab import measures
from sdclab.evidence.scorecard import HOLDS, MEANINGS, NOT_RUN, held_out_words, shown
from sdclab.experiment.study import Study
from sdclab.output.article import study as of_a_study
from sdclab.output.article.blocks import (
    LEFT,
    Article,
    Bar,
    Bars,
    Block,
    Column,
    Entry,
    Grid,
    Items,
    Paragraph,
    Section,
    Share,
    Text,
    code,
    plain,
    strong,
    symbol,
    text,
)
from sdclab.output.article.references import Citation
from sdclab.output.pages.run import Row, Run
from sdclab.output.pages.verdicts import counts, weak

TITLE = "[Re] Statistical disclosure control: published results computed again"
JUDGED = (*HOLDS, "differs")
"""The verdicts on numbers that could be judged."""

KINDS = {
    "original": "the published file, known by its fingerprint",
    "replica": "synthetic, made from the original by this project’s own local synthesis and shipped with it",
    "stand-in": "generated, or a file cut short, because the original was never published or cannot be had",
    "own": "a file of the user’s",
}
"""What the kinds of data are."""

LABELS = {"abstract": "Abstract", "references": "References"}


def article(run: Run, citation: Citation) -> Article:
    """What a run has to say to a reader of journals; the same for the same results."""
    papers = [study for study in run.studies if study.published]
    sections = [
        _at_a_glance(papers, run),
        *(of_a_study.section(study, run, citation) for study in run.studies),
        _data(run),
        _limits(run),
        _again(run, citation),
    ]
    return Article(
        title=TITLE,
        authors=", ".join(citation.software.families),
        about=_about(run, citation),
        notices=_notices(run),
        running=_running(run),
        abstract=_abstract(papers, run, citation),
        sections=sections,
        references=[Entry(name, each.full) for name, each in citation.references.items()],
        labels=LABELS,
    )


def _about(run: Run, citation: Citation) -> list[tuple[str, str]]:
    kinds = dict.fromkeys(fact["kind"] for fact in run.datasets)
    datasets = {kind: [fact["name"] for fact in run.datasets if fact["kind"] == kind] for kind in kinds}
    data = [(f"Data, {kind}", ", ".join(names)) for kind, names in datasets.items()]
    code_ = (("Software", citation.software.title), ("Version", citation.version), ("Licence", citation.licence))
    return [each for each in (*code_, *data) if each[1]]


def _notices(run: Run) -> list[Text]:
    """What limits all that follows: a thinned run, and data that are not the originals."""
    here, notices = counts(run.scorecard), []
    if here[NOT_RUN]:
        words = f" The grids were cut, {here[NOT_RUN]} published numbers were left out, and no number is for quoting."
        notices.append(text(strong("This is a thinned run."), words))
    replicas = [fact["name"] for fact in run.datasets if fact["kind"] == "replica"]
    if replicas:
        notices.append(_on_replicas(replicas, run.scorecard))
    return notices


def _on_replicas(names: Sequence[str], scorecard: Sequence[Row]) -> Text:
    made = [row for row in scorecard if row["dataset_kind"] == "replica"]
    judged = sum(row["verdict"] in JUDGED for row in made)
    elsewhere = sum(row["verdict"] in JUDGED for row in scorecard) - judged
    words = f" The originals of {', '.join(names)} were not at hand; {len(made)} published numbers stand beside what "
    words += "synthetic replicas give, to show that everything runs."
    if judged:
        head = f"{judged} numbers are judged on replicas, because their study says so."
    else:
        head = "Nothing is judged on replicas." if elsewhere else "Nothing is judged."
    if elsewhere:
        words += f" The {elsewhere} numbers that are judged were made from other data."
    return text(strong(head), words)


def _running(run: Run) -> str:
    return "thinned run, not for quoting" if counts(run.scorecard)[NOT_RUN] else ""


def _abstract(papers: Sequence[Study], run: Run, citation: Citation) -> Text:
    here = counts(run.scorecard)
    judged, held = sum(here[verdict] for verdict in JUDGED), sum(here[verdict] for verdict in HOLDS)
    works = sum(len(study.papers) for study in papers)
    words = [
        f"{len(run.scorecard)} numbers that {works} works on statistical disclosure control print were computed again, "
        f"from the data up, in {len(papers)} studies.",
        f"{judged} of them could be judged, by bounds that were fixed beforehand: {held} hold ({here['exact']} in "
        f"every printed digit, {here['close']} inside a tolerance, {here['trend']} in their order) and "
        f"{here['differs']} differ.",
        f"{here['not reproducible']} more are not determined by what is printed, and {here['not judged']} could not be "
        "judged on the data at hand.",
    ]
    if few := weak(run.scorecard):
        words.append(
            f"Of those that hold {few} are weak evidence: half of the wrong answers, or more, would hold, too."
        )
    words.append(held_out_words((row["verdict"], row["held_out_verdict"]) for row in run.scorecard))
    failed = sum(row["holds"] == "no" for row in run.audit)
    if run.audit:
        words.append(
            f"Of {len(run.audit)} claims that the papers make about their own tables {failed} are not borne out by the "
            "printed numbers."
        )
    own = [study.title for study in run.studies if not study.published]
    if own:
        words.append(f"Beside the replications stands what was not published: {'; '.join(own)}.")
    words.append(f"Every number and figure of this article was taken from the results of one run of {_name(citation)}.")
    return text(" ".join(filter(None, words)))


def _name(citation: Citation) -> str:
    """The software without its subtitle, and its version."""
    return " ".join(filter(None, [citation.software.title.partition(":")[0], citation.version]))


def _at_a_glance(papers: Sequence[Study], run: Run) -> Section:
    verdicts = shown(counts(run.scorecard))
    lines = {study.title: [row for row in run.scorecard if row["study"] == study.name] for study in papers}
    bars = [
        Bar(title, [Share(verdict, counts(rows)[verdict]) for verdict in verdicts]) for title, rows in lines.items()
    ]
    rows = []
    for title, here in [*lines.items(), ("all", run.scorecard)]:
        found = counts(here)
        rows.append(plain(title, *(str(found[verdict] or "") for verdict in verdicts), str(weak(here) or "")))
    columns = [Column("study", LEFT, wide=1), *map(Column, verdicts), Column("weak")]
    legend = [[symbol(verdict), *plain(verdict, MEANINGS[verdict])] for verdict in verdicts]
    about = (
        "A published number is judged by a rule and a bound that its study declares before the run. Ours is a mean "
        "over replicates and stands with their standard deviation. Beside a verdict stands how weak a test it has "
        "passed: wrong answers to a number are ours for the other rows of its column, wrong orders are our column "
        "shuffled, and where half of them or more would hold, too, the number counts as weak."
    )
    return Section(
        "What was reproduced",
        [
            Bars(bars),
            Grid(text(strong("Verdicts by study.")), columns, rows),
            Paragraph(text(about)),
            Grid(text(strong("The verdicts.")), [Column("", LEFT), Column("", LEFT), Column("", LEFT, wide=1)], legend),
            *_names(run),
        ],
    )


def _names(run: Run) -> list[Block]:
    """What the names over columns of numbers mean."""
    tables = [spec for study in run.studies for spec in study.tables.values() if spec.in_judgement or spec.question]
    names = dict.fromkeys(quantity for spec in tables for quantity in spec.quantities)
    told = {name: measures.number(name) for name in names}
    parts = [
        part for name, number in told.items() if number.label != name for part in ("; ", code(name), f" {number.label}")
    ]
    return [Paragraph(text("Names over columns: ", *parts[1:], "."))] if parts else []


def _data(run: Run) -> Section:
    present = dict.fromkeys(fact["kind"] for fact in run.datasets)
    kinds = [text(strong(kind), f": {KINDS[kind]}.") for kind in present]
    columns = [Column("dataset", LEFT), Column("kind", LEFT), Column("records"), Column("columns")]
    columns += [Column("made from", LEFT, wide=1), Column("fingerprint", LEFT)]
    rows = [
        plain(
            fact["name"],
            fact["kind"],
            str(fact["rows"]),
            str(len(fact["columns"])),
            fact["source"],
            fact["fingerprint"][:SHOWN_OF_A_FINGERPRINT],
        )
        for fact in run.datasets
    ]
    words = (
        "Every row of every table carries the kind of its data. Published numbers are judged on originals, unless a "
        "study says otherwise, and why."
    )
    whole = text(strong("Datasets."), " Of each fingerprint the first digits; all of it: ", code("data/"), ".")
    return Section("Data", [Paragraph(text(words)), Items(kinds), Grid(whole, columns, rows)])


SHOWN_OF_A_FINGERPRINT = 16


def _limits(run: Run) -> Section:
    return Section("Limits", [Items(list(_each_limit(run)))])


def _each_limit(run: Run) -> Iterable[Text]:
    here = counts(run.scorecard)
    if here[NOT_RUN]:
        words = f"The grids of this run were thinned: {here[NOT_RUN]} numbers were left out, and what stands in the "
        yield text(words, "tables has fewer replicates, and fewer records, than it needs.")
    if few := weak(run.scorecard):
        held = sum(here[verdict] for verdict in HOLDS)
        words = f"{few} of the {held} numbers that hold have passed a test that most wrong answers would pass, too: "
        yield text(words, "that they agree says little.")
    if seen := sum("chosen" in row["reading"] for row in run.scorecard):
        words = f"{seen} numbers are read in a way that was chosen after seeing print; the scorecard says which way."
        yield text(words)
    if run.multiverses:
        words = (
            "Readings that nobody thought of are in no table of readings. The nearest of many is also the luckiest, "
        )
        yield text(words, "which is why it stands beside the nearest to shuffled print.")
    else:
        words = "Only the readings in the tables were tried; all that are declared are gone through by "
        yield text(words, code("make multiverse"), ".")
    others = [f"{fact['name']} ({fact['kind']})" for fact in run.datasets if fact["kind"] not in ("original", "own")]
    if others:
        yield text(f"Not the original data: {', '.join(others)}.")
    if here["not judged"]:
        words = f"{here['not judged']} numbers were not judged: their data are not the original, or one replicate has "
        yield text(words, "no spread.")
    words = "Where rounding decides, as with singular matrices, the last digits are those of the processor, which is "
    yield text(words, "named below.")
    yield text("Figures that draw single records are made for the owner of the data and are not shown.")


def _again(run: Run, citation: Citation) -> Section:
    words = text(
        "All of this is made by one command, ",
        code("make reproduce"),
        ", in the folder of the software; the same seeds give the same bytes. The numbers of this article are in ",
        code("scorecard.csv"),
        ", ",
        code("audit.csv"),
        ", ",
        code("tables/"),
        " and ",
        code("cells/"),
        " of the results, with the data’s fingerprint, the seed and the version of the code in every row. "
        f"Cite as: {citation.software.full}",
    )
    return Section("How to run it again", [Paragraph(words), Items([text(code(line)) for line in run.versions])])
