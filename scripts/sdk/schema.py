"""Read schema/openapi.json: models, closed lists of values, and lists that nodes have."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REF = "#/components/schemas/"
NOT_MODELS = re.compile(r".+(Page|List|Event)|Problem|PathResponse")
"""Wrappers and events, which clients open, and problems, which they raise."""


@dataclass(frozen=True)
class Type:
    """Type of a value: ``kind`` is a JSON type, or list, map, model, values, union or any.

    Attributes:
        kind: Sort of the type.
        name: Name of a model, or of a closed list.
        parts: Types of entries, or of alternatives.
        values: Known values, if the list is closed.
        nullable: Whether null occurs.
    """

    kind: str
    name: str = ""
    parts: tuple["Type", ...] = ()
    values: tuple[str, ...] = ()
    nullable: bool = False


@dataclass(frozen=True)
class Field:
    """Field of a model, by its name in JSON."""

    name: str
    type: Type
    required: bool
    about: str


@dataclass(frozen=True)
class Model:
    """An object of the API; ``of_request`` if clients send it, and ``is_body`` if it is no part of another one then."""

    name: str
    about: str
    fields: tuple[Field, ...]
    of_request: bool
    is_body: bool


@dataclass(frozen=True)
class NodeList:
    """A list below the address of a node, such as ``papers/cites``."""

    name: str
    model: str
    about: str


@cache
def description() -> Mapping[str, Any]:
    """Return the description of REST."""
    read: dict[str, Any] = json.loads((ROOT / "schema/openapi.json").read_text(encoding="utf-8"))
    return read


def schemas() -> Mapping[str, Any]:
    """Return the schemas by name."""
    found: Mapping[str, Any] = description()["components"]["schemas"]
    return found


def operations() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield method, path and description of every operation."""
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def values() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the closed lists by name: their description and values."""
    return {
        name: (one.get("description", name), tuple(one["enum"])) for name, one in schemas().items() if "enum" in one
    }


def models() -> list[Model]:
    """Return all models in order of their names."""
    bodies = [
        content["schema"]
        for _, _, operation in operations()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    sent, whole = _reached(bodies), {one.get("$ref", "").removeprefix(REF) for one in bodies}
    alternatives = {part for one in schemas().values() if "discriminator" in one for part in _parts(one)}
    return [
        Model(name, _about(one, name), tuple(_fields(_merged(one))), name in sent, name in whole)
        for name, one in sorted(schemas().items())
        if "enum" not in one and not NOT_MODELS.fullmatch(name) and name not in alternatives
    ]


def node_lists() -> list[NodeList]:
    """Return the lists that nodes have, in order of their names."""
    found = []
    for _, path, operation in operations():
        if (place := re.fullmatch(r"/v1/(\w+)/\{id\}/([\w-]+)", path)) is None:
            continue
        content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
        wrapper = content.get("schema", {}).get("$ref", "").removeprefix(REF)
        if wrapper.endswith("Page") and place[1] != "jobs":
            model = wrapper.removesuffix("Page")
            found.append(NodeList(f"{place[1]}/{place[2]}", model, operation["summary"]))
    return found


def type_of(schema: Mapping[str, Any]) -> Type:
    """Return the type that a schema describes."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REF)
        closed = values().get(name)
        return Type("values", name, values=closed[1]) if closed else Type("model", name)
    if "anyOf" in schema:
        parts = [type_of(one) for one in schema["anyOf"] if one.get("type") != "null"]
        nullable = len(parts) < len(schema["anyOf"])
        if len(parts) == 1:
            one = parts[0]
            return Type(one.kind, one.name, one.parts, one.values, nullable)
        return Type("union", parts=tuple(parts), nullable=nullable)
    if "enum" in schema:
        return Type("values", values=tuple(schema["enum"]))
    match schema.get("type"):
        case "array":
            return Type("list", parts=(type_of(schema["items"]),))
        case "object":
            entry = schema.get("additionalProperties")
            return Type("map", parts=(type_of(entry) if isinstance(entry, dict) else Type("any"),))
        case "string":
            return Type({"date-time": "datetime", "date": "date"}.get(schema.get("format", ""), "string"))
        case "integer" | "number" | "boolean" as kind:
            return Type(kind)
    return Type("any", nullable=True)


def _parts(schema: Mapping[str, Any]) -> list[str]:
    return [one["$ref"].removeprefix(REF) for one in schema["oneOf"]]


def _merged(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one object for all alternatives of a schema with a discriminator; others as they are."""
    if "discriminator" not in schema:
        return schema
    by, parts = schema["discriminator"]["propertyName"], [schemas()[name] for name in _parts(schema)]
    held = {
        name: {"anyOf": [part["properties"][name] for part in parts]} for name in parts[0]["properties"] if name != by
    }
    label = {"type": "string", "enum": [part["properties"][by]["const"] for part in parts]}
    return {"properties": {by: label, **held}, "required": parts[0]["required"]}


def _fields(schema: Mapping[str, Any]) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        about = _about(one, "").splitlines()
        yield Field(name, type_of(one), name in required, about[0] if about else "")


def _about(schema: Mapping[str, Any], name: str) -> str:
    text = str(schema.get("description", name))
    return re.sub(r"``", "`", text.split("\n\nAttributes:")[0]).strip()


def _reached(roots: list[Mapping[str, Any]]) -> set[str]:
    """Return the names of the schemas that some schemas refer to, themselves included."""
    found: set[str] = set()
    waiting: list[Any] = list(roots)
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            name = one.get("$ref", "").removeprefix(REF)
            if name and name not in found:
                found.add(name)
                waiting.append(schemas()[name])
            waiting.extend(one.values())
    return found


def snake(name: str) -> str:
    """Return a name of JSON in snake_case."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
