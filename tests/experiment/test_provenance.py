"""Where numbers come from: the kind of processor in every row, and a warning where there are several."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROJECT

from sdclab.experiment.provenance import mixed, processor

CELL = """
import json
import numpy as np
from sdclab.experiment.cell import run
from sdclab.microdata.dataset import Dataset
from sdclab.experiment.cell import Cell
from sdclab.experiment.scenario import Scenario
records = np.random.default_rng(0).normal(size=(50, 2))
rows = run(Cell("s", "S", "permute"), Scenario("S", "x", ("a", "b")), Dataset("x", "own", "", ("a", "b"), records), {})
print(json.dumps(rows[0]["processor"]))
"""


def computed_with(**environment: str) -> str:
    """The processor in the row of a cell that was computed in another process."""
    env = {**os.environ, "PYTHONPATH": str(PROJECT / "src"), **environment}
    done = subprocess.run([sys.executable, "-c", CELL], env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_tells_the_machine_and_what_numpy_uses_of_it():
    assert processor().split()[0] == platform.machine()
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    assert all(feature in processor().split() for feature in (*simd["baseline"], *simd["found"]))
    assert computed_with() == processor()


@pytest.mark.skipif(platform.machine() != "x86_64" or "unknown" in processor(), reason="needs OpenBLAS on x86-64")
def test_follows_the_kernels_of_blas():
    kinds = {computed_with(OPENBLAS_CORETYPE=core) for core in ("Haswell", "Prescott")}
    assert len(kinds) == 2
    assert any(kind.endswith(" Haswell") for kind in kinds)


def test_follows_the_features_of_numpy():
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    if not found:
        pytest.skip("NumPy uses nothing here that could be switched off")
    assert found[0] not in computed_with(NPY_DISABLE_CPU_FEATURES=" ".join(found)).split()


def test_cells_of_one_kind_are_no_reason_for_a_warning():
    assert mixed([{"processor": "x86_64 X86_V3 Haswell"}] * 3) == []


def test_cells_of_several_kinds_are():
    kinds = ["x86_64 X86_V4 SkylakeX", "x86_64 X86_V3 Haswell", "x86_64 X86_V4 SkylakeX"]
    (line,) = mixed({"processor": kind} for kind in kinds)
    assert line.startswith("CELLS WERE COMPUTED ON 2 KINDS OF PROCESSOR")
    assert line.endswith(": x86_64 X86_V3 Haswell; x86_64 X86_V4 SkylakeX")
