"""Trees over the categories of an attribute: which of them have something in common, and what that is called.

    taxonomy:
      government: [federal, state, local]
      self-employed: [incorporated, not incorporated]

A category is a leaf, a list holds the nodes below one node, and a mapping gives each of them its name. What has no name
is called by its categories, and the root `*`: any of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sdclab.base.errors import SdclabError, shortened
from sdclab.numerics.digits import number_text

ANY = "*"
"""The root, as tables that suppress a value have it."""


@dataclass(frozen=True)
class Node:
    """A category, or what the nodes below it have in common."""

    label: str
    below: tuple["Node", ...] = ()

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "Node":
        """A node from what JSON keeps of it."""
        return cls(said["label"], tuple(map(cls.of, said["below"])))

    @cached_property
    def height(self) -> int:
        return 1 + max(node.height for node in self.below) if self.below else 0

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The categories below it, from left to right; of a category itself."""
        return tuple(leaf for node in self.below for leaf in node.leaves) if self.below else (self.label,)

    def walk(self) -> Iterator["Node"]:
        """Every node, those below another before it."""
        for node in self.below:
            yield from node.walk()
        yield self

    @cached_property
    def inner(self) -> tuple[str, ...]:
        """What its categories may be generalised to."""
        return tuple(node.label for node in self.walk() if node.below)


def tree_of(said: Any, where: str) -> Node:
    """The root of a tree, every category having one place in it."""
    root = Node(ANY, _below(said, where))
    if not isinstance(said, list | Mapping):
        raise SdclabError(f"{where}: a taxonomy must be a list of categories, not a single one.")
    if len(set(root.leaves)) < len(root.leaves):
        raise SdclabError(f"{where}: a category stands in the taxonomy twice; each must have one place.")
    return root


def _below(said: Any, where: str) -> tuple[Node, ...]:
    """The nodes that a leaf, a list or a mapping puts below a node."""
    if isinstance(said, int | float | str) and not isinstance(said, bool):
        return (Node(label(said)),)
    if isinstance(said, Mapping) and said:
        return tuple(Node(label(name), _below(part, where)) for name, part in said.items())
    if isinstance(said, list) and said:
        return tuple(node for part in said for node in _listed(part, where))
    raise SdclabError(f"{where}: a node must be a code or a list or mapping that is not empty.")


def _listed(part: Any, where: str) -> tuple[Node, ...]:
    nodes = _below(part, where)
    if not isinstance(part, list):
        return nodes
    unnamed = Node("", nodes)
    return (Node(" or ".join(unnamed.leaves), nodes),)


def named_tree_of(said: Any, categories: Sequence[str] | None, where: str) -> Node:
    """A tree whose nodes can be released: each has a label of its own, and its leaves are the categories, if told."""
    root = tree_of(said, f"{where}: taxonomy")
    labels = [node.label for node in root.walk()]
    if "" in labels or len(set(labels)) < len(labels):
        raise SdclabError(f"{where}: taxonomy: a node has no name, or that of another; each must have its own.")
    for missing in sorted(set(categories or root.leaves) ^ set(root.leaves)):
        problem = "stands in the taxonomy, but not" if missing in root.leaves else "is missing from it, but is"
        raise SdclabError(f"{where}: taxonomy: {shortened(missing)} {problem} among the categories.")
    return root


def label(given: Any) -> str:
    """YAML reads 1 as a number, 2.0 too, and yes as true."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return number_text(float(given))
    return str(given).strip()
