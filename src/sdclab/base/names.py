"""Lists of names as the command line has them: separated by commas, quoted as in CSV where a name needs it."""

import re
from collections.abc import Sequence

from sdclab.base.errors import SdclabError, shortened

NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(?:,|$)')
"""One name of a list: in quotes, where two of them are one, or bare."""


def names_of(text: str) -> tuple[str, ...]:
    """The names of a list, `"income, EUR",tax`."""
    names, end = [], 0
    while end < len(text):
        found = NAME.match(text, end)
        if found is None:
            raise SdclabError(
                f"the list of names {shortened(text)} cannot be read; a name with a comma or a quote stands in "
                'double quotes, and a quote in it is written twice: "income, EUR",tax.'
            )
        quoted, bare = found.groups()
        names.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        end = found.end()
    return tuple(name for name in names if name)


def written(names: Sequence[str]) -> str:
    """A list of names that `names_of` reads again."""
    return ",".join(map(_quoted, names))


def _quoted(name: str) -> str:
    """A name in quotes if it needs them; one that begins with a dash would be taken for an option."""
    if name == name.strip() and not name.startswith("-") and not set(name) & set(',"'):
        return name
    return '"' + name.replace('"', '""') + '"'
