"""Parquet: read with care, written without what is not in the release."""

import contextlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import MDAV, named_people

from sdclab.base import files
from sdclab.base.errors import SdclabError
from sdclab.microdata import parquet
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.reading import read
from sdclab.microdata.writing import write


class TestParquet:
    @pytest.fixture(autouse=True)
    def pyarrow(self):
        self.arrow = pytest.importorskip("pyarrow")
        self.parquet = pytest.importorskip("pyarrow.parquet")

    def held(self, path, columns):
        """All text that a file holds: in its pages, its lists of codes and its footer."""
        again = path.with_name("plain.parquet")
        coded = self.parquet.read_table(path, read_dictionary=columns)
        found = [str(self.parquet.read_schema(path).to_string(show_field_metadata=True, truncate_metadata=False))]
        found += [str(chunk.dictionary.to_pylist()) for column in columns for chunk in coded.column(column).chunks]
        self.parquet.write_table(self.parquet.read_table(path), again, compression="none", use_dictionary=False)
        return path.read_bytes() + again.read_bytes() + "".join(found).encode()

    def test_no_text_of_what_was_left_out(self, run):
        """Levels without a record, those of dropped records, and whatever stood in the original's footer."""
        n = 40
        frame = named_people(n).drop(columns="name")
        town = ["Bonn"] * 20 + ["Jena"] * 19 + ["SecretGone"]
        frame["town"] = pd.Categorical(town, categories=["Bonn", "Jena", "SecretGone", "SecretNever"])
        frame.loc[n - 1, "income"] = np.nan
        frame.index = pd.Index([f"SecretRow{i}" for i in range(n)], name="key")
        stored = self.arrow.Table.from_pandas(frame)
        fields = [field.with_metadata({"note": "SecretNote"}) for field in stored.schema]
        stored = stored.cast(self.arrow.schema(fields, {**stored.schema.metadata, b"by": b"SecretAuthor"}))
        self.parquet.write_table(stored, "in.parquet", compression="none")
        whole = self.held(Path("in.parquet"), ["town"])
        assert all(f"Secret{word}".encode() in whole for word in ("Gone", "Never", "Row3", "Note", "Author"))
        roles = ("--pass-through", "town", "--drop-columns", "key", "--missing", "drop")
        for name in ("out.parquet", "out.csv"):
            assert run("protect", "in.parquet", *MDAV, *roles, "-o", name)[0] == 0
        assert b"Secret" not in self.held(Path("out.parquet"), ["town"])
        assert "Secret" not in Path("out.csv").read_text()
        made = self.parquet.read_table("out.parquet")
        assert made.schema.metadata is None
        assert made.column("town").to_pylist() == town[:-1]
        assert self.arrow.types.is_string(made.schema.field("town").type) or self.arrow.types.is_large_string(
            made.schema.field("town").type
        )

    def test_a_long_file_is_written_in_row_groups(self, here, monkeypatch):
        monkeypatch.setattr(parquet, "ROW_GROUP", 100)
        frame = pd.DataFrame({"x": np.arange(250.0)})
        write(Microdata("t", frame), Path("out.parquet"))
        about = self.parquet.ParquetFile("out.parquet").metadata
        assert [about.row_group(i).num_rows for i in range(about.num_row_groups)] == [100, 100, 50]
        np.testing.assert_array_equal(read(Path("out.parquet")).numbers("x"), frame["x"])

    def test_codes_of_numbers_are_numbers(self, here):
        column = self.arrow.array([3, 5, None, 3]).dictionary_encode()
        self.parquet.write_table(self.arrow.table({"a": column}), "in.parquet")
        np.testing.assert_array_equal(read(Path("in.parquet")).numbers("a"), [3, 5, np.nan, 3])

    def test_a_table_of_categories_is_decoded_when_written(self, here):
        frame = pd.DataFrame({"a": [1, 2], "b": pd.Categorical(["x", "y"], categories=["x", "y", "Secret"])})
        write(Microdata("t", frame).rows(np.array([True, False])), Path("out.parquet"))
        held = self.held(Path("out.parquet"), ["b"])
        assert b"Secret" not in held
        assert self.parquet.read_table("out.parquet").to_pydict() == {"a": [1], "b": ["x"]}

    def test_what_cannot_be_seen_through_is_not_released(self, run):
        frame = named_people().assign(more=[["Secret"]] * 60)
        frame.to_parquet("in.parquet")
        code, _, err = run("protect", "in.parquet", *MDAV, "--pass-through", "more,name", "-o", "out.parquet")
        assert (code, err) == (2, "sdclab: in.parquet: column more holds lists or structures; leave it out.\n")
        assert run("protect", "in.parquet", *MDAV, "--drop-columns", "more,name", "-o", "out.parquet")[0] == 0

    def test_a_small_file_of_many_rows(self, here, monkeypatch):
        self.parquet.write_table(self.arrow.table({"a": np.zeros(100_000)}), "in.parquet")
        assert Path("in.parquet").stat().st_size < 100_000 / 8
        monkeypatch.setattr(files.check_size, "__defaults__", (2**19,))
        with pytest.raises(SdclabError, match=r"in\.parquet: has 8\d+ bytes, but at most 524288 are read"):
            read(Path("in.parquet"))

    @settings(max_examples=60, derandomize=True)
    @given(st.integers(0, 10_000), st.binary(min_size=1, max_size=3))
    def test_a_damaged_file_is_a_sentence(self, tmp_path_factory, place, damage):
        path = tmp_path_factory.mktemp("damaged") / "in.parquet"
        named_people(5).to_parquet(path, index=False)
        content = bytearray(path.read_bytes())
        place %= len(content)
        content[place : place + len(damage)] = damage
        path.write_bytes(content)
        with contextlib.suppress(SdclabError):
            damaged = read(path)
            for column in damaged.columns:
                damaged.is_text(column)
