"""What the package pyarrow is given to read."""

from importlib import import_module
from typing import Any


def owned(content: bytes, begin: int = 0) -> Any:
    """A reader of a copy in Arrow's own memory.

    Arrow's threads let go of what they have read in their own time. Memory of Python's they can let go of only through
    the interpreter, and a process that is just ending is aborted for that (apache/arrow, issue 34314).
    """
    arrow = import_module("pyarrow")
    copy = arrow.allocate_buffer(len(content) - begin)
    with arrow.FixedSizeBufferWriter(copy) as writer:
        writer.write(memoryview(content)[begin:])
    return arrow.BufferReader(copy)
