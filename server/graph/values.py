"""What a query of Cypher gives, for those who are no drivers: its values as JSON, or in a few words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neo4j.graph import Node, Path, Relationship

from papergraph.json_values import to_json

NAMED_BY = ("title", "name", "text", "label", "id")
"""Properties that a node is called by, the first that it has."""


@dataclass(frozen=True)
class Rows:
    """What a query gave.

    Attributes:
        columns: Their names, in order.
        rows: For each record a value for each column, as the driver gives them.
        parameters: The values that it was asked with.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    parameters: Mapping[str, Any]

    def plain(self) -> list[dict[str, Any]]:
        """Return a map for each record, of values that JSON has."""
        return [dict(zip(self.columns, map(to_json, row), strict=True)) for row in self.rows]


def told(value: Any) -> str:
    """Return a value in a few words: a node by its label and name, a path by its nodes and arrows."""
    match value:
        case None:
            return ""
        case Node():
            return f"({label_of(value)} {name_of(value)})"
        case Relationship():
            return f"[{value.get('type') or value.type}]"
        case Path():
            parts = [told(value.start_node)]
            for before, step, after in zip(value.nodes, value.relationships, value.nodes[1:], strict=False):
                along = step.start_node == before
                parts.append(f"-{told(step)}->" if along else f"<-{told(step)}-")
                parts.append(told(after))
            return "".join(parts)
        case Mapping():
            return ", ".join(f"{name}: {told(inner)}" for name, inner in value.items())
        case list() | tuple():
            return ", ".join(map(told, value))
    return str(to_json(value))


def label_of(node: Node) -> str:
    """Return the label that says what a node is; those for LlamaIndex do not."""
    return min(label for label in node.labels if not label.startswith("__"))


def name_of(node: Node) -> str:
    """Return what a node is called."""
    return next((" ".join(str(node[name]).split()) for name in NAMED_BY if node.get(name)), "")


def columns_of(records: Sequence[Mapping[str, Any]], declared: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of some records, or those that are declared where there is no record."""
    return tuple(records[0].keys()) if records else tuple(declared)
