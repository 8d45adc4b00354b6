"""The tables of docs/methods.md and docs/measures.md, written from what methods and measures declare of themselves.

    python -m sdclab.output.reference docs/methods.md docs/measures.md

writes each table anew between its two marks, `<!-- parameters of methods -->` and `<!-- end -->`.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path

from sdclab.base import files
from sdclab.base.describe import Number
from sdclab.base.registry import Parameter, Registry
from sdclab.measures import MEASURES, numbers
from sdclab.methods import METHODS, promised

NUMBERS = ("measure", "number", "what it is", "measures", "range", "unit", "better is")
MARKED = re.compile(r"(<!-- ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str) -> str:
    """A page with all its tables as they are declared now."""
    return MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", page)


def _parameters(registry: Registry, parameter: str) -> str:
    head = (registry.what, parameter, "default", "may be", "meaning")
    return _table(head, (line for name in registry.present for line in _lines(registry, name)))


def table_of_parameters(registry: Registry, name: str, parameter: str) -> str:
    """The parameters of one method or measure alone."""
    lines = [line[1:] for line in _lines(registry, name)]
    return _table((parameter, "default", "may be", "meaning"), lines) if lines else "None.\n"


def table_of_numbers(measure: str) -> str:
    """The numbers of one measure alone."""
    declared = numbers(measure).items()
    return _table(NUMBERS[1:], (_number(measure, name, number)[1:] for name, number in declared))


def _lines(registry: Registry, name: str) -> Iterator[Sequence[str]]:
    for parameter in registry.parameters(name).values():
        yield f"`{name}`", f"`{parameter.name}`", _default(parameter), parameter.allowed, parameter.meaning


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "required"
    if parameter.default is None:
        return "none"
    return f"`{parameter.default if isinstance(parameter.default, str) else json.dumps(parameter.default)}`"


def _numbers() -> str:
    """Every number at the measure that returns the fewest beside it: `score` returns those of `pil` and `dr`, too."""
    measure_of: dict[str, str] = {}
    for measure in sorted(MEASURES.present, key=lambda name: len(numbers(name))):
        for name in numbers(measure):
            measure_of.setdefault(name, measure)
    ordered = sorted(measure_of, key=lambda name: measure_of[name])
    return _table(NUMBERS, (_number(measure_of[name], name, numbers(measure_of[name])[name]) for name in ordered))


def _number(measure: str, name: str, number: Number) -> Sequence[str]:
    ends = f"{number.low:g} to {number.high:g}" if isfinite(number.high) else f"{number.low:g} or more"
    return f"`{measure}`", f"`{name}`", number.label, number.measures, ends, number.unit, number.better or ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _methods() -> str:
    head = ("method", "what it releases", "what it keeps")
    return _table(head, ((f"`{name}`", *promised(name)) for name in METHODS.present))


TABLES = {
    "methods": _methods,
    "parameters of methods": lambda: _parameters(METHODS, "parameter"),
    "options of measures": lambda: _parameters(MEASURES, "option"),
    "numbers of measures": _numbers,
}

if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        files.write(path, filled(path.read_text(encoding="utf-8")))
