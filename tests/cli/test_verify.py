"""sdclab verify: a folder in, what is not as it was made out."""

import pytest
from crated import results


@pytest.fixture
def folder(here, tmp_path):
    return results(tmp_path / "results")


def test_a_folder_as_it_was_made(run, folder):
    assert run("verify", "results/") == (
        0,
        "7 files, 3 rows and 3 published numbers are as the crate says.\n",
        "",
    )


def test_one_digit_is_named_with_its_file(run, folder):
    path = folder / "data/mine.csv"
    path.write_text(path.read_text().replace("3", "4"))
    code, out, err = run("verify", "results")
    assert (code, err) == (1, "")
    assert out == "data/mine.csv: is not as it was made, its SHA-256 is another one.\n"


def test_every_finding_is_one_line_whatever_a_file_is_called(run, folder):
    (folder / "two\nlines\x1b[31m").write_text("1\n")
    code, out, _ = run("verify", "results")
    assert (code, out) == (1, "two\\nlines\\x1b[31m: is not in the crate.\n")


def test_without_a_crate_there_is_nothing_to_verify_by(run, folder):
    (folder / "ro-crate-metadata.json").unlink()
    code, out, err = run("verify", "results")
    assert (code, out) == (2, "")
    assert err.startswith("sdclab: results/ro-crate-metadata.json: is not there")
    assert err.count("\n") == 1
