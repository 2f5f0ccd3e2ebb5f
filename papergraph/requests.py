"""Requests that interfaces take: each field is declared once, with its type, default, limits and description.

A request is a frozen dataclass that checks its values when it is made, so one that exists is within its limits::

    @request()
    class CypherRequest:
        query: Annotated[str, described("One statement.", max_length=20_000)]
        rows: Annotated[int, described("Maximum number of rows.", ge=1, le=10_000)] = 1000

REST reads it as a body, with names in camelCase. GraphQL inputs, tools of MCP and methods of ``papergraph.Library``
have its fields as arguments. Where an interface adds a field, or has another limit, it derives a class.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, wraps
from typing import Any, TypeVar, get_type_hints

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import CoreSchema, core_schema
from typing_extensions import dataclass_transform

from papergraph.errors import InputError
from papergraph.records import Marker

R = TypeVar("R")

NOT_IN_MCP = Marker("not in MCP")
NOT_IN_CLI = Marker("not in the command line")
PYTHON_ONLY: Any = SkipJsonSchema()  # type: ignore[type-arg]
"""Field that only Python offers."""


@dataclass(frozen=True)
class Shown:
    """Note on a type: interfaces take a narrower one than Python.

    Attributes:
        type: Type that interfaces take.
        check: Returns a value that is acceptable, and raises ``ValueError`` for others.
    """

    type: Any
    check: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the check, with the schema of the narrower type."""
        shown = handler.generate_schema(self.type)
        return core_schema.no_info_plain_validator_function(self.check, json_schema_input_schema=shown)


CAMEL_CASE = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def request(*, kw_only: bool = False, title: str | None = None) -> Callable[[type[R]], type[R]]:
    """Return the decorator of request classes; a value out of its limits raises ``InputError``.

    Args:
        kw_only: Whether its fields are given by name only.
        title: Name in REST, if it differs from that of the class.
    """

    def declare(cls: type[R]) -> type[R]:
        config = CAMEL_CASE if title is None else ConfigDict(**CAMEL_CASE, title=title)
        made: Any = pydantic_dataclass(cls, frozen=True, kw_only=kw_only, config=config)
        check = made.__init__

        @wraps(check)
        def checked(self: Any, *args: Any, **values: Any) -> None:
            try:
                check(self, *args, **values)
            except ValidationError as error:
                raise input_error(error, names=tuple(request_fields(cls))) from error

        made.__init__ = checked
        return made  # type: ignore[no-any-return]

    return declare


def read_request(kind: Callable[..., R], values: Mapping[str, Any]) -> R:
    """Return a request from values by name, in camelCase or as in Python.

    Raises:
        InputError: A name is unknown, or a value is out of its limits; ``field`` names it.
    """
    try:
        read: R = _adapter(kind).validate_python(dict(values))
    except ValidationError as error:
        raise input_error(error) from error
    return read


def input_error(error: ValidationError, *, names: tuple[str, ...] = ()) -> InputError:
    """Return the first error of a validation; ``names`` are those of positional arguments."""
    first = error.errors(include_url=False)[0]
    start, *rest = first["loc"] or ("",)
    place = ".".join(map(str, (names[start] if isinstance(start, int) and names else start, *rest)))
    return InputError(f"{place}: {message_of(first)}", field=place)


def message_of(error: Mapping[str, Any]) -> str:
    """Return the words for one of the errors of a validation."""
    if error["type"] == "string_too_short" and error["ctx"]["min_length"] == 1:
        return "It is empty; write some text"
    return str(error["msg"])


def request_fields(kind: Any) -> Mapping[str, FieldInfo]:
    """Return the fields of a request, or of a part of one, by their names in Python; positional ones come first.

    Raises:
        LookupError: A field has no description.
    """
    _adapter(kind)  # completes the fields
    fields: Mapping[str, FieldInfo] = getattr(kind, "model_fields", None) or kind.__pydantic_fields__
    if missing := [name for name, one in fields.items() if not (one.description or PYTHON_ONLY in one.metadata)]:
        raise LookupError(f"{kind.__qualname__}.{missing[0]} has no description: annotate it with described(...)")
    return dict(sorted(fields.items(), key=lambda one: bool(one[1].kw_only)))


def offered(kind: Any, *hidden: Any) -> Mapping[str, FieldInfo]:
    """Return the fields that an interface offers: those without its marker."""
    return {name: one for name, one in request_fields(kind).items() if not any(note in hidden for note in one.metadata)}


def parameters(kind: Any, *hidden: Any) -> list[inspect.Parameter]:
    """Return the fields that an interface offers as parameters of a function."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY if one.kw_only else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if one.is_required() else one.get_default(call_default_factory=True),
            annotation=hints[name],
        )
        for name, one in offered(kind, *hidden).items()
    ]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
