"""How a name in a config or on a command line becomes a function with checked parameters.

A registry finds the modules of its package by their presence: a file in the folder is an entry, unless its name begins
with an underscore. A module is imported when it is used, so a job pays only for what it runs. A function's keyword-only
arguments are its parameters: their names, types, defaults and meanings are read from the signature and documented
nowhere else.

Another installed package adds names by an entry point in the group called like the registry's package, for example
`sdclab.methods`, that names a module with the same function in it. It cannot replace a name that is here already.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from numbers import Real
from pkgutil import iter_modules
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from sdclab.base.describe import Doc, Given, OptionsOf
from sdclab.base.errors import SdclabError, reason, shortened, unknown

MAX_NUMBER = sys.float_info.max
"""A larger number, and one that is none, is no number to a method or measure."""

LISTS = (list, Sequence)


@dataclass(frozen=True)
class Parameter:
    """One keyword argument of a registered function."""

    name: str
    kind: Any
    default: Any
    meaning: str = ""
    options_of: str = ""
    """whose options it holds, if it does"""

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return _in_words(self.kind)

    def check(self, value: object, where: str) -> object:
        """The value in the declared type, or an error that says what is allowed."""
        try:
            return _converted(value, self.kind)
        except TypeError:
            must = ": ".join(filter(None, [self.allowed, self.meaning]))
            raise SdclabError(f"{where}: {self.name} is {shortened(repr(value))} but must be {must}.") from None


def _converted(value: object, kind: Any) -> object:
    """The value as the kind, or TypeError. A whole number will do for a number, but true and false are neither."""
    origin = get_origin(kind)
    if origin is UnionType:
        return _first_fit(value, get_args(kind))
    if origin in LISTS and isinstance(value, list):
        return [_converted(each, *get_args(kind)) for each in value]
    if origin is Literal:
        fits = value in get_args(kind)
    elif kind is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER
    elif kind is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    else:
        fits = isinstance(value, origin or kind) and origin not in LISTS  # to Python a text is a sequence, too
    if not fits:
        raise TypeError
    return float(value) if kind is float and isinstance(value, int) else value


def _first_fit(value: object, kinds: tuple[Any, ...]) -> object:
    for kind in kinds:
        try:
            return _converted(value, kind)
        except TypeError:
            continue
    raise TypeError


def _in_words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is UnionType:
        return " or ".join(map(_in_words, get_args(kind)))
    if get_origin(kind) in LISTS:
        return f"a list, each entry {_in_words(*get_args(kind))}"
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return names.get(kind, "empty" if kind is NoneType else "a mapping of options")


@cache
def _parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return {
        p.name: Parameter(p.name, _kind(hints[p.name]), p.default, *_said(hints[p.name]))
        for p in inspect.signature(function).parameters.values()
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not _is_given(hints[p.name])
    }


def _is_given(hint: Any) -> bool:
    return any(each is Given or isinstance(each, Given) for each in getattr(hint, "__metadata__", ()))


def _kind(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _said(hint: Any) -> tuple[str, str]:
    """What a parameter means, and whose options it holds, as it is said beside its type, if it is.

    What is said of a parameter comes after what is said of a type that it shares with others, and counts.
    """
    said = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Doc)]
    last = said[-1] if said else Doc("")
    return last.text, last.name if isinstance(last, OptionsOf) else ""


@cache
def _present(package: str) -> tuple[str, ...]:
    """The modules in a package's folder, none of them imported."""
    names = sorted(module.name for module in iter_modules(import_module(package).__path__))
    return tuple(name for name in names if name.isidentifier() and not name.startswith("_"))


@cache
def _entry_points(group: str) -> dict[str, str]:
    """Public name -> importable module, of all installed packages."""
    return {point.name: point.module for point in sorted(entry_points(group=group), key=lambda point: point.value)}


