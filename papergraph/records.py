"""Records that all interfaces answer with: each is declared once, with the description of each field.

A record is a frozen dataclass that derives from :class:`Record`. Pydantic, and so REST and MCP, reads it as it is:
names are camelCase outside, and a field that is :func:`internal` is left out. GraphQL types are made of
:func:`record_fields`.
"""

import inspect
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel
from pydantic.fields import ComputedFieldInfo, FieldInfo


def first_sentence(declared: Any) -> str:
    """Return the first paragraph of a docstring in one line: the description of a record or request outside."""
    return " ".join((declared.__doc__ or "").strip().partition("\n\n")[0].split())


def described_briefly(schema: dict[str, Any], declared: type) -> None:
    """Describe a JSON schema by the first paragraph of its class."""
    schema["description"] = first_sentence(declared)


class Record:
    """Base class of records."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, json_schema_serialization_defaults_required=True, json_schema_extra=described_briefly
    )


@dataclass(frozen=True)
class Marker:
    """Note on the type of a field."""

    name: str


NODE_ID = Marker("id of a node")
NOT_IN_GRAPHQL = Marker("not in GraphQL")

Id = Annotated[str, NODE_ID]
"""Id of a node: 64 hexadecimal digits."""


def described(text: str, **limits: Any) -> Any:
    """Return a pydantic ``Field`` with a description and limits, such as ``ge=1, le=100``, for use in ``Annotated``."""
    return Field(description=text, **limits)


def internal(text: str) -> Any:
    """Return the description of a field that no interface shows, for ``Annotated``."""
    return Field(description=text, exclude=True)


@dataclass(frozen=True)
class RecordField:
    """A field of a record that interfaces show.

    Attributes:
        name: Name in the record; in camelCase the name outside.
        type: Type with its markers, without the description.
        description: One sentence.
        markers: Markers of the field itself.
    """

    name: str
    type: Any
    description: str
    markers: frozenset[Marker]


def record_fields(record: type) -> tuple[RecordField, ...]:
    """Return the fields of a record in their order, computed ones last.

    Raises:
        LookupError: A field has no description.
    """
    return _fields(record)


@cache
def _fields(record: Any) -> tuple[RecordField, ...]:
    fields = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        if get_origin(hint) is ClassVar:
            continue
        type_, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        infos = [extra for extra in extras if isinstance(extra, FieldInfo)]
        markers = frozenset(extra for extra in extras if isinstance(extra, Marker))
        if not infos or not infos[0].description:
            raise LookupError(f"{record.__qualname__}.{name} has no description: annotate it with described(...)")
        if not infos[0].exclude:
            shown = Annotated[type_, NODE_ID] if NODE_ID in markers else type_
            fields.append(RecordField(name, shown, infos[0].description, markers - {NODE_ID}))
    return (*fields, *_computed(record))


def _computed(record: type) -> list[RecordField]:
    fields = []
    for name, member in vars(record).items():
        info = getattr(member, "decorator_info", None)
        if isinstance(info, ComputedFieldInfo):
            getter = member.wrapped.fget
            hint = get_type_hints(getter, include_extras=True)["return"]
            fields.append(RecordField(name, hint, inspect.cleandoc(getter.__doc__ or ""), frozenset()))
    return fields


@cache
def _adapter(record: Any) -> TypeAdapter[Any]:
    return TypeAdapter(record)


def to_json(record: Record | BaseModel) -> str:
    """Return a record as JSON, with the names that it has outside."""
    kind: type = type(record)
    return _adapter(kind).dump_json(record, by_alias=True).decode()
