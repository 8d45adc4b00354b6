"""What methods, measures and plots say about themselves, beside the code that it is about.

A parameter is documented in its signature, `k: Annotated[int, Doc("records in a cluster, at least")] = 3`; a measure
declares the numbers that it returns. Help, messages, tables in docs/, axes and headings all show these words.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Literal


@dataclass(frozen=True)
class Doc:
    """What a parameter means: half a sentence, without a full stop."""

    text: str


@dataclass(frozen=True)
class OptionsOf(Doc):
    """Of a parameter that holds the options of another method, measure or plot, which are checked with it."""

    name: str

    def __init__(self, name: str) -> None:
        super().__init__(f"options of {name}")
        object.__setattr__(self, "name", name)


class Given:
    """Marks a parameter that the caller fills in, as the types of the columns: it is none of the user's."""


@dataclass(frozen=True)
class Number:
    """A number that a measure returns. One that is not defined for some files is NaN there."""

    label: str
    measures: Literal["loss", "risk", "loss and risk", "fact"] = "fact"
    low: float = -inf
    high: float = inf
    unit: str = ""
    better: Literal["less", "more"] | None = None
    sized: bool = False
    """whether it hangs on how many records there are: of a sample it is what so short a file has"""

    @property
    def axis(self) -> str:
        """The label of an axis: what it shows, in which unit or between which ends."""
        ends = f"{self.low:g}–{self.high:g}" if isfinite(self.low) and isfinite(self.high) else ""
        about = " ".join(filter(None, [ends, self.unit]))
        return f"{self.label} ({about})" if about else self.label

    @property
    def aim(self) -> str:
        """Which way is better, in words; nothing for a fact."""
        good = {"loss": "more useful", "risk": "safer"}.get(self.measures, "better")
        return f"{self.better} is {good}" if self.better else ""

    @property
    def sentence(self) -> str:
        """All of it: for an axis with room, or a heading that is pointed at."""
        return "; ".join(filter(None, [self.axis, self.aim]))


def described(name: str, numbers: Mapping[str, Number]) -> Number | None:
    """The declaration of a number, if there is one.

    Where names depend on options, a key ends in `*`, which stands for the rest of the name, also in the label.
    """
    if name in numbers:
        return numbers[name]
    fit = [key for key in numbers if key.endswith("*") and name.startswith(key[:-1])]
    if not fit:
        return None
    key = max(fit, key=len)
    number = numbers[key]
    return replace(number, label=number.label.replace("*", name[len(key) - 1 :]))
