"""Make dataclasses of JSON, and JSON of dataclasses; unknown fields and values never fail."""

import dataclasses
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")
Decoder = Callable[[Any], Any]


class Model:
    """An object of an answer. Fields that this version does not know are in the raw response only."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Make it of an object of JSON; what is missing is None."""
        made = {name: decoder(data.get(wire)) for name, wire, decoder in _plan(typing.cast(Any, cls))}
        label = data.get("label")
        if label in NODES and isinstance(data.get("node"), Mapping):
            made["node"] = decode(_nodes()[label], data["node"])
        return cls(**made)

    def to_json(self) -> dict[str, Any]:
        """Return it as an object of JSON, with the names of the API."""
        values = {wire: _encode(getattr(self, name)) for name, wire, _ in _plan(typing.cast(Any, type(self)))}
        return values


@dataclass(frozen=True)
class Page(Generic[T]):
    """Page of a list.

    Attributes:
        data: Its entries.
        next: Cursor of the next page; None at the end.
        total: Length of the whole list, if it was asked for.
    """

    data: tuple[T, ...]
    next: str | None
    total: int | None


@dataclass(frozen=True)
class ListOf(Generic[T]):
    """A list that nodes of a kind have.

    Attributes:
        name: Kind of the nodes and name of the list, such as ``papers/cites``.
        model: Class of its entries.
    """

    name: str
    model: type[T]


NODES = ("Paper", "Section", "Chunk", "Author", "Reference", "Question", "Entity", "Cluster")


@cache
def _nodes() -> Mapping[str, Any]:
    from papergraph_client import models

    return {label: getattr(models, label) for label in NODES}


def camel(name: str) -> str:
    """Return a name of Python as the API has it."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def snake(name: str) -> str:
    """Return a name of the API as Python has it."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


OPAQUE = ("overrides", "parameters")
"""Objects whose names are the user's."""


def encode_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as JSON, without those that are None."""
    return {camel(name): _encode_option(name, value) for name, value in options.items() if value is not None}


def _encode_option(name: str, value: Any) -> Any:
    if name in OPAQUE:
        return value
    if isinstance(value, Mapping):
        return encode_options(value)
    if isinstance(value, list | tuple):
        return [_encode_option("", one) for one in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def decode(kind: Any, data: Any) -> Any:
    """Make a value of a type of what JSON holds."""
    return _decoder(kind)(data)


@cache
def _plan(cls: Any) -> tuple[tuple[str, str, Decoder], ...]:
    hints = typing.get_type_hints(cls)
    fields = dataclasses.fields(cls)
    return tuple((field.name, camel(field.name), _decoder(hints[field.name])) for field in fields)


def _decoder(kind: Any) -> Decoder:
    """Return what makes a value; None, and what has another form than expected, stays as it is."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        parts = [one for one in args if one is not type(None)]
        return _decoder(parts[0]) if len(parts) == 1 else _same
    if origin is tuple:
        entry = _decoder(args[0])
        return lambda data: tuple(map(entry, data)) if isinstance(data, list) else data
    if origin is dict:
        value = _decoder(args[1])
        return lambda data: {key: value(one) for key, one in data.items()} if isinstance(data, dict) else data
    if kind is datetime:
        return _time
    if isinstance(kind, type) and issubclass(kind, Model):
        return lambda data: kind.from_json(data) if isinstance(data, Mapping) else data
    return _same


def _same(data: Any) -> Any:
    return data


def _time(data: Any) -> Any:
    try:
        return datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", data))
    except (TypeError, ValueError):
        return data


def _encode(value: Any) -> Any:
    if isinstance(value, Model):
        return value.to_json()
    if isinstance(value, tuple | list):
        return [_encode(one) for one in value]
    if isinstance(value, dict):
        return {key: _encode(one) for key, one in value.items()}
    return value.isoformat() if isinstance(value, datetime) else value
