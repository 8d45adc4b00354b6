"""Documents: what would grow without bound, mean two things or plan nonsense is refused."""

import pytest
from conftest import PROJECT, SCHEMAS

from sdclab.base import documents
from sdclab.base.errors import SdclabError


class TestDocuments:
    """What would grow without bound, or mean two things, is refused before anything is made of it."""

    bomb = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30))

    chain = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 100))

    merges = "a0: &a0 {k: 1}\n" + "".join(f"a{i}: &a{i} {{<<: *a{i - 1}, k{i}: 1}}\n" for i in range(1, 600))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: 1\nb: {c: 1, c: 2}", r"x\.yaml, line 2, column 11: .*the key 'c' stands here twice"),
            ("a: 1\nb: [2, .inf]", r"x\.yaml, line 2, column 8: .*\.inf is not a number between"),
            ("a: -.INF", r"line 1, column 4: .*-\.INF is not a number"),
            ("a: .nan", r"line 1, column 4: .*\.nan is not a number"),
            ("a: 1.0e+400", r"1\.0e\+400 is not a number"),
            ("a: " + "9" * 5000, r"9\.\.\. is not a number"),
            ("a: " + "[" * 5000, r"line 1, column 33: .*nested more than 30 deep"),
            ("a: " + "{b: " * 5000, "nested more than 30 deep"),
            (bomb, r"x\.yaml: a5: holds more than 100000 values"),
            (chain, r"x\.yaml: a29\.0: is nested more than 30 deep"),
            (merges, "more than 100000 keys, merged ones included"),
            ("a: &a [*a]", "is nested more than 30 deep"),
            ("a: {5.5: x}", r"line 1, column 5: .*a key must be a text; quote it"),
            ("on: 1", "a key must be a text; quote it"),
            ("? [a]\n: 1", "a key must be a text; quote it"),
            ("a: !!bool x", "a tag is not taken here"),
            ("a: !!python/object:os.system x", "a tag is not taken here"),
            ("a: x\n" * 40_000 + "b: x", "has 200004 bytes, but at most 200000 are read"),
        ],
        ids=lambda text: text[:20],
    )
    def test_are_refused_with_the_place(self, tmp_path, text, message):
        path = tmp_path / "x.yaml"
        path.write_text(text)
        with pytest.raises(SdclabError, match=message):
            documents.parse(path)

    def test_a_key_that_is_a_number_is_its_text(self):
        assert documents.value("{2: [[1, 2], 3]}", "x") == {"2": [[1, 2], 3]}
        with pytest.raises(SdclabError, match="the key '2' stands here twice"):
            documents.value("{2: a, '2': b}", "x")

    def test_aliases_and_merges_are_taken_as_they_are_meant(self):
        text = "base: &base {k: 1, l: 2}\nlist: [&own {<<: *base, k: 3}]\nagain: {<<: *own}\nwhen: 2009-08-20"
        found = documents.value(text, "x")
        assert found["list"] == [{"k": 3, "l": 2}]
        assert found["again"] == {"k": 3, "l": 2}
        assert found["when"] == "2009-08-20"

    def test_what_another_has_read_is_checked_too(self, tmp_path):
        schema = tmp_path / "schema.yaml"
        schema.write_text("type: object\nproperties: {n: {type: integer}}")
        shared: list = ["x"]
        for _ in range(20):
            shared = [shared, shared]
        for document, message in (
            ({"a": {"b": [1, float("nan")]}}, r"config: a\.b\.1 is nan but must be a finite number"),
            ({"a": shared}, "config: a.*: holds more than 100000 values"),
            ({"n": 3.0}, r"config: n is 3\.0 but must be of type integer"),
            ({"n": "x" * 10_000}, r"config: n is '[x]{96}\.\.\. but must be of type integer"),
        ):
            with pytest.raises(SdclabError, match=message):
                documents.validate(document, schema, "config")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("results", "", "config: results is '' but must be the path of a folder other than this one and the root"),
        ("results", "/", "config: results is '/' but must be the path of a folder"),
        ("results", "..", "config: results is '..' but must be the path of a folder"),
        ("results", "a{b}", r"config: results is 'a\{b\}' but must be a path without braces"),
        ("results", "a\nb", "but must be a path without braces and control characters"),
        ("results", None, "config: results is None but must be of type string"),
        ("cache_dir", "{home}", "cache_dir is '{home}' but must be a path without braces"),
        ("studies", ["a", "a"], "studies is .* but must be a list in which nothing stands twice"),
        ("limits", {"values": 2.0}, r"limits\.values is 2\.0 but must be of type integer, null"),
        ("limits", {"values": float("inf")}, "limits.values is inf but must be a finite number"),
        ("limits", {"value": 2}, "limits: unknown key 'value': did you mean values"),
    ],
)
def test_a_config_that_would_plan_nonsense_is_refused(key, value, message):
    config = documents.parse(PROJECT / "config" / "config.yaml")
    with pytest.raises(SdclabError, match=message):
        documents.validate({**config, key: value}, SCHEMAS / "config.schema.yaml", "config")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t["grid"][0].update(parameters={"a": "../x"}), r"parameters\.a is '\.\./x' but must be letters"),
        (lambda t: t["grid"][0].update(parameters={"a": ["{x}"]}), r"a\.0 is '\{x\}' but must be letters, digits and"),
        (
            lambda t: t["scenarios"].update({"a/b": t["scenarios"]["S1"]}),
            "scenarios: a name in it is .a/b. but must",
        ),
        (lambda t: t["tables"].update({"../x": {}}), r"tables: a name in it is '\.\./x' but must be small letters"),
        (lambda t: t.update(datasets={"x": {"file": "a{b}.csv", "columns": ["a"]}}), "file is 'a{b}.csv' but must be"),
        (lambda t: t.update(replicates=10**9), "replicates is 1000000000 but must be at most 100000"),
        (lambda t: t.update(replicates=2.0), r"replicates is 2\.0 but must be of type integer"),
    ],
)
def test_what_becomes_part_of_a_path_or_a_count_is_refused_in_a_study(edit, message):
    study = documents.parse(PROJECT / "config" / "studies" / "cano_torra_2009.yaml")
    edit(study)
    with pytest.raises(SdclabError, match=message):
        documents.validate(study, SCHEMAS / "study.schema.yaml", "study.yaml")
