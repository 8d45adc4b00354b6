"""The command `sdclab`."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

# before numpy is imported: sums are rounded alike on any number of cores, so the same seed gives the same bytes
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from sdclab import __version__, verbs  # noqa: E402
from sdclab.data import manifest, retrieve  # noqa: E402
from sdclab.errors import SdclabError  # noqa: E402


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; bad input is one sentence on standard error and exit code 2."""
    try:
        options = _parser(sys.argv[1:] if arguments is None else arguments).parse_args(arguments)
        options.run(options)
    except SdclabError as error:
        print(f"sdclab: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sdclab", description="A laboratory for statistical disclosure control.")
    parser.add_argument("--version", action="version", version=f"sdclab {__version__}")
    commands = parser.add_subparsers(title="commands", required=True)
    data = commands.add_parser("data", help="list every dataset: kind, source, size, fingerprint, licence")
    data.add_argument("--project", type=Path, default=Path(), help="the project's folder (default: this one)")
    data.add_argument("--data-dir", type=Path, help="folder with original files (default: SDCLAB_DATA)")
    data.add_argument("--cache-dir", type=Path, help="folder of downloaded originals (default: the user's cache)")
    data.add_argument("--download", action="store_true", help="fetch missing originals from their public address")
    data.set_defaults(run=_data)
    verbs.add(commands, arguments)
    return parser


def _data(options: argparse.Namespace) -> None:
    project: Path = options.project
    resources = project / "resources"
    entries = manifest.load(resources / "datasets.yaml", project / "workflow" / "schemas" / "datasets.schema.yaml")
    user = options.data_dir or os.environ.get("SDCLAB_DATA")
    places = retrieve.Places(
        user=Path(user) if user else None,
        cache=options.cache_dir or retrieve.default_cache(),
        replicas=resources / "replicas",
    )
    for entry in entries.values():
        dataset = retrieve.retrieve(entry, places, options.download, say=lambda line: None)
        print(f"{entry.name}: {entry.title}")
        facts = {
            "kind": dataset.kind,
            "source": dataset.source,
            "size": f"{dataset.values.shape[0]} rows, {dataset.values.shape[1]} columns",
            "columns": " ".join(dataset.columns),
            "fingerprint": dataset.fingerprint,
            "licence": entry.licence,
            "original": entry.obtain,
        }
        for key, value in facts.items():
            print(f"  {key:<12}{value}")


if __name__ == "__main__":
    sys.exit(main())
