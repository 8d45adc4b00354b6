"""The command `sdclab`."""

import argparse
import io
import os
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType

from sdclab import __version__
from sdclab.base.errors import SdclabError, place, printable
from sdclab.base.files import why

# before numpy is imported: sums are rounded alike on any number of cores, so the same seed gives the same bytes
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

VERBS = {
    "data": "list every dataset: kind, source, size, fingerprint, licence",
    "describe": "say what a file holds, column by column",
    "protect": "protect a file by a method",
    "measure": "compare a protected file with its original",
    "check-release": "say whether a protected file keeps limits: a gate",
    "map": "try every method on a file and say which does best",
    "check": "compare a scorecard with the numbers that are expected",
    "verify": "compare a folder of results with its crate, file by file",
}
"""Each a module of this package: `add_arguments(parser, arguments)` says what it takes, `run(options)` does it.

It may return an exit code; a hyphen is an underscore in the module's name.
"""


def module_of(verb: str) -> str:
    return f"sdclab.cli.{verb.replace('-', '_')}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; whatever ends it is one sentence on standard error and an exit code.

    0: done; 1: a limit that is not kept, a defect of sdclab, or too little memory; 2: bad input, or output that cannot
    be written; 130: Ctrl-C.
    """
    _tolerant_streams()
    if arguments is None:
        _behave_as_a_program()
    code = 0
    try:
        options = parser_of(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
        code = options.run(options) or 0
        sys.stdout.flush()
    except BrokenPipeError:
        return code or _unheard()
    except KeyboardInterrupt:
        return _failed("interrupted.", 128 + signal.SIGINT)
    except SdclabError as error:
        return _failed(str(error), 2)
    except OSError as error:  # of files the modules speak for themselves
        return _failed(f"{error.filename or 'standard output'}: cannot be written ({why(error)}).", 2)
    except MemoryError:
        return _failed("there is not enough memory for this.", 1)
    except Exception as error:
        return _failed(_defect(error), 1)
    finally:
        _let_go()
    return code


def _tolerant_streams() -> None:
    """Standard streams to which any character can be written; one that is closed fails only if it is written to."""
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _behave_as_a_program() -> None:
    """End in order when told to stop, so that blocks clean up; and what overflows is told by what comes of it."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    if not _debugging():
        warnings.simplefilter("ignore")


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _debugging() -> bool:
    return bool(os.environ.get("SDCLAB_DEBUG"))


def _failed(sentence: str, code: int) -> int:
    with suppress(OSError):
        print(f"sdclab: {printable(sentence)}", file=sys.stderr)
    return code


def _defect(error: Exception) -> str:
    """The kind and the place of an error that was not foreseen, without its text, which may hold a record."""
    if _debugging():
        traceback.print_exception(error)
    kind, where = type(error).__name__, place(error)
    return f"stopped with {kind} in {where}, a defect of sdclab; SDCLAB_DEBUG=1 shows the traceback."


def _unheard() -> int:
    """The reader of the results has seen enough; but where progress finds no reader, the work is not done."""
    poll = select.poll()
    poll.register(sys.stderr, 0)  # whether its reader has gone is told without being asked for
    return 128 + signal.SIGPIPE if poll.poll(0) else 0


def _let_go() -> None:
    """Flush what was printed; what cannot be is dropped, or Python would complain about it at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def parser_of(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """What the command takes. Only the verb asked for is imported: with the libraries that it uses that takes a second,
    which Ctrl-C may fall into, and which `--help` need not wait for.
    """
    asked = next((word for word in arguments if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="sdclab", description="A laboratory for statistical disclosure control.")
    parser.add_argument("--version", action="version", version=f"sdclab {__version__}")
    commands = parser.add_subparsers(title="commands", required=True)
    for verb, what in VERBS.items():
        command = commands.add_parser(
            verb,
            help=what,
            description=what[0].upper() + what[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if verb == asked:
            module = import_module(module_of(verb))
            module.add_arguments(command, arguments)
            command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
