"""Half-splits: a method run again on half of the records, so that the other half is known to be outside its release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from sdclab import measures
from sdclab.experiment.protection import protected
from sdclab.experiment.scenario import Split
from sdclab.measures import MEASURES, Control, Rerun
from sdclab.microdata.attribute import Attributes
from sdclab.microdata.rules import Rules
from sdclab.numerics.arrays import Matrix
from sdclab.numerics.seeds import seed_of, stream


@dataclass(frozen=True)
class Half:
    """The half that a release was made from, the release, and the other half."""

    inside: Split
    released: Matrix
    outside: Split


@dataclass(frozen=True)
class Halves:
    """Half-splits of some records under one method, each from a random stream of its own."""

    method: str
    parameters: Mapping[str, object]
    split: Split = field(repr=False)
    attributes: Attributes | None
    seed: int
    rules: Rules | None = None

    def half(self, number: int) -> Half:
        dependent, independent = self.split
        rng = stream(seed_of("half", self.seed, number))
        order = rng.permutation(len(dependent))
        ours, theirs = order[: (len(order) + 1) // 2], order[(len(order) + 1) // 2 :]
        inside, outside = ((dependent[rows], independent[rows]) for rows in (ours, theirs))
        made = protected(self.method, inside, rng, self.parameters, self.attributes, self.rules)
        return Half(inside, made.values, outside)

    @cached_property
    def first(self) -> Half:
        return self.half(0)

    def reruns(self, splits: int) -> Iterator[Rerun]:
        """So many half-splits, their dependents alone; none is made before it is asked for."""
        for number in range(splits):
            each = self.first if number == 0 else self.half(number)
            yield Rerun(each.inside[0], each.outside[0], each.released)

    def measured(self, name: str, options: Mapping[str, object]) -> dict[str, float]:
        """What a measure says that needs a control or reruns: of the first half-split, or of several."""
        half = self.first
        inside, independent = half.inside
        reruns = self.reruns if MEASURES.asks_for(name, "reruns") else None
        control = Control(*half.outside)
        files = (inside, half.released, independent)
        return measures.measure(name, *files, options, self.attributes, control, reruns, self.rules)


def needs_halves(name: str) -> bool:
    """Whether a measure needs more than an original and its release."""
    return MEASURES.asks_for(name, "control") or MEASURES.asks_for(name, "reruns")
