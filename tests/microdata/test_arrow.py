"""What pyarrow is given to read belongs to it alone: its threads may outlive the reading, and the interpreter."""

import pytest
from samples import records

from sdclab.microdata import arrow, parquet, reading

pytest.importorskip("pyarrow")


def test_is_a_copy_from_where_it_begins():
    content = bytearray(b"name\n1\n2\n")
    reader = arrow.owned(content, 5)
    content.clear()  # Python refuses that while anything holds the memory
    assert reader.read() == b"1\n2\n"


@pytest.mark.parametrize(("module", "read", "ending"), [(reading, "_parsed", "csv"), (parquet, "read", "parquet")])
def test_no_reader_gets_memory_of_the_interpreter(tmp_path, monkeypatch, module, read, ending):
    """What is read is the same though the memory it came from is gone before Arrow starts."""
    path = tmp_path / f"data.{ending}"
    people = records(50)
    people.to_csv(path, index=False) if ending == "csv" else people.to_parquet(path)
    content = bytearray(path.read_bytes())
    owned = module.owned

    def emptied(*arguments):
        reader = owned(*arguments)
        content.clear()
        return reader

    monkeypatch.setattr(module, "owned", emptied)
    others = (content.index(b"\n") + 1, people.shape[1], ",", False) if ending == "csv" else (path,)
    found = getattr(module, read)(content, *others)
    assert [list(map(float, found[key])) for key in found] == [people[name].to_list() for name in people]
    assert not content
