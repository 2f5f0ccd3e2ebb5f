"""Query results as JSON: nodes, relationships and paths as maps, times as texts, points as maps."""

import base64
import math
from collections.abc import Iterator, Mapping
from typing import Any

import papergraph.neo4j_import  # noqa: F401 - before the driver

# isort: split
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot

LEFT_OUT = frozenset(
    {*VECTOR_PROPERTIES, *map(VectorSlot.SECOND.called, VECTOR_PROPERTIES)}
    | {"collectionTerm", "lineBoxes", "revision"}
)
"""Properties that tell a reader nothing: vectors, and what the store keeps beside them."""

MOST_DEPTH = 50
"""Deepest nesting of lists and maps; deeper ones become the name of their kind."""


def to_json(value: Any, *, depth: int = 0) -> Any:
    """Return a value of the driver's as JSON has it.

    A node is ``{"id", "labels", "properties"}``, a relationship ``{"id", "type", "start", "end", "properties"}``, and a
    path ``{"nodes", "relationships"}``; ids are Neo4j's own. Vectors of nodes are left out unless asked for by name,
    numbers that JSON does not have are texts, bytes are base64.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if depth > MOST_DEPTH:
        return f"[{type(value).__name__}]"
    if isinstance(value, Node):  # before maps, as which the driver has it too
        return _node(value)
    if isinstance(value, Relationship):
        return _relationship(value)
    if isinstance(value, Date | DateTime | Duration | Time):  # before lists: a duration is a tuple to the driver
        return value.iso_format()
    if isinstance(value, Point):
        return {"srid": value.srid, "coordinates": [to_json(part) for part in value]}
    if isinstance(value, list | tuple):
        return [to_json(item, depth=depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {str(name): to_json(item, depth=depth + 1) for name, item in value.items()}
    if isinstance(value, Path):
        nodes, steps = map(_node, value.nodes), map(_relationship, value.relationships)
        return {"nodes": list(nodes), "relationships": list(steps)}
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    return str(value)


def parts_of(value: Any) -> Iterator[Node | Relationship]:
    """Yield the nodes and relationships in a value of the driver's, however deep they stand."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node | Relationship):
            yield one
            if isinstance(one, Relationship):
                waiting += [node for node in one.nodes if node is not None and node.labels]
        elif isinstance(one, Path):
            waiting += [*one.nodes, *one.relationships]
        elif isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _node(node: Node) -> dict[str, Any]:
    return {"id": node.element_id, "labels": sorted(node.labels), "properties": _properties(node)}


def _relationship(step: Relationship) -> dict[str, Any]:
    start, end = step.nodes
    return {
        "id": step.element_id,
        "type": step.type,
        "start": start.element_id if start is not None else None,
        "end": end.element_id if end is not None else None,
        "properties": _properties(step),
    }


def _properties(of: Node | Relationship) -> dict[str, Any]:
    return {name: to_json(value, depth=1) for name, value in sorted(of.items()) if name not in LEFT_OUT}