@dataclass(frozen=True)
class Registry:
    """Public names of one kind of thing (`method`, `measure`), and the package whose modules hold them."""

    what: str
    package: str
    function: str

    @property
    def present(self) -> tuple[str, ...]:
        """The names of what is in the package's folder."""
        return _present(self.package)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.present, *sorted(_entry_points(self.package))]))

    def spelled(self, name: str) -> str:
        """The public name behind what somebody typed, who may write hyphens for underscores."""
        plain = name.replace("-", "_")
        return plain if plain in self and name not in self else name

    def module(self, name: str, where: str = "") -> str:
        """The importable name of the module behind a public name."""
        if name in self.present:
            return f"{self.package}.{name}"
        if name not in _entry_points(self.package):
            raise unknown(self.what, name, self, where)
        return _entry_points(self.package)[name]

    def load(self, name: str) -> ModuleType:
        """The module behind a public name, imported."""
        module = self.module(name)
        try:
            loaded = import_module(module)
        except Exception as error:  # whatever somebody's code does wrong when it is imported
            why = type(error).__name__
            raise SdclabError(f"{self.what} {name}: {module} cannot be imported ({why}).") from error
        if not callable(getattr(loaded, self.function, None)):
            raise SdclabError(f"{self.what} {name}: {module} has no function {self.function}.")
        return loaded

    def declared(self, name: str, constant: str, default: Any) -> Any:
        """What a module declares under an agreed name, or else the default."""
        return getattr(self.load(name), constant, default)

    def get(self, name: str) -> Callable[..., Any]:
        """The function behind a public name."""
        return getattr(self.load(name), self.function)

    def called(self, name: str, *arguments: Any, **parameters: Any) -> Any:
        """What the function returns. An error names it, and of one that it did not foresee only the kind is told."""
        function = self.get(name)
        try:
            return function(*arguments, **parameters)
        except (Exception, SystemExit) as error:
            if isinstance(error, SdclabError) and str(error).startswith(f"{self.what} "):
                raise
            raise SdclabError(f"{self.what} {name}: {reason(error)}") from error

    def summary(self, name: str) -> str:
        """What its module says about it in a line."""
        return (self.load(name).__doc__ or "").strip().partition("\n")[0]

    def parameters(self, name: str) -> dict[str, Parameter]:
        """What the function can be told, in the order of its signature."""
        function = self.get(name)
        try:
            return _parameters(function)
        except Exception:  # somebody's signature
            raise SdclabError(f"{self.what} {name}: not every parameter of its function has a type.") from None

    def asks_for(self, name: str, given: str) -> bool:
        """Whether the function has a parameter of this name that the caller fills in."""
        hint = get_type_hints(self.get(name), include_extras=True).get(given)
        return hint is not None and _is_given(hint)

    def checked(self, name: str, given: Mapping[str, object], where: str = "") -> dict[str, Any]:
        """The given parameters in their declared types; unknown, missing and ill-typed ones are refused."""
        self.module(name, where)
        place = f"{where}: {self.what} {name}" if where else f"{self.what} {name}"
        declared = self.parameters(name)
        for key in given:
            if key not in declared:
                if not declared:
                    raise SdclabError(f"{place} takes no parameters, but {key} was given.")
                raise unknown("parameter", key, declared, place)
        for key, parameter in declared.items():
            if parameter.required and key not in given:
                raise SdclabError(f"{place} needs the parameter {': '.join(filter(None, [key, parameter.meaning]))}.")
        return {key: self._checked(declared[key], value, place) for key, value in given.items()}

    def _checked(self, parameter: Parameter, value: object, place: str) -> object:
        value = parameter.check(value, place)
        if parameter.options_of and isinstance(value, Mapping):
            return self.checked(parameter.options_of, value, place)
        return value


def check_numbers(found: object, where: str) -> None:
    """Refuse what is not a mapping of names to numbers: they become columns of results. NaN is a number not defined."""
    if not isinstance(found, Mapping):
        raise SdclabError(f"{where} is a {type(found).__name__} but must be a mapping of names to numbers.")
    for name, value in found.items():
        if not (isinstance(name, str) and name.isidentifier()):
            raise SdclabError(f"{where} has a name that is not made of letters, digits and underscores.")
        if not isinstance(value, Real) or isinstance(value, bool):
            raise SdclabError(f"{where} has a {type(value).__name__} for {name} but must have a number.")
