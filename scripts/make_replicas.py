"""Make resources/replicas/ anew from the originals, and write their fingerprints into resources/datasets.yaml.

python scripts/make_replicas.py FOLDER_WITH_ORIGINALS
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from sdclab.base.errors import SdclabError
from sdclab.base.files import read, write
from sdclab.evidence.fidelity import RESAMPLES, Compared, compared
from sdclab.experiment.replicas import MadeReplica, make
from sdclab.experiment.study import load
from sdclab.microdata import manifest, retrieve
from sdclab.microdata.dataset import Dataset
from sdclab.output.plots import PLOTS

README = """# Replicas

Synthetic copies of the originals, for machines that do not have them. Each was made by this project's own local
synthesis: MDAV clusters of at least k records, then normal records with each cluster's exact mean and covariance
matrix, as `hybrid_micro` draws them. Means, covariances and exact linear relations are therefore those of the
original, but for rounding to the decimals that the original has. No published number is judged on a replica.

Clusters are looked for inside strata. For Census and Adult a stratum holds the records with the same pattern: which
attributes are equal, and which have the value that at least half of all records have (no capital gain). So equalities
like WSALVAL = ERNVAL hold in as many records as in the original; without strata they were blurred, and PIL of FCRM in
scenario S2 with c = 2 was 33.6 for 20.3. What is left of the difference stands in the correlations of FEDTAX. For
Thyroid a stratum is a cluster of the mixture that `hybrid` finds in the original; without strata BIC chose up to 10
clusters for 6. The replica is thus nearer to a mixture of normal distributions than the original is, and flatters
methods that suppose one.

Categories are shuffled one by one inside the same clusters, so their relations are not kept. Normal
records know no bounds: some values are beyond the original's least or greatest, some negative.

| replica | records | k | clusters | smallest | PIL | DR | DBRL | PRL | interval | copy | crowding | beyond |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{made}

PIL, DR and their parts compare the continuous attributes with the original's, as `docs/measures.md` defines them;
`copy` is the share of original records with a replica record within 1..10 % of an SD on all of them, `crowding` the
share with another *original* record as near, `beyond` the share of values outside the original's range. No record of
the original stands in a replica: while one did, the replica would be drawn anew. Columns are the original's, in its
order.

## What becomes of the studies' numbers

| study | number | original | replica | resampled original |
| --- | --- | --- | --- | --- |
{numbers}

The last column is mean ± SD over {resamples} bootstrap samples of the original: how far a number moves when nothing but
the sample does. It is left out where records that stand twice would spoil it.

Whoever holds the originals can make the same files again, fingerprints in `resources/datasets.yaml` included:
`make replicas DATA=folder`. Nothing in the draw hangs on a last bit: with the kernels of OpenBLAS for AVX-512, Haswell
and Prescott, and with numpy without AVX-512 and without AVX2, every value came out the same.
"""

QUALITY = ("pil", "dr", "dbrl", "prl", "interval", "copy", "crowding", "beyond")
SCHEMAS = Path("workflow") / "schemas"


def describe(made: Sequence[MadeReplica], numbers: Iterable[Sequence[str]]) -> str:
    rows = []
    for one in made:
        sizes = (sum(one.sizes), one.k, len(one.sizes), min(one.sizes))
        rows.append([one.dataset.name, *map(str, sizes), *(f"{one.quality[key]:.2f}" for key in QUALITY)])
    return README.format(made=_table(rows), numbers=_table(numbers), resamples=RESAMPLES)


def _table(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def original_of(entry: manifest.Entry, folder: Path) -> Dataset:
    path = retrieve.find(entry, retrieve.Places(folder, folder, folder))
    if path is None:
        raise SdclabError(f"{folder}: holds no original of {entry.name} ({' or '.join(entry.files)}).")
    return retrieve.prepared(entry, read(path), path.name)


def main(folder: Path, project: Path) -> None:
    listed = project / "resources" / "datasets.yaml"
    entries = manifest.load(listed, project / SCHEMAS / "datasets.schema.yaml")
    paths = sorted((project / "config" / "studies").glob("*_*.yaml"))
    scenarios = {
        path.stem: load(path, project / SCHEMAS / "study.schema.yaml", entries, PLOTS).scenarios for path in paths
    }
    made: list[MadeReplica] = []
    numbers: list[Compared] = []
    text = read(listed).decode()
    for entry in entries.values():
        if entry.replica is None or entry.sample is not None:  # a sample shares the replica of another dataset
            continue
        original = original_of(entry, folder)
        made.append(make(entry, original, entry.replica))
        numbers += compared(original, made[-1].dataset, scenarios)
        text = text.replace(entry.replica.sha256, made[-1].dataset.fingerprint)
    replicas = project / "resources" / "replicas"
    for one in made:
        write(replicas / one.dataset.source, one.gzipped)
        print(f"{one.dataset.source}: sha256 {one.dataset.fingerprint}")
    write(replicas / "README.md", describe(made, numbers))
    write(listed, text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]), Path(__file__).resolve().parents[1])
    except SdclabError as error:
        sys.exit(f"sdclab: {error}")
