"""A small folder of results with its crate, and what the profiles require of one."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from sdclab.base.files import checksum, csv_text, read_rows, sha256
from sdclab.output.crate import Made, Result, Source, archive, crate

TABLE = "a,b\n1,2\n3,4\n"
FINGERPRINT = sha256(TABLE.encode())
CELL = {
    "cell": "S/mdav/k=3",
    "dataset": "mine",
    "dataset_kind": "own",
    "fingerprint": FINGERPRINT,
    "versions": "sdclab 0.1.0 numpy 2.4.6",
    "processor": "x86_64 AVX2 Haswell",
}
ROWS = {
    "cells/s/S/mdav/k=3..k=5.csv": [CELL, {**CELL, "cell": "S/mdav/k=5"}],
    "tables/s/table1.csv": [
        {"cell": "S/mdav/k=3", "dataset": "printed", "dataset_kind": "own", "fingerprint": FINGERPRINT},
        {"cell": "", "dataset": "printed", "dataset_kind": "", "fingerprint": ""},
    ],
    "scorecard.csv": [{"verdict": verdict} for verdict in ("close", "not judged", "close")],
}
FACTS = {
    "name": "mine",
    "kind": "own",
    "source": "mine.csv",
    "title": "Mine",
    "licence": "mine alone",
    "obtain": "ask me",
}
TOLD = "0123456789abcdef"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def made(folder: Path) -> Made:
    """Results in a folder, and what their run tells of itself."""
    write(folder / "data/mine.csv", TABLE)
    for name, rows in ROWS.items():
        write(folder / name, csv_text(list(rows[0]), rows))
    write(folder / "code/Snakefile", "rule all:\n")
    (folder / "code/source.zip").write_bytes(archive({"Snakefile": b"rule all:\n"}))
    write(folder / "checksums/scorecard.sha256", "# told all\n")
    write(folder / "logs/scorecard.log", "worked for 0.1 s\n")
    return Made(
        told=TOLD,
        titles=["A study"],
        settings={"studies": ["s", "t"], "download": False, "limits": {"records": None, "values": 2}},
        results=[Result.read(folder, name) for name in ("data/mine.csv", *ROWS)],
        records=[Result.read(folder, "checksums/scorecard.sha256")],
        workflow=Result.read(folder, "code/Snakefile"),
        archive=Result.read(folder, "code/source.zip"),
        sources=[Source(FACTS, "ab" * 32)],
        scorecard=read_rows(folder / "scorecard.csv"),
        cells=ROWS["cells/s/S/mdav/k=3..k=5.csv"],
        jobs=[(1000.0, 10.0), (1010.0, 4.5)],
        ended=1010.0,
    )


def seal(folder: Path, text: str) -> None:
    """Write a crate, and the record of the job that made it."""
    write(folder / "ro-crate-metadata.json", text)
    names = ("ro-crate-metadata.json", "code/Snakefile", "code/source.zip")
    lines = [f"{checksum(folder / name)}  {name}" for name in names]
    write(folder / "checksums/crate.sha256", "\n".join([f"# told {TOLD}", *lines]) + "\n")


def results(folder: Path) -> Path:
    """A finished run's folder."""
    seal(folder, crate(made(folder)))
    return folder


Entity = dict[str, Any]


def entities(text: str) -> dict[str, Entity]:
    """What a crate describes, by identifier; nothing twice."""
    graph = json.loads(text)["@graph"]
    found = {each["@id"]: each for each in graph}
    assert len(found) == len(graph)
    return found


CLOCKED = ("startTime", "endTime", "datePublished")
TIMED = ("report/index.html", "checksums/report.sha256", "#job-seconds")
"""What a clock has a part in: the report has a section on run times."""


def timeless(text: str) -> dict[str, Entity]:
    """What a crate describes, but for what a clock tells."""
    return {
        name: {key: value for key, value in each.items() if key not in CLOCKED}
        for name, each in entities(text).items()
        if name not in TIMED
    }


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def check_profiles(text: str) -> None:
    """What RO-Crate 1.1, Workflow RO-Crate 1.0, Process Run Crate 0.5 and Workflow Run Crate 0.5 say a crate must have,
    and what they say it should have of a run, but for who ran it, which no run knows.
    """
    found = entities(text)
    assert "https://w3id.org/ro/crate/1.1/context" in json.loads(text)["@context"]

    def at(entity: Entity, key: str) -> list[Entity]:
        """The entities that a property leads to: all of them are described."""
        return [found[each["@id"]] for each in listed(entity.get(key)) if isinstance(each, dict)]

    def kinds(entity: Entity) -> set[str]:
        return {*listed(entity["@type"])}

    def profiles(entity: Entity) -> set[str]:
        return {each["@id"] for each in listed(entity["conformsTo"])}

    # every reference is to something described, or to an address
    for entity in found.values():
        for key, value in entity.items():
            for each in listed(value):
                if isinstance(each, dict) and key != "conformsTo":
                    assert each["@id"] in found or each["@id"].startswith("http"), (entity["@id"], key)

    descriptor, root = found["ro-crate-metadata.json"], found["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    workflow_profile = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
    assert {"https://w3id.org/ro/crate/1.1", workflow_profile} <= profiles(descriptor)

    assert kinds(root) == {"Dataset"}
    assert root["name"]
    assert root["description"]
    assert root["license"]
    datetime.fromisoformat(root["datePublished"])
    asked = {"https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5", workflow_profile}
    assert asked <= profiles(root)
    assert all(kinds(each) == {"CreativeWork"} and each["version"] for each in at(root, "conformsTo"))
    parts = {each["@id"] for each in at(root, "hasPart")}
    files = {name for name, each in found.items() if kinds(each) & {"File", "Dataset"} and each is not root}
    assert parts == files

    (workflow,) = at(root, "mainEntity")
    assert kinds(workflow) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert workflow["name"]
    assert workflow["version"]
    (language,) = at(workflow, "programmingLanguage")
    assert "ComputerLanguage" in kinds(language)
    slots = at(workflow, "input")
    assert slots
    for slot in slots:
        assert kinds(slot) == {"FormalParameter"}
        assert slot["name"]
        assert slot["additionalType"] in {"Text", "Integer", "Boolean"}
        (value,) = at(slot, "workExample")
        assert at(value, "exampleOfWork") == [slot]
        assert value["name"] == slot["name"]
    for package in at(workflow, "softwareRequirements"):
        assert package["@id"].startswith("https://")
        assert package["softwareVersion"]
        assert "version" not in package

    (action,) = (each for each in found.values() if "CreateAction" in kinds(each))
    assert at(root, "mentions") == [action]
    assert at(action, "instrument") == [workflow]
    assert action["name"]
    assert action["description"]
    assert datetime.fromisoformat(action["startTime"]) <= datetime.fromisoformat(action["endTime"])
    assert action["actionStatus"] == "http://schema.org/CompletedActionStatus"
    allowed = {"File", "Dataset", "Collection", "CreativeWork", "PropertyValue"}
    assert all(kinds(each) & allowed for key in ("object", "result") for each in at(action, key))
    assert at(action, "result")
    assert {each["@id"] for each in slots} <= {
        each["exampleOfWork"]["@id"] for each in at(action, "object") if "exampleOfWork" in each
    }
