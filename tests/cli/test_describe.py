"""sdclab describe: from a file to what is in it."""

from pathlib import Path

import numpy as np
import pandas as pd

N = 100


def people():
    rng = np.random.default_rng(1)
    wage, other = rng.integers(0, 9000, (2, N))
    names = [f"Secret{i}" for i in range(N)]
    town = rng.choice(["Bonn", "Jena"], N)
    return pd.DataFrame({"name": names, "town": town, "wage": wage, "other": other, "total": wage + other})


def test_a_file(run):
    people().to_csv("in.csv", index=False)
    code, out, err = run("describe", "in.csv")
    assert (code, err) == (0, "")
    assert "  town   nominal, 2 categories: Bonn" in out
    assert "in every record: total = wage + other" in out
    assert out.endswith("\nGo on with: sdclab map in.csv --drop-columns name --rule 'total = wage + other'\n")
    assert "Secret" not in out


def test_types_beside_it_and_on_the_command_line(run):
    people().to_csv("in.csv", index=False)
    Path("in.sdclab.yaml").write_text("types:\n  wage: continuous\n  town: {type: ordinal, categories: [Jena, Bonn]}\n")
    out = run("describe", "in.csv", "--type", "wage=count")[1]
    assert "  town   ordinal, 2 categories: Jena" in out
    assert "  wage   count" in out
    code, out, err = run("describe", "in.csv", "--type", "twon=nominal")
    assert (code, out) == (2, "")
    assert err.startswith("sdclab: in.csv: unknown column 'twon': did you mean town?")
    Path("in.sdclab.yaml").write_text("types: {town: txt}\n")
    assert run("describe", "in.csv")[2].startswith("sdclab: in.sdclab.yaml: types: town: unknown type 'txt'")
