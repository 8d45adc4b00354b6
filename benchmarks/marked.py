"""Tables in docs/ that a benchmark makes: between two marks, so that they can be made anew."""

import re
from collections.abc import Iterable
from pathlib import Path

from sdclab.base.files import read, write


def put(path: Path, mark: str, lines: Iterable[str]) -> None:
    """Print the lines as they come, then put them between the marks, in the place of what was there."""
    begin, end = (f"<!-- {mark}: {side} -->" for side in ("begin", "end"))
    made = [begin]
    for line in lines:
        print(line, flush=True)
        made.append(line)
    text = "\n".join([*made, end])
    write(path, re.sub(f"{begin}.*{end}", lambda _: text, read(path).decode(), flags=re.DOTALL))
