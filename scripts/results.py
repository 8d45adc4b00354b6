"""What a run has left, read: for the scripts that tell of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sdclab.base.files import read, read_rows
from sdclab.microdata.dataset import read_facts
from sdclab.output.pages.run import Cost, Run, by_name, refusals_of, versions_of


def read_run(given: Mapping[str, Any], inputs: Mapping[str, Sequence[str]], costs: Sequence[Cost] = ()) -> Run:
    """From the files that a task names. What the run took is no result, so it is given beside them."""
    cells = [row for path in inputs["cells"] for row in read_rows(path)]
    return Run(
        studies=given["studies"],
        scorecard=read_rows(*inputs["scorecard"]),
        audit=read_rows(*inputs["audit"]),
        tables=by_name(given["tables"], map(read_rows, inputs["tables"])),
        sensitivities=by_name(given["sensitivities"], map(read_rows, inputs["sensitivities"])),
        figures=by_name(given["figures"], (read(path).decode() for path in inputs["figures"])),
        datasets=[read_facts(path) for path in inputs["datasets"]],
        versions=versions_of(cells),
        costs=costs,
        refusals=refusals_of(cells),
        cells=cells,
        multiverses=given["multiverses"],
        summaries=by_name(given["multiverses"], map(read_rows, inputs["summary"])),
        readings=by_name(given["multiverses"], map(read_rows, inputs["readings"])),
        axes=by_name(given["multiverses"], map(read_rows, inputs["axes"])),
        curves=by_name(given["curves"], (read(path).decode() for path in inputs["curves"])),
        drawn=given["curves"],
    )
