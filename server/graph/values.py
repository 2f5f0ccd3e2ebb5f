"""Values of the graph as JSON, and names of languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neo4j.graph import Node, Path, Relationship

from papergraph import cypher
from papergraph.database import Database
from papergraph.ingest.pipeline.prepare import language_warning
from papergraph.json_values import to_json
from papergraph.schema.migrate import analyzer_of
from papergraph.server.retrieval.active_model import Searched
from papergraph.server.retrieval.scope import AllowedCollections

# Results of Cypher queries as JSON, or in a short form


NAMED_BY = ("title", "name", "text", "label", "id")
"""Properties that a node is called by, the first that it has."""


@dataclass(frozen=True)
class Rows:
    """Result of a query.

    Attributes:
        columns: Names of the columns, in order.
        rows: One list of the driver's values per record.
        parameters: Parameters of the query.
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
    """Return the label of a node's kind, ignoring labels for LlamaIndex, which begin with ``__``."""
    return min(label for label in node.labels if not label.startswith("__"))


def name_of(node: Node) -> str:
    """Return what a node is called."""
    return next((" ".join(str(node[name]).split()) for name in NAMED_BY if node.get(name)), "")


def columns_of(records: Sequence[Mapping[str, Any]], declared: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of some records, or those that are declared where there is no record."""
    return tuple(records[0].keys()) if records else tuple(declared)


# Languages of collections, and which of them the store is not prepared for


async def language_warnings(
    database: Database, names: Sequence[str], *, searched: Searched, collections: AllowedCollections = None
) -> list[list[str]]:
    """Return for each collection its warnings that searches may miss papers, one per language concerned.

    Args:
        database: The store.
        names: Names of the collections.
        searched: The embedding model in use.
        collections: Allowed collections; None for all.

    Raises:
        DatabaseError: Neo4j failed.
    """
    reached = [name for name in names if collections is None or name in collections]
    records = await database.read(cypher.load("graph/languages"), ids=reached)
    languages = {record["collection"]: record["languages"] for record in records}
    analyzer = await analyzer_of(database) if languages else ""
    model = searched.embedder.card.name
    found = [
        [language_warning(one, model=model, analyzer=analyzer) for one in languages.get(name, ())] for name in names
    ]
    return [[told for told in of if told is not None] for of in found]
