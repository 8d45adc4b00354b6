"""Taxonomies as their owner writes them: what is read, what is refused, and what becomes of them in a file."""

import json
from dataclasses import asdict

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdclab
from sdclab.base.errors import SdclabError
from sdclab.microdata.dataset import Dataset
from sdclab.microdata.declaration import types_of
from sdclab.microdata.inference import attributes
from sdclab.microdata.microdata import Microdata
from sdclab.microdata.tree import Node, tree_of

REGION = {"north": ["Aa", "Bb"], "south": [{"islands": ["Cc", "Dd"]}, "Ee"]}


def trees():
    """Nested lists and mappings whose leaves are numbered afterwards, from left to right."""
    names = st.integers(0, 10**6).map("n{}".format)
    return st.recursive(
        st.just("leaf"),
        lambda node: st.lists(node, min_size=1, max_size=3) | st.dictionaries(names, node, min_size=1, max_size=3),
        max_leaves=8,
    ).filter(lambda tree: tree != "leaf")


def numbered(tree, found):
    if tree == "leaf":
        found.append(f"c{len(found)}")
        return found[-1]
    if isinstance(tree, dict):
        return {name: numbered(part, found) for name, part in tree.items()}
    return [numbered(part, found) for part in tree]


class TestTree:
    def test_by_hand(self):
        root = tree_of(REGION, "region")
        assert (root.label, root.height, root.leaves) == ("*", 3, ("Aa", "Bb", "Cc", "Dd", "Ee"))
        assert root.inner == ("north", "islands", "south", "*")

    def test_a_node_without_a_name_is_called_by_its_categories(self):
        assert tree_of([["Aa", "Bb"], 3, 4.0], "region").inner == ("Aa or Bb", "*")
        assert tree_of([["Aa", "Bb"], 3, 4.0], "region").leaves == ("Aa", "Bb", "3", "4")

    @given(trees())
    def test_keeps_every_category_once_and_what_json_keeps_of_it_is_the_same(self, drawn):
        found = []
        root = tree_of(numbered(drawn, found), "drawn")
        assert root.leaves == tuple(found)
        assert sum(not node.below for node in root.walk()) == len(found)
        assert Node.of(json.loads(json.dumps(asdict(root)))) == root

    @pytest.mark.parametrize(
        ("said", "message"),
        [
            ({"taxonomy": "Aa"}, "a taxonomy must be a list of categories, not a single one"),
            ({"taxonomy": []}, "a node must be a code or a list or mapping that is not empty"),
            ({"taxonomy": {"north": ["Aa", {}]}}, "a node must be a code or a list or mapping that is not empty"),
            ({"taxonomy": {"north": None, "south": ["Aa"]}}, "a node must be a code or a list or mapping"),
            ({"taxonomy": ["Aa", True]}, "a node must be a code or a list or mapping"),
            ({"taxonomy": [["Aa", "Bb"], ["Bb"]]}, "a category stands in the taxonomy twice"),
            ({"taxonomy": [["Aa"], "Bb"]}, "a node has no name, or that of another; each must have its own"),
            ({"taxonomy": {"Aa": ["Aa", "Bb"]}}, "a node has no name, or that of another"),
            ({"taxonomy": [{"x": ["Aa", "Bb"]}, {"x": ["Cc", "Dd"]}]}, "a node has no name, or that of another"),
            (
                {"taxonomy": ["Aa", "Bb"], "categories": ["Aa", "Cc"]},
                "Bb stands in the taxonomy, but not among the cat",
            ),
            (
                {"taxonomy": ["Aa", "Bb"], "categories": ["Aa", "Bb", "Cc"]},
                "Cc is missing from it, but is among the cat",
            ),
            ({"taxonomy": ["Aa", "Bb"], "type": "ordinal"}, "is ordinal, so it has no taxonomy"),
            ({"taxonomy": ["Aa", "Bb"], "type": "count"}, "has categories, but is declared as one of numbers, too"),
            ({"taxonomy": ["Aa", "Bb"], "low": 0}, "has categories, but is declared as one of numbers, too"),
        ],
    )
    def test_what_is_wrong_is_said_in_one_sentence(self, said, message):
        with pytest.raises(SdclabError, match=f"^types: region.*{message}.*\\.$"):
            types_of({"region": said}, "types")


