"""Names become modules by presence or by entry point, and what these say of themselves is read from their code."""

import sys
from typing import Annotated, Literal

import pytest

from sdclab.base.describe import Doc, Number, described
from sdclab.base.errors import SdclabError
from sdclab.base.registry import Registry

WORKS = '''"""Works."""
from typing import Annotated
from sdclab.base.describe import Doc
def act(*, k: Annotated[int, Doc("how many")], plain: float = 1.0): return k
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A package with some files, and a registry of what is in it."""
    package = tmp_path / "a_folder"
    package.mkdir()
    for name, content in {
        "__init__.py": "",
        "zebra.py": WORKS,
        "ant_eater.py": WORKS,
        "_shared.py": WORKS,
        "copy of zebra.py": WORKS,
        "broken.py": "import nowhere_to_be_found\n",
        "empty.py": "",
        "untyped.py": "def act(*, k): return k\n",
        "notes.txt": "",
    }.items():
        (package / name).write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Registry("animal", "a_folder", "act")
    for name in [name for name in sys.modules if name.split(".")[0] == "a_folder"]:
        del sys.modules[name]


class TestFoundByPresence:
    def test_a_file_in_the_folder_is_an_entry_unless_its_name_begins_with_an_underscore(self, folder):
        assert list(folder) == ["ant_eater", "broken", "empty", "untyped", "zebra"]
        assert folder.module("zebra") == "a_folder.zebra"
        assert folder.get("zebra")(k=3) == 3

    def test_no_file_is_imported_before_it_is_used(self, folder):
        assert "zebra" in folder
        assert not [name for name in sys.modules if name.startswith("a_folder.")]

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("broken", r"animal broken: a_folder\.broken cannot be imported \(ModuleNotFoundError\)\."),
            ("empty", r"animal empty: a_folder\.empty has no function act\."),
            ("untyped", r"animal untyped: not every parameter of its function has a type\."),
            ("_shared", r"unknown animal '_shared'"),
            ("zebr", r"unknown animal 'zebr': did you mean zebra"),
        ],
    )
    def test_what_is_wrong_with_a_file_is_said_in_a_sentence(self, folder, name, message):
        with pytest.raises(SdclabError, match=message):
            folder.checked(name, {})


class TestSpelling:
    def test_hyphens_will_do_for_underscores(self, folder):
        assert [folder.spelled(name) for name in ("ant-eater", "ant_eater", "zebra")] == [
            "ant_eater",
            "ant_eater",
            "zebra",
        ]

    def test_a_name_that_has_hyphens_of_its_own_is_taken_as_it_is(self, folder, monkeypatch):
        points = {"a-plugin": "elsewhere", "ant-eater": "elsewhere"}
        monkeypatch.setattr("sdclab.base.registry._entry_points", lambda group: points)
        assert [folder.spelled(name) for name in ("a-plugin", "ant-eater")] == ["a-plugin", "ant-eater"]

    def test_what_nobody_knows_is_shown_as_it_was_written(self, folder):
        assert folder.spelled("no-such") == "no-such"


class TestWhatAParameterMeans:
    def test_is_read_from_the_signature(self, folder):
        k, plain = folder.parameters("zebra").values()
        assert (k.kind, k.meaning, k.required) == (int, "how many", True)
        assert (plain.kind, plain.meaning, plain.default) == (float, "", 1.0)

    def test_stands_in_the_messages(self, folder):
        with pytest.raises(SdclabError, match=r"^here: animal zebra: k is 'x' but must be a whole number: how many\.$"):
            folder.checked("zebra", {"k": "x"}, "here")
        with pytest.raises(SdclabError, match=r"^animal zebra needs the parameter k: how many\.$"):
            folder.checked("zebra", {})

    def test_and_nothing_does_where_nothing_is_said(self, folder):
        with pytest.raises(SdclabError, match=r"plain is 'x' but must be a number\.$"):
            folder.checked("zebra", {"k": 1, "plain": "x"})

    def test_a_documented_type_is_checked_like_a_plain_one(self, monkeypatch):
        shared = Annotated[Literal["a", "b"], Doc("a word")]

        def act(*, word: Annotated[shared, Doc("of two")], gap: Annotated[int | None, Doc("if any")] = None):
            return word

        registry = Registry("animal", "json", "act")
        monkeypatch.setattr(Registry, "get", lambda self, name: act)
        assert registry.checked("decoder", {"word": "a", "gap": None}) == {"word": "a", "gap": None}
        with pytest.raises(SdclabError, match=r"word is 'c' but must be one of a, b: of two\."):
            registry.checked("decoder", {"word": "c"})


class TestNumbers:
    @pytest.mark.parametrize(
        ("number", "axis", "aim"),
        [
            (Number("loss L", "loss", 0, 100, better="less"), "loss L (0–100)", "less is more useful"),
            (Number("risk R", "risk", 0, 1, "shares", "less"), "risk R (0–1 shares)", "less is safer"),
            (Number("score S", "loss and risk", 0, better="more"), "score S", "more is better"),
            (Number("size", low=0, unit="cm"), "size (cm)", ""),
        ],
    )
    def test_label_axes(self, number, axis, aim):
        assert (number.axis, number.aim) == (axis, aim)
        assert number.sentence == (f"{axis}; {aim}" if aim else axis)

    def test_whose_names_depend_on_options_are_found_by_their_beginning(self):
        numbers = {"d": Number("plain"), "d_*": Number("d of *"), "d_far_*": Number("far d of *")}
        labels = {name: described(name, numbers).label for name in ("d", "d_x", "d_x_y", "d_far_x")}
        assert labels == {"d": "plain", "d_x": "d of x", "d_x_y": "d of x_y", "d_far_x": "far d of x"}
        assert described("e", numbers) is None
