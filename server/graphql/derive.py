"""GraphQL types made of records: a resolver returns the record itself.

An object type is derived from a record (:class:`papergraph.records.Record`) and has its fields. Types that GraphQL adds
fields to are declared with :func:`object_type`; those of all other records are made when an annotation names them.
Annotations of fields and resolvers name records; :func:`field` and :func:`type_` put the GraphQL types in their place.
"""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import strawberry
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from strawberry.scalars import JSON
from strawberry.types import get_object_definition
from strawberry.types.field import StrawberryField
from strawberry.types.lazy_type import LazyType, StrawberryLazyReference
from typing_extensions import dataclass_transform

from papergraph.records import NODE_ID, NOT_IN_GRAPHQL, Record, RecordField, first_sentence, record_fields
from papergraph.requests import PYTHON_ONLY, Shown, offered, read_request
from papergraph.schema import records
from papergraph.server.auth.operations import Operation
from papergraph.server.graphql.connections import Node

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")

_made: dict[type, type] = {}
_inputs: dict[Any, Any] = {}


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
            _make(name, record, cls.__bases__, members, annotations, changed), description=first_sentence(record)
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


def field(description: str, operation: Operation | None = None, metadata: Mapping[Any, Any] | None = None) -> Any:
    """Return the decorator of a resolver whose return annotation names records."""
    return _resolved(strawberry.field, description, operation, metadata)


def mutation(description: str, operation: Operation) -> Any:
    """Return the decorator of a mutation."""
    return _resolved(strawberry.mutation, description, operation, None)


def subscription(description: str, operation: Operation) -> Any:
    """Return the decorator of a subscription."""
    return _resolved(strawberry.subscription, description, operation, None)


def _resolved(
    declare: Callable[..., Any], description: str, operation: Operation | None, metadata: Mapping[Any, Any] | None
) -> Callable[[F], Any]:
    options = {"description": description, "metadata": operation.metadata if operation else metadata}

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
            _made[self.record] = strawberry.type(made, description=first_sentence(self.record))
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


def input_type(kind: type, **changed: Any) -> Callable[[C], C]:
    """Declare the GraphQL input of a request, or of a part of one; it has the fields, defaults and descriptions.

    Args:
        kind: The class of the request.
        changed: Types of fields that differ in GraphQL, such as an enumeration for a string.
    """

    def declare(cls: C) -> C:
        _inputs[kind] = Annotated[cls.__name__, strawberry.lazy(cls.__module__)]
        fields = offered(kind, NOT_IN_GRAPHQL, PYTHON_ONLY)
        types = {
            name: changed.get(name) or _type_of_input(one.annotation, one.metadata) for name, one in fields.items()
        }
        namespace: dict[str, Any] = {name: _input_field(one, types[name]) for name, one in fields.items()}
        namespace |= {"__annotations__": types, "__module__": cls.__module__, "__doc__": kind.__doc__}
        made = strawberry.input(type(cls.__name__, (), namespace), description=first_sentence(kind))
        return made  # type: ignore[return-value]

    return declare


def argument(name: str, one: FieldInfo) -> inspect.Parameter:
    """Return a field of a request as an argument of a resolver."""
    hint: Any = Annotated[
        _type_of_input(one.annotation, one.metadata), strawberry.argument(description=one.description)
    ]
    default = inspect.Parameter.empty if one.is_required() else one.get_default(call_default_factory=True)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def read_input(kind: type[R], given: Any) -> R:
    """Return the request that an input is.

    Raises:
        InputError: A value is out of its limits; ``field`` names it.
    """
    return read_request(kind, input_data(given))


def input_data(given: Any) -> Any:
    """Return an input as data, with the names that REST has; what is null is left out."""
    if isinstance(given, Enum):
        return given.value
    if isinstance(given, list):
        return [input_data(one) for one in given]
    if callable(data := getattr(given, "data", None)):
        return data()
    if (declared := get_object_definition(type(given))) is None:
        return given
    values = {one.graphql_name or to_camel(one.python_name): getattr(given, one.python_name) for one in declared.fields}
    found = {name: input_data(value) for name, value in values.items() if value is not None}
    if isinstance(pairs := found.get("overrides"), list):  # GraphQL has no maps
        found["overrides"] = {one["option"]: one["value"] for one in pairs}
    return found


def _input_field(one: FieldInfo, type_: Any) -> Any:
    options: dict[str, Any] = {"description": one.description}
    if one.alias is not None and one.alias_priority != 1:
        options["name"] = one.alias
    if one.is_required():
        return strawberry.field(**options)
    default = one.get_default(call_default_factory=True)
    if get_origin(type_) is list:
        return strawberry.field(default_factory=lambda: list(default), **options)
    return strawberry.field(default=None if one.default_factory else default, **options)


def _type_of_input(hint: Any, extras: Sequence[Any] = ()) -> Any:
    """Return the GraphQL type of a field of a request."""
    if shown := [one for one in extras if isinstance(one, Shown)]:
        return shown[0].type
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type_of_input(args[0], args[1:])
    if hint in _inputs:
        return _inputs[hint]
    if origin is Literal:
        return str
    if origin is Mapping:
        return JSON
    if origin in (tuple, list):
        return list[_type_of_input(args[0])]  # type: ignore[misc]
    if origin in (UnionType, Union):
        return Union[tuple(one if one is NoneType else _type_of_input(one) for one in args)]  # noqa: UP007
    return hint


def _type_of(one: RecordField, changed: Mapping[str, Any]) -> Any:
    return changed.get(one.name) or graphql_type(one.type)
