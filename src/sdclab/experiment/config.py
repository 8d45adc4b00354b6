"""What a run is to reproduce and where things are: `config/config.yaml`, as an object."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdclab.base import documents
from sdclab.base.errors import SdclabError
from sdclab.experiment.limits import Limits
from sdclab.microdata import retrieve

DEFAULTS = Path("config/config.yaml")


@dataclass(frozen=True)
class Config:
    """The settings of a run, checked."""

    studies: tuple[str, ...]
    releases: tuple[str, ...]
    """of one's own data in partitions"""
    tables: tuple[str, ...] | None
    """those that are asked for, as study/table; None: all"""
    results: str
    places: retrieve.Places
    download: bool
    cells_per_job: int
    mix_methods: bool
    """whether a job may compute cells of several methods"""
    multiverse: bool
    """whether to go through all readings, too"""
    limits: Limits


def load(given: Mapping[str, Any], schema: Path, replicas: Path) -> Config:
    """What was given on the command line or in another file, and else what stands in `config/config.yaml`."""
    settings = {**documents.parse(DEFAULTS), **given}
    settings |= {key: _read(settings[key]) for key in ("download", "limits", "mix_methods", "multiverse", "tables")}
    documents.validate(settings, schema, "config")
    if not (settings["studies"] or settings.get("releases")):
        raise SdclabError("config: studies and releases name nothing; one of them must.")
    user = settings["data_dir"] or os.environ.get("SDCLAB_DATA")
    cache = settings["cache_dir"] or retrieve.default_cache()
    return Config(
        tuple(settings["studies"]),
        tuple(settings.get("releases", ())),
        None if settings["tables"] is None else tuple(settings["tables"]),
        os.path.normpath(settings["results"]),
        retrieve.Places(Path(user) if user else None, Path(cache), replicas),
        settings["download"],
        settings["cells_per_job"],
        settings["mix_methods"],
        settings["multiverse"],
        Limits(**settings["limits"]),
    )


def _read(value: Any) -> Any:
    """What `--config download=false` or `limits={values: 2}` means: Snakemake leaves these as text."""
    if isinstance(value, Mapping):
        return {key: _read(each) for key, each in value.items()}
    return documents.value(value, "config") if isinstance(value, str) else value