class TestColumn:
    def test_its_domain_is_the_categories_and_the_nodes_above_them(self):
        table = Microdata.of_frame(pd.DataFrame({"region": ["Aa", "Cc", "Aa", "Cc"]}))
        (found,) = attributes(table, ["region"], types_of({"region": {"taxonomy": REGION}}, "types"))
        assert found.type == "nominal"
        assert found.leaves == ("Aa", "Bb", "Cc", "Dd", "Ee")
        assert found.categories == (*found.leaves, "north", "islands", "south", "*")

    def test_an_original_has_none_of_the_nodes(self):
        table = Microdata.of_frame(pd.DataFrame({"region": ["Aa", "north", "Aa", "Cc"]}))
        with pytest.raises(SdclabError, match="1 values of column region are not among its categories"):
            attributes(table, ["region"], types_of({"region": {"taxonomy": REGION}}, "types"))

    def test_is_kept_with_a_dataset(self, tmp_path):
        table = Microdata.of_frame(pd.DataFrame({"region": ["Aa", "Cc", "Aa", "Cc"]}))
        found = attributes(table, ["region"], types_of({"region": {"taxonomy": REGION}}, "types"))
        values = table.encoded(["region"], found)
        Dataset("own", "own", "own.csv", ("region",), values, found).write(tmp_path / "t.csv", tmp_path / "t.json")
        assert Dataset.read(tmp_path / "t.csv", tmp_path / "t.json").attributes == found


@pytest.fixture
def people(rng):
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 120),
            "income": rng.lognormal(8, 1, 120).round(2),
            "region": rng.choice(["Aa", "Bb", "Cc", "Dd", "Ee"], 120),
            "grade": rng.choice([1, 2, 3], 120),
        }
    )


TYPES = {"region": {"taxonomy": REGION}, "grade": {"taxonomy": {"low": [1, 2], "high": [3]}}}


@pytest.mark.parametrize("method", ["k_member", "fdm", "fuzzy_hybrid"])
class TestRelease:
    def test_holds_labels_that_are_true_of_every_record(self, people, method):
        frame = people.astype({"region": "category"})
        strict = {} if method == "k_member" else {"strict": True}
        made = sdclab.protect(frame, method, k=6, types=TYPES, categories="generalised", seed=2**40, **strict)
        for name, said in types_of(TYPES, "types").items():
            covers = {node.label: set(node.leaves) for node in said.taxonomy.walk()}
            released = made.data[name].astype(str)
            assert all(
                before in covers[after] for before, after in zip(people[name].astype(str), released, strict=True)
            )
            assert set(released) & set(said.taxonomy.inner)  # something was generalised
        assert made.facts["smallest_class"] >= 6
        assert made.facts["smallest_class_released"] >= 6
        assert made.data.groupby(list(made.data)).size().min() == made.facts["smallest_class_released"]

    def test_can_be_measured_with_its_types_and_not_without(self, people, method):
        made = sdclab.protect(people, method, k=6, types=TYPES, categories="generalised", seed=2**40)
        told, without = (
            sdclab.measure(people, made.data, measures=["information_loss"], types=types)
            .set_index("quantity")["value"]
            .to_dict()
            for types in (TYPES, None)
        )
        assert 0 < told["information_loss_categories"] <= 2 * 120
        assert without["information_loss_categories"] == 0  # labels that are no categories are not compared

    def test_has_categories_of_the_file_unless_it_is_asked_for(self, people, method):
        made = sdclab.protect(people, method, k=6, types=TYPES, seed=2**40, allow_unchanged=True)
        assert set(made.data["region"]) <= set(people["region"])
        assert made.data["grade"].dtype == people["grade"].dtype

    def test_without_a_taxonomy_nothing_can_be_generalised(self, people, method):
        with pytest.raises(SdclabError, match="categories is generalised, but the types of the dependents have no tax"):
            sdclab.protect(people, method, k=6, categories="generalised")
