"""The measures of a scenario with their options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Options = Mapping[str, Any]


@dataclass(frozen=True)
class MeasuresByKind:
    """The measures of a scenario with their options, for any data and for the original."""

    always: Mapping[str, Options]
    on_original: Mapping[str, Options]

    def of(self, kind: str) -> Mapping[str, Options]:
        return self.on_original if kind == "original" else self.always

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.always, *self.on_original]))


def changed(base: Options, path: Sequence[str], value: Any) -> dict[str, Any]:
    """Options with the one at a path changed."""
    first, *rest = path
    return {**base, first: changed(base.get(first, {}), rest, value) if rest else value}
