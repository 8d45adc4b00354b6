"""Parquet in partitions: what they are, and that all have the same columns."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdclab.base.errors import SdclabError
from sdclab.microdata import partitions
from sdclab.microdata.declaration import Declared
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.tally import Tally

parquet = pytest.importorskip("pyarrow.parquet")


def keep(frame, path, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_parquet(path, index=False, **options)


@pytest.fixture
def frame():
    rng = np.random.default_rng(3)
    return pd.DataFrame({"code": rng.integers(0, 5, 100), "name": [f"p{i}" for i in range(100)]})


def read_all(path):
    source, found = partitions.find(path)
    return {each.name: source.read(each).frame for each in found}


class TestFind:
    def test_the_row_groups_of_a_file(self, frame, tmp_path):
        keep(frame, tmp_path / "a.parquet", row_group_size=40)
        found = read_all(tmp_path / "a.parquet")
        assert [(name, len(part)) for name, part in found.items()] == [
            ("row group 0", 40),
            ("row group 1", 40),
            ("row group 2", 20),
        ]
        assert pd.concat(found.values())["name"].tolist() == frame["name"].tolist()

    def test_the_files_of_a_folder_but_not_what_is_hidden_or_empty(self, frame, tmp_path):
        for name, rows in {"b.parquet": frame[50:], "a/x.pq": frame[:50], "empty.parquet": frame[:0]}.items():
            keep(rows, tmp_path / "data" / name)
        for name in ("_temporary/c.parquet", ".d.parquet"):
            keep(frame, tmp_path / "data" / name)
        (tmp_path / "data/_SUCCESS").touch()
        found = read_all(tmp_path / "data")
        assert [(name, len(part)) for name, part in found.items()] == [("a/x.pq", 50), ("b.parquet", 50)]

    def test_folders_named_by_a_column(self, frame, tmp_path):
        """As pandas writes them: the files below one folder are a partition, and have the column again."""
        frame = frame.assign(region=np.where(frame["code"] > 2, "south / west", "north"))
        frame.to_parquet(tmp_path / "data", partition_cols=["region"], index=False)
        keep(frame[:3].drop(columns="region"), tmp_path / "data/region=north/more.parquet")
        found = read_all(tmp_path / "data")
        north = frame["region"] == "north"
        assert {name: len(part) for name, part in found.items()} == {
            "region=north": north.sum() + 3,
            "region=south%20%2F%20west": (~north).sum(),
        }
        assert {name: set(part["region"]) for name, part in found.items()} == {
            "region=north": {"north"},
            "region=south%20%2F%20west": {"south / west"},
        }

    def test_numbers_and_gaps_in_the_names_of_folders(self, frame, tmp_path):
        frame.assign(code=frame["code"].where(frame["code"] > 0).astype("Int64")).to_parquet(
            tmp_path / "data", partition_cols=["code"], index=False
        )
        found = read_all(tmp_path / "data")
        assert {str(part["code"].dtype) for part in found.values()} == {"int64[pyarrow]"}
        assert found["code=__HIVE_DEFAULT_PARTITION__"]["code"].isna().all()
        assert found["code=3"]["code"].tolist() == [3] * (frame["code"] == 3).sum()

    @pytest.mark.parametrize(
        ("second", "message"),
        [
            ({"code": [1.5], "name": ["x"]}, "column code is of type double, but in .*a.parquet of type int64"),
            ({"code": [1]}, "b.parquet: has no column name, but .*a.parquet has"),
            ({"code": [1], "name": ["x"], "more": [1]}, "a.parquet: has no column more, but .*b.parquet has"),
        ],
    )
    def test_partitions_that_are_not_alike(self, frame, tmp_path, second, message):
        keep(frame, tmp_path / "data/a.parquet")
        keep(pd.DataFrame(second), tmp_path / "data/b.parquet")
        with pytest.raises(SdclabError, match=message):
            partitions.find(tmp_path / "data")

    def test_what_is_no_source(self, frame, tmp_path):
        frame.to_csv(tmp_path / "a.csv")
        keep(frame[:0], tmp_path / "none.parquet")
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 but no more")
        for name, message in {
            "a.csv": "must be a Parquet file, or a folder",
            "nothing": "there is no such Parquet file",
            "none.parquet": "holds no records",
            "bad.parquet": "is not a Parquet file that can be read",
        }.items():
            with pytest.raises(SdclabError, match=message):
                partitions.find(tmp_path / name)

    def test_a_file_that_changed_has_another_stamp(self, frame, tmp_path):
        keep(frame, tmp_path / "a.parquet")
        before = partitions.find(tmp_path / "a.parquet")[1]
        assert partitions.find(tmp_path / "a.parquet")[1] == before
        keep(frame[::-1], tmp_path / "a.parquet")
        assert partitions.find(tmp_path / "a.parquet")[1] != before


def columns(n=400):
    """One of every kind."""
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "money": rng.gamma(2, 1000, n).round(2),
            "balance": rng.normal(0, 5, n),
            "share": rng.random(n),
            "per_cent": np.append(rng.uniform(0, 99, n - 1), 99.5).round(1),
            "capped": np.minimum(rng.exponential(5, n), 9.0),
            "children": rng.integers(0, 7, n),
            "sex": rng.integers(1, 3, n),
            "region": rng.choice(["north", " south", "west"], n),
            "code": rng.choice(["01", "1", "A1"], n),
            "gappy": pd.Series(rng.normal(0, 1, n)).where(rng.random(n) > 0.1),
        }
    )


@pytest.mark.parametrize("cuts", [[], [1], [3, 4, 250], list(range(20, 400, 20))], ids=str)
def test_tallies_add_up_to_what_is_inferred_of_the_whole(cuts):
    frame = columns()
    words = frozenset({"region", "code"})
    expected = attributes(Microdata("f", frame, words=words), list(frame.columns))
    assert [each.name for each in expected if each.masses] == ["capped"]  # declared where it is wanted
    bounds = [0, *cuts, len(frame)]
    for attribute in expected:
        name, of_words = attribute.name, attribute.name in words
        total = None
        for first, last in itertools.pairwise(bounds):
            part = Microdata("f", frame[first:last], words=words)
            tally = Tally.of_json(Tally.of(part, name, of_words, Declared()).as_json())
            total = tally if total is None else total + tally
        assert total.attribute(name, of_words, Declared(), "f") == replace(attribute, masses=())


@pytest.mark.parametrize(
    ("column", "said", "message"),
    [
        ("money", Declared("count"), r"column money is a count, but \d+ of its values are not whole"),
        ("money", Declared(low=500.0), r"column money: \d+ values lie beyond its bounds"),
        ("region", Declared("nominal", ("north", "west")), r"column region: \d+ values are not among its categories"),
        ("region", Declared("ordinal"), "column region is ordinal, but has no order"),
        ("children", Declared("ordinal", ("0", "1", "2")), r"column children: \d+ values are not among its categories"),
    ],
)
def test_what_does_not_fit_a_declaration_is_counted_over_all_parts(column, said, message):
    frame = columns()
    parts = [Microdata("f", part) for part in (frame[:150], frame[150:])]
    first, then = (Tally.of(part, column, column == "region", said) for part in parts)
    with pytest.raises(SdclabError, match=message) as caught:
        (first + then).attribute(column, column == "region", said, "f")
    with pytest.raises(SdclabError) as whole:
        attributes(Microdata("f", frame), [column], {column: said})
    counted = [[word for word in str(error.value).split() if word.isdigit()] for error in (caught, whole)]
    assert counted[0] == counted[1]


def test_constants_and_empty_columns_are_refused():
    for values, message in (([5.0] * 9, "is constant"), ([np.nan] * 9, "is empty")):
        tally = Tally.of(Microdata("f", pd.DataFrame({"a": values})), "a", False, Declared())
        with pytest.raises(SdclabError, match=f"f: column a {message}"):
            (tally + tally).attribute("a", False, Declared(), "f")


def test_paths_are_those_that_were_given(tmp_path, frame, monkeypatch):
    keep(frame, tmp_path / "data/a.parquet")
    monkeypatch.chdir(tmp_path)
    source, found = partitions.find(Path("data"))
    assert (source.path, found[0].files) == ("data", ("data/a.parquet",))
