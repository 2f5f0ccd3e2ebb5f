"""The filter language: which papers and passages a search looks among, as data that JSON, TOML and Python share.

A filter is an object. Each key is a condition, and all of them must hold; ``all``, ``any`` and ``not`` hold filters
themselves. Within a list of values one is enough::

    {"categories": ["quant-ph"], "years": {"from": 2019}, "not": {"authors": ["Ada Lovelace"]}}

docs/filters.md tells what each condition means.
"""

import difflib
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from papergraph.errors import InputError

MAX_DEPTH = 8
MAX_CONDITIONS = 64
MAX_VALUES = 5000
"""Values of all lists together."""
MAX_CHARS = 300
"""Of a name, a key or a value."""
SHOWN = 3
"""Values of a list in the short form."""

Kind = Literal[
    "front", "abstract", "body", "appendix", "references", "acknowledgements", "table", "equation", "caption"
]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CHARS)]


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _iso(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and _DAY.fullmatch(value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    raise ValueError(f"{str(value)[:40]!r} is not a date such as 2021-12-31")


Day = Annotated[date, BeforeValidator(_iso)]
Year = Annotated[int, Field(strict=True, ge=1, le=9999)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class _Range(_Part):
    @model_validator(mode="after")
    def _is_one(self) -> Self:
        first, last = self.ends()
        if first is None and last is None:
            raise ValueError("needs from, to or both")
        if first is not None and last is not None and first > last:
            raise ValueError(f"from {first} is after to {last}")
        return self

    def ends(self) -> tuple[Any, Any]:
        """Return the first and the last that pass, each None where it is open."""
        raise NotImplementedError


class Years(_Range):
    """Years from one to another, both included; one of them may be left open."""

    first: Year | None = Field(default=None, alias="from")
    last: Year | None = Field(default=None, alias="to")

    def ends(self) -> tuple[int | None, int | None]:
        return self.first, self.last


class Dates(_Range):
    """Days from one to another, both included; one of them may be left open."""

    first: Day | None = Field(default=None, alias="from")
    last: Day | None = Field(default=None, alias="to")

    def ends(self) -> tuple[date | None, date | None]:
        return self.first, self.last


class FieldValue(_Part):
    """A cluster of metadata: papers of one value of a field."""

    field: Text
    value: Text


class Filter(_Part):
    """Conditions that must all hold.

    Attributes:
        all: Every one of these filters holds.
        any: One of them holds.
        not_: It does not hold; written ``not`` as data.
        papers: Ids or keys of papers, such as ``doi:10.1000/182`` or ``arxiv:2401.01234``.
        categories: Subject categories of papers, case aside.
        languages: Languages of papers as ISO 639-1 codes, such as ``de``, case aside.
        years: When papers were published; one whose year is not known does not pass.
        dates: The same to the day.
        authors: Names or ids of authors; case and accents do not count.
        entities: Names, aliases or ids of what passages mention; case and accents do not count.
        clusters: Ids of clusters, or fields and values of metadata; those below a cluster count too.
        kinds: Kinds of passage.
    """

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    all: tuple["Filter", ...] | None = Field(default=None, min_length=1)
    any: tuple["Filter", ...] | None = Field(default=None, min_length=1)
    not_: "Filter | None" = Field(default=None, alias="not")
    papers: tuple[Text, ...] | None = Field(default=None, min_length=1)
    categories: tuple[Text, ...] | None = Field(default=None, min_length=1)
    languages: tuple[Text, ...] | None = Field(default=None, min_length=1)
    years: Years | None = None
    dates: Dates | None = None
    authors: tuple[Text, ...] | None = Field(default=None, min_length=1)
    entities: tuple[Text, ...] | None = Field(default=None, min_length=1)
    clusters: tuple[Text | FieldValue, ...] | None = Field(default=None, min_length=1)
    kinds: tuple[Kind, ...] | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not any(True for _ in self.conditions()):
            raise ValueError("has no condition")
        return self

    def conditions(self) -> Iterator[tuple[str, Any]]:
        """Yield each condition that is set, by the name that it has as data, with what it says."""
        for name, value in self:
            if value is not None:
                yield name.rstrip("_"), value

    def __str__(self) -> str:
        """Return the filter in a short form for people: long lists are cut, and their lengths told."""
        return " and ".join(_short(name, value) for name, value in self.conditions())

    def data(self) -> dict[str, Any]:
        """Return the filter as data that JSON can hold, from which :func:`parse_filter` makes the same again."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def parse_filter(data: Any) -> Filter:
    """Return the filter that data says, as JSON, TOML or a GraphQL input give it.

    Raises:
        InputError: It is none; ``field`` says where, such as ``filter.any.0.years``, and the message what would be.
    """
    if isinstance(data, Filter):
        data = data.data()
    _refuse_large(data)
    try:
        return Filter.model_validate(data)
    except ValidationError as error:
        # Of a value with two forms, each of which says what is wrong, the one that it comes nearest to is told of.
        first = max(error.errors(include_url=False), key=lambda one: len(one["loc"]))
        place = ".".join(["filter", *(str(part) for part in first["loc"] if part not in _FORMS)])
        raise InputError(f"{place}: {_told(first)}", field=place) from error


CONDITIONS = tuple(field.alias or name for name, field in Filter.model_fields.items())
_KINDS = get_args(Kind)
_FORMS = frozenset({FieldValue.__name__, "constrained-str"})
_KEYS = {"years": ("from", "to"), "dates": ("from", "to"), FieldValue.__name__: ("field", "value")}
"""What an object that is no filter holds, by where it stands."""
_MESSAGES = {
    "model_type": "should be an object",
    "tuple_type": "should be a list",
    "too_short": "should name at least one",
    "missing": "is missing",
}


def _told(error: Any) -> str:
    name = str(error["loc"][-1]) if error["loc"] else ""
    if error["type"] == "extra_forbidden":
        keys = _KEYS.get(str(error["loc"][-2]) if len(error["loc"]) > 1 else "", CONDITIONS)
        return f"there is no {name[:40]!r} here; {_nearest(name, keys)}"
    if error["type"] == "literal_error":
        return f"there is no kind {str(error['input'])[:40]!r}; {_nearest(str(error['input']), _KINDS)}"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return _MESSAGES.get(error["type"]) or str(error["msg"]).removeprefix("Input ").removeprefix("String ")


def _nearest(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return (f"did you mean {near[0]}? " if near else "") + f"There are {', '.join(known)}"


def _refuse_large(data: Any) -> None:
    """Raise ``InputError`` for data that is too deep or too long to be looked at closely."""
    n_conditions = n_values = 0
    waiting = [(data, 1)]
    while waiting and n_conditions <= MAX_CONDITIONS and n_values <= MAX_VALUES:
        part, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise InputError(f"Filters may be nested at most {MAX_DEPTH} deep.", field="filter")
        if isinstance(part, dict):
            n_conditions += len(part.keys() & {*CONDITIONS})
            waiting += [(value, depth + (name in _NESTING)) for name, value in part.items()]
        elif isinstance(part, list | tuple):
            n_values += len(part)
            waiting += [(one, depth) for one in part[: MAX_VALUES + 1] if isinstance(one, dict)]
    if n_values > MAX_VALUES:
        raise InputError(f"A filter may have at most {MAX_VALUES} values.", field="filter")
    if n_conditions > MAX_CONDITIONS:
        raise InputError(f"A filter may have at most {MAX_CONDITIONS} conditions.", field="filter")


_NESTING = frozenset({"all", "any", "not"})


def _short(name: str, value: Any) -> str:
    if name in ("all", "any"):
        joined = (" and " if name == "all" else " or ").join(f"({one})" for one in value)
        return f"({joined})" if len(value) > 1 else joined
    if name == "not":
        return f"not ({value})"
    if isinstance(value, _Range):
        first, last = value.ends()
        if first is not None and last is not None:
            return f"{name} {first} to {last}" if first != last else f"{name} {first}"
        return f"{name} from {first}" if first is not None else f"{name} to {last}"
    shown = [f"{one.field}={one.value}" if isinstance(one, FieldValue) else one for one in value[:SHOWN]]
    more = f" and {len(value) - SHOWN} more" if len(value) > SHOWN else ""
    return f"{name} {' or '.join(shown)}{more}"
