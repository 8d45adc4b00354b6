"""Make resources/replicas/ anew from the originals: the same originals give the same bytes.

python scripts/make_replicas.py FOLDER_WITH_ORIGINALS
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sdclab.data import manifest, retrieve
from sdclab.data.replicas import Made, make
from sdclab.errors import SdclabError
from sdclab.files import read, write

README = """# Replicas

Synthetic copies of the originals, for machines that do not have them. Each was made by this project's own local
synthesis (`hybrid_micro`: MDAV clusters of at least k records, then normal records with each cluster's exact mean
and covariance matrix), so means, covariances and exact linear relations are those of the original to the printed
decimals. Dichotomous attributes are shuffled one by one inside the same clusters. No published number is judged on
a replica.

| replica | records | k | clusters | smallest | PIL | DR | DBRL | PRL | interval | copy |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}

PIL, DR and their parts compare the continuous attributes with the original's, as `docs/measures.md` defines them;
`copy` is the share of original records with a replica record within 1..10 % of an SD on all of them. Columns are
the original's, in its order.

Whoever holds the originals can make the same bytes again: `make replicas DATA=folder`, or

    python scripts/make_replicas.py folder
"""


def describe(made: Sequence[Made]) -> str:
    rows = []
    for one in made:
        measured = " | ".join(f"{one.quality[key]:.2f}" for key in ("pil", "dr", "dbrl", "prl", "interval", "copy"))
        size = f"{sum(one.sizes)} | {one.k} | {len(one.sizes)} | {min(one.sizes)}"
        rows.append(f"| {one.dataset.name} | {size} | {measured} |")
    return README.format(rows="\n".join(rows))


def main(originals: Path, project: Path) -> None:
    schema = project / "workflow" / "schemas" / "datasets.schema.yaml"
    entries: Mapping[str, manifest.Entry] = manifest.load(project / "resources" / "datasets.yaml", schema)
    made = []
    for entry in entries.values():
        if entry.replica is None:
            continue
        path = retrieve.find(entry, retrieve.Places(originals, originals, originals))
        if path is None:
            raise SdclabError(f"{originals}: holds no original of {entry.name} ({' or '.join(entry.files)}).")
        made.append(make(entry, retrieve.prepared(entry, read(path), path.name), entry.replica))
    folder = project / "resources" / "replicas"
    for one in made:
        write(folder / one.dataset.source, one.gzipped)
        print(f"{one.dataset.source}: sha256 {one.dataset.fingerprint}")
    write(folder / "README.md", describe(made))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), Path(__file__).resolve().parents[1])
    except SdclabError as error:
        sys.exit(f"sdclab: {error}")
