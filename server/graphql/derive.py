"""GraphQL types made of records: a resolver returns the record itself.

An object type stands for a record (:class:`papergraph.records.Record`) and has its fields. Types that GraphQL adds
fields to are declared with :func:`object_type`; those of all other records are made when an annotation names them.
Annotations of fields and resolvers name records; :func:`field` and :func:`type_` put the GraphQL types in their place.
"""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import strawberry
from strawberry.scalars import JSON
from strawberry.types import get_object_definition
from strawberry.types.field import StrawberryField
from strawberry.types.lazy_type import LazyType, StrawberryLazyReference
from typing_extensions import dataclass_transform

from papergraph.records import NODE_ID, NOT_IN_GRAPHQL, Record, RecordField, record_fields
from schema import records
from server.auth.access import Access
from server.graphql.connections import Node

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

_made: dict[type, type] = {}


def object_type(record: type[Record], name: str = "", /, **changed: Any) -> Callable[[C], C]:
    """Declare the GraphQL type of a record: the decorated class has fields and resolvers beside the record's.

    Args:
        record: The record; its fields come first.
        name: Name of the type, if it is not that of the record.
        changed: Types of fields that differ in GraphQL, such as an enumeration for a string; None leaves a field out.
    """
    return _declare(strawberry.type, record, name or record.__name__, changed)


def interface_type(record: type[Record]) -> Callable[[C], C]:
    """Declare the GraphQL interface of a record that other records derive from; see :func:`object_type`."""
    return _declare(strawberry.interface, record, record.__name__, {})


def _declare(
    decorate: Callable[..., Any], record: type[Record], name: str, changed: Mapping[str, Any]
) -> Callable[[C], C]:
    def declare(cls: C) -> C:
        members = {name: member for name, member in vars(cls).items() if not name.startswith("__")}
        annotations = {name: graphql_type(hint) for name, hint in inspect.get_annotations(cls).items()}
        made = decorate(
            _make(name, record, cls.__bases__, members, annotations, changed), description=_first_sentence(record)
        )
        _made[record] = made
        declared: C = made
        return declared

    return declare


@dataclass_transform(kw_only_default=True, field_specifiers=(strawberry.field, StrawberryField))
def type_(**options: Any) -> Callable[[C], C]:
    """Return Strawberry's decorator of object types, for a class whose annotations name records."""
    return lambda cls: strawberry.type(_with_types(cls), **options)


def _with_types(cls: C) -> C:
    cls.__annotations__ = {name: graphql_type(hint) for name, hint in inspect.get_annotations(cls).items()}
    return cls


def field(description: str, access: Access | None = None, metadata: Mapping[Any, Any] | None = None) -> Any:
    """Return the decorator of a resolver whose return annotation names records."""
    return _resolved(strawberry.field, description, access, metadata)


def mutation(description: str, access: Access) -> Any:
    """Return the decorator of a mutation."""
    return _resolved(strawberry.mutation, description, access, None)


def subscription(description: str, access: Access) -> Any:
    """Return the decorator of a subscription."""
    return _resolved(strawberry.subscription, description, access, None)


def _resolved(
    declare: Callable[..., Any], description: str, access: Access | None, metadata: Mapping[Any, Any] | None
) -> Callable[[F], Any]:
    options = {"description": description, "metadata": access.metadata if access else metadata}

    def decorate(resolver: F) -> Any:
        returned = get_type_hints(resolver, include_extras=True)["return"]
        return declare(resolver, graphql_type=graphql_type(returned), **options)

    return decorate


def graphql_type(hint: Any) -> Any:
    """Return the GraphQL type of a type that a record or a resolver has."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        inner, *extras = args
        return strawberry.ID if NODE_ID in extras else Annotated[graphql_type(inner), *extras]
    if isinstance(hint, type) and not args and issubclass(hint, Record):
        return _of_record(hint)
    if origin is Literal:
        return str
    if hint is Any or hint is Mapping or origin in (Mapping, dict) or args[:1] == (Any,):
        return JSON
    if origin in (tuple, Sequence, list):
        return list[graphql_type(args[0])]  # type: ignore[misc]
    if origin in (UnionType, Union):
        if (nodes := set(args) - {NoneType}) == set(get_args(records.Node)):
            return Node if len(nodes) == len(args) else Node | None
        return Union[tuple(one if one is NoneType else graphql_type(one) for one in args)]  # noqa: UP007
    if origin in (AsyncGenerator, AsyncIterator) or get_object_definition(origin) is not None:
        return origin[tuple(map(graphql_type, args[:1]))]
    return hint


def _of_record(record: type[Record]) -> Any:
    if (made := _made.get(record)) is not None:
        return made
    return Annotated[record.__name__, _LaterReference(record)]


class _LaterReference(StrawberryLazyReference):
    """Reference to the type of a record, which a later module may declare with :func:`object_type`."""

    def __init__(self, record: type[Record]) -> None:
        super().__init__(record.__module__)
        self.record = record

    def resolve_forward_ref(self, forward_ref: ForwardRef) -> "_Later":
        return _Later(forward_ref.__forward_arg__, self.module, None, self.record)


@dataclass(frozen=True)
class _Later(LazyType[Any, Any]):
    record: type[Record] = Record

    def resolve_type(self) -> type[Any]:
        if self.record not in _made:
            made = _make(self.type_name, self.record, (), {}, {}, {})
            _made[self.record] = strawberry.type(made, description=_first_sentence(self.record))
        return _made[self.record]


def _make(
    name: str,
    record: type[Record],
    bases: tuple[type, ...],
    members: Mapping[str, Any],
    annotations: Mapping[str, Any],
    changed: Mapping[str, Any],
) -> type:
    fields = [one for one in record_fields(record) if NOT_IN_GRAPHQL not in one.markers]
    shown = [one for one in fields if changed.get(one.name, ...) is not None and one.name not in members]
    namespace: dict[str, Any] = {one.name: strawberry.field(description=one.description) for one in shown}
    namespace["__annotations__"] = {one.name: _type_of(one, changed) for one in shown} | dict(annotations)
    namespace["is_type_of"] = classmethod(lambda cls, value, info: isinstance(value, record))
    return type(name, bases, {**namespace, **members, "__module__": record.__module__})


def _type_of(one: RecordField, changed: Mapping[str, Any]) -> Any:
    return changed.get(one.name) or graphql_type(one.type)


def _first_sentence(record: type) -> str:
    return " ".join((record.__doc__ or "").strip().partition("\n\n")[0].split())
