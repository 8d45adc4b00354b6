"""sdclab data: every dataset with its facts."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from sdclab.microdata import manifest, retrieve


def add_arguments(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """What the verb takes."""
    parser.add_argument("--project", type=Path, default=Path(), help="the project's folder (default: this one)")
    parser.add_argument("--data-dir", type=Path, help="folder with original files (default: SDCLAB_DATA)")
    parser.add_argument("--cache-dir", type=Path, help="folder of downloaded originals (default: the user's cache)")
    parser.add_argument("--download", action="store_true", help="fetch missing originals from their public address")


def run(options: argparse.Namespace) -> None:
    """Print the facts."""
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
