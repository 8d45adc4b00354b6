"""Two files side by side: every measure that applies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sdclab import measures
from sdclab.base.errors import SdclabError, reason
from sdclab.experiment.scenario import Scenario
from sdclab.measures import MEASURES
from sdclab.microdata.pairing import Pair

FIRST = "score"
"""It tells PIL, DR and their parts as well, which are then not measured again."""


@dataclass
class Comparison:
    """What was measured, measure by measure, and why some were not."""

    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)


def compare(pair: Pair, names: Sequence[str] = (), say: Callable[[str], None] = lambda name: None) -> Comparison:
    """The measures asked for, or all of them, each with its default options; `say` hears the name of each."""
    for name in names:
        MEASURES.module(name)
    original, independent = Scenario.of_file(pair.roles.dependent, pair.roles.independent).split(pair.original)
    released = pair.released.select(pair.roles.dependent, pair.released.name)
    found = Comparison()
    for name in names or sorted(MEASURES, key=lambda name: (name != FIRST, name)):
        if not names and any(name in numbers for numbers in found.numbers.values()):
            continue
        say(name)
        try:
            found.numbers[name] = measures.measure(name, original, released, independent, {}, pair.attributes)
        except Exception as error:
            found.reasons[name] = reason(error)
    if not found.numbers:
        raise SdclabError(" ".join(found.reasons.values()))
    return found
