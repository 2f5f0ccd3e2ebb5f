"""Filters of a search: their language, and the papers and chunks that pass."""

import asyncio
import difflib
import operator
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import reduce
from secrets import token_hex
from typing import Annotated, Any, Literal, Self, get_args
from weakref import WeakKeyDictionary

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    model_validator,
)

from papergraph import cypher
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.errors import InputError
from papergraph.records import Record, described, described_briefly
from papergraph.schema.ids import (
    author_id,
    check_collection,
    collection_term,
    entity_id,
    metadata_cluster_id,
    possible_keys,
)
from papergraph.server.retrieval.entity_linking import folded_words
from papergraph.server.retrieval.lucene import word_queries

# The filter language: which papers and passages a search looks among, as data that JSON, TOML and Python share.
#
# A filter is an object. Each key is a condition, and all of them must hold; ``all``, ``any`` and ``not`` hold filters
# themselves. Within a list of values one is enough::
#
#     {"categories": ["quant-ph"], "years": {"from": 2019}, "not": {"authors": ["Ada Lovelace"]}}
#
# docs/filters.md tells what each condition means.


MAX_DEPTH = 8
MAX_CONDITIONS = 64
MAX_VALUES = 5000
"""Values of all lists together."""
MAX_CHARS = 300
"""Longest name, key or value in characters."""
SHOWN = 3
"""Values of a list in the short form."""

Kind = Literal[
    "front", "abstract", "body", "appendix", "references", "acknowledgements", "table", "equation", "caption"
]
Status = Literal["retracted", "concern", "corrected", "reinstated"]
State = Literal["to-read", "reading", "read"]
Mark = Literal["star", "note", "highlight"]
ANYBODY: str = f"anybody-{token_hex(16)}"
"""Owner of no annotation: a filter that no caller was named for sees what is shared."""
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
    """Range of years, inclusive; one bound is optional."""

    first: Annotated[Year | None, described("First year.", alias="from")] = None
    last: Annotated[Year | None, described("Last year.", alias="to")] = None

    def ends(self) -> tuple[int | None, int | None]:
        return self.first, self.last


class Dates(_Range):
    """Range of days, inclusive; one bound is optional."""

    first: Annotated[Day | None, described("First day.", alias="from")] = None
    last: Annotated[Day | None, described("Last day.", alias="to")] = None

    def ends(self) -> tuple[date | None, date | None]:
        return self.first, self.last


class FieldValue(_Part):
    """Papers with a value of a metadata field."""

    field: Annotated[Text, described("Name of the field, such as task.")]
    value: Annotated[Text, described("The value.")]


def _described(schema: dict[str, Any], declared: type) -> None:
    described_briefly(schema, declared)
    schema["minProperties"] = 1


class Filter(_Part):
    """Conditions that must all hold; see docs/filters.md.

    >>> recent = papergraph.Filter(any=[{"years": {"from": 2020}}, {"authors": ["Ada Lovelace"]}])
    >>> str(recent)
    '((years from 2020) or (authors Ada Lovelace))'
    >>> all(hit.paper.year >= 2020 for hit in library.search("tabu search", filter=recent))
    True
    """

    model_config = ConfigDict(json_schema_extra=_described)

    all: Annotated[tuple["Filter", ...] | None, described("All of these hold.", min_length=1)] = None
    any: Annotated[tuple["Filter", ...] | None, described("At least one of these holds.", min_length=1)] = None
    not_: Annotated["Filter | None", described("This must not hold.", alias="not")] = None
    papers: Annotated[tuple[Text, ...] | None, described("Ids or keys, such as a DOI or @smith2019.", min_length=1)] = (
        None
    )
    categories: Annotated[tuple[Text, ...] | None, described("Categories of papers, such as cs.CL.", min_length=1)] = (
        None
    )
    keywords: Annotated[tuple[Text, ...] | None, described("Keywords of papers.", min_length=1)] = None
    words: Annotated[
        tuple[Text, ...] | None,
        described("Words that titles, abstracts or names of authors have, all of one text.", min_length=1),
    ] = None
    venues: Annotated[
        tuple[Text, ...] | None, described("Journals or conferences of papers, by name.", min_length=1)
    ] = None
    formats: Annotated[tuple[Text, ...] | None, described("Formats of files, such as pdf.", min_length=1)] = None
    languages: Annotated[
        tuple[Text, ...] | None,
        described("Languages of papers as ISO 639-1 codes, such as de.", min_length=1),
    ] = None
    status: Annotated[
        tuple[Status, ...] | None, described("Editorial status of papers, such as retracted.", min_length=1)
    ] = None
    years: Annotated[Years | None, described("Years of publication.")] = None
    dates: Annotated[Dates | None, described("Days of publication.")] = None
    authors: Annotated[tuple[Text, ...] | None, described("Names or ids.", min_length=1)] = None
    entities: Annotated[tuple[Text, ...] | None, described("Names, aliases or ids.", min_length=1)] = None
    clusters: Annotated[
        tuple[Text | FieldValue, ...] | None, described("Clusters of papers or passages.", min_length=1)
    ] = None
    tags: Annotated[tuple[Text, ...] | None, described("Tags of papers.", min_length=1)] = None
    states: Annotated[
        tuple[State, ...] | None, described("Reading states of papers: to-read, reading or read.", min_length=1)
    ] = None
    marked: Annotated[
        tuple[Mark, ...] | None,
        described(
            "star and note for papers that have one, highlight for passages with highlighted words.", min_length=1
        ),
    ] = None
    kinds: Annotated[tuple[Kind, ...] | None, described("Passage kinds, such as table.", min_length=1)] = None

    _viewer: str | None = PrivateAttr(default=ANYBODY)

    @property
    def viewer(self) -> str | None:
        """Account whose private annotations the filter sees beside shared ones; None for those of all."""
        return self._viewer

    def seen_by(self, viewer: str | None) -> Self:
        """Return the filter as a caller's, whose private annotations it sees."""
        nested = {
            "all": None if self.all is None else tuple(one.seen_by(viewer) for one in self.all),
            "any": None if self.any is None else tuple(one.seen_by(viewer) for one in self.any),
            "not_": None if self.not_ is None else self.not_.seen_by(viewer),
        }
        seen = self.model_copy(update={name: one for name, one in nested.items() if one is not None})
        seen._viewer = viewer
        return seen

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
        """Return the filter in a short form for people: long lists are cut, with their lengths."""
        return " and ".join(_short(name, value) for name, value in self.conditions())

    def data(self) -> dict[str, Any]:
        """Return the filter as data that JSON can hold, from which :func:`parse_filter` makes the same again."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def parse_filter(data: Any) -> Filter:
    """Return the filter in data from JSON, TOML or a GraphQL input.

    Raises:
        InputError: The data are invalid; ``field`` names the place, such as ``filter.any.0.years``, and the message
            the valid form.
    """
    if isinstance(data, Filter):
        data = data.data()
    _refuse_large(data)
    try:
        return Filter.model_validate(data)
    except ValidationError as error:
        # For a value with two forms, the error of the most similar form is reported.
        first = max(error.errors(include_url=False), key=lambda one: len(one["loc"]))
        place = ".".join(["filter", *(str(part) for part in first["loc"] if part not in _FORMS)])
        raise InputError(f"{place}: {_told(first)}", field=place) from error


CONDITIONS = tuple(field.alias or name for name, field in Filter.model_fields.items())
_CLOSED = {"status": ("status", Status), "states": ("state", State), "marked": ("mark", Mark), "kinds": ("kind", Kind)}
"""Conditions whose values are of a closed list, each with the name of a value and the list."""
_FORMS = frozenset({FieldValue.__name__, "constrained-str"})
_KEYS = {"years": ("from", "to"), "dates": ("from", "to"), FieldValue.__name__: ("field", "value")}
"""Allowed keys of nested filter objects."""
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
        name, values = next(_CLOSED[part] for part in error["loc"] if part in _CLOSED)
        return f"there is no {name} {str(error['input'])[:40]!r}; {_nearest(str(error['input']), get_args(values))}"
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


# Matches of a filter: sets of papers and chunks, and their combination


@dataclass(frozen=True)
class Ids:
    """Ids that pass, or all but these."""

    ids: frozenset[str]
    all_but: bool = False

    def __contains__(self, id: object) -> bool:
        return (id in self.ids) is not self.all_but

    def __invert__(self) -> "Ids":
        return Ids(self.ids, not self.all_but)

    def __and__(self, other: Self) -> "Ids":
        if self.all_but and other.all_but:
            return Ids(self.ids | other.ids, True)
        if self.all_but:
            return Ids(other.ids - self.ids)
        return Ids(self.ids - other.ids if other.all_but else self.ids & other.ids)

    def __or__(self, other: Self) -> "Ids":
        return ~(~self & ~other)

    @property
    def is_empty(self) -> bool:
        """True if nothing matches."""
        return not (self.all_but or self.ids)

    def __str__(self) -> str:
        return f"{'all but ' if self.all_but else ''}{len(self.ids)}"


@dataclass(frozen=True)
class Passing:
    """Matches of a filter: chunks that satisfy all three conditions; None for no condition.

    Attributes:
        papers: Ids of their papers; complete if ``chunks`` are listed.
        chunks: Ids of the chunks.
        kinds: Their kinds.
        n_papers: Number of papers in the store.
        n_chunks: Number of chunks in the store.
    """

    papers: Ids | None = None
    chunks: Ids | None = None
    kinds: frozenset[str] | None = None
    n_papers: int = 0
    n_chunks: int = 0

    @property
    def size(self) -> int:
        """Number of stored ids."""
        return sum(len(ids.ids) for ids in (self.papers, self.chunks) if ids is not None)

    def __str__(self) -> str:
        parts = {"papers": self.papers, "chunks": self.chunks}
        told = [f"{ids} {name}" for name, ids in parts.items() if ids is not None]
        return ", ".join([*told, *([" or ".join(sorted(self.kinds))] if self.kinds is not None else [])])

    @property
    def n_chunks_of_papers(self) -> float:
        """Approximate number of chunks of the named papers (matching or excluded); of all papers without names."""
        if self.papers is None:
            return self.n_chunks
        return len(self.papers.ids) * self.n_chunks / max(1, self.n_papers)

    def share(self, *, of_papers: bool) -> float:
        """Return the approximate share of matches among all chunks, or among those of matching papers; in (0, 1]."""
        n_papers = self.n_chunks_of_papers
        n_all = max(1.0, n_papers if of_papers else self.n_chunks)
        n = self.n_chunks - n_papers if self.papers is not None and self.papers.all_but else n_papers
        if self.chunks is not None:
            n = n - len(self.chunks.ids) if self.chunks.all_but else len(self.chunks.ids)
        return min(1.0, max(n, 1.0) / n_all)


@dataclass(frozen=True)
class AppliedFilter(Record):
    """Applied filter."""

    filter: Annotated[str, described("Summary of the filter.")]
    match_summary: Annotated[str, described("Numbers of passing papers and chunks, and passing kinds.")]
    unknown: Annotated[
        tuple[str, ...],
        described(
            "Values without a match in the collections, such as \"authors 'Ada Lovelace'\"; they let nothing pass. For "
            "years, the number of papers without one."
        ),
    ] = ()


@dataclass(frozen=True)
class ResolvedFilter:
    """Filter with the papers and chunks that it lets pass."""

    applied: AppliedFilter
    passing: Passing


def all_of(parts: Sequence[Passing]) -> Passing:
    papers = [part.papers for part in parts if part.papers is not None]
    chunks = [part.chunks for part in parts if part.chunks is not None]
    kinds = [part.kinds for part in parts if part.kinds is not None]
    return Passing(
        reduce(operator.and_, papers) if papers else None,
        reduce(operator.and_, chunks) if chunks else None,
        reduce(operator.and_, kinds) if kinds else None,
    )


def only_papers(part: Passing) -> bool:
    return part.papers is not None and part.chunks is None and part.kinds is None


def only_kinds(part: Passing) -> bool:
    return part.kinds is not None and part.chunks is None and part.papers is None


async def both_of(part: Passing) -> Passing:
    return part


# Matches of a filter in collections: sets of papers and chunks, found in Neo4j and combined here.
#
# Each condition is one query, and sets of ids are combined by all, any and not; "all but these" is a set as well, so so
# the complement of a small set is never listed.


MAX_CHUNKS = 200_000
"""Chunks that are listed where conditions on papers and on passages are mixed under any or not."""
MOST_KEPT, MOST_IDS_KEPT = 64, 1_000_000
"""Filters whose sets are kept, and ids of these sets, while nothing is committed."""
NAMES_PER_QUERY = 50
NODES_PER_NAME = 20
FIRST_YEAR, LAST_YEAR = 1, 9999
_LISTED = {"categories": "categories", "keywords": "keywords", "formats": "format"}
"""Conditions on values of a paper, with their properties."""


async def resolve(database: Database, filter: Filter, collections: tuple[str, ...]) -> ResolvedFilter:
    """Resolve a filter to its matches.

    An unknown value matches nothing and is reported. Results are cached until the next commit.

    Raises:
        InputError: A collection's name is invalid, or the filter mixes conditions on papers and passages so that more
            than 200,000 chunks would have to be listed.
        DatabaseError: Neo4j failed.
    """
    for collection in collections:
        check_collection(collection)
    state = await database.state()
    known = _known.setdefault(database, OrderedDict())
    found = known.get((collections, filter))
    if not state or found is None or found[0] != state:
        found = known[collections, filter] = state, await _resolve(database, filter, collections)
        while len(known) > MOST_KEPT or sum(resolved.passing.size for _, resolved in known.values()) > MOST_IDS_KEPT:
            known.popitem(last=False)
    else:
        known.move_to_end((collections, filter))
    return found[1]


_Asked = tuple[tuple[str, ...], Filter]
_known: WeakKeyDictionary[Database, OrderedDict[_Asked, tuple[str, ResolvedFilter]]] = WeakKeyDictionary()
"""Cache of resolved filters, with the state of the store."""


async def _resolve(database: Database, filter: Filter, collections: tuple[str, ...]) -> ResolvedFilter:
    resolving = _Resolving(database, collections)
    passing, counted = await asyncio.gather(resolving.filter(filter), database.read(cypher.load("filters/counts")))
    passing = replace(resolving.narrowed(passing), **counted[0].data())
    return ResolvedFilter(AppliedFilter(str(filter), str(passing), tuple(sorted(resolving.unknown))), passing)


class _Resolving:
    def __init__(self, database: Database, collections: tuple[str, ...]) -> None:
        self._database = database
        self._collections = collections
        self._paper_of: dict[str, str] = {}
        self.unknown: set[str] = set()

    async def filter(self, filter: Filter) -> Passing:
        parts = await asyncio.gather(
            *(self._condition(name, value, filter.viewer) for name, value in filter.conditions())
        )
        return all_of(parts)

    def narrowed(self, passing: Passing) -> Passing:
        """Return the matches; listed chunks are restricted to matching papers, which are then complete."""
        if passing.chunks is None or passing.chunks.all_but:
            return passing
        papers = passing.papers or Ids(frozenset(), all_but=True)
        ids = frozenset(id for id in passing.chunks.ids if self._paper_of[id] in papers)
        return replace(passing, papers=Ids(frozenset(self._paper_of[id] for id in ids)), chunks=Ids(ids))

    def _condition(self, name: str, value: Any, viewer: str | None) -> Awaitable[Passing]:
        if name in ("tags", "states"):
            return self._annotated(name, value, viewer)
        if name == "marked":
            return self._marked(value, viewer)
        if name in _LISTED:
            return self._listed(name, value)
        finders: dict[str, Callable[[Any], Awaitable[Passing]]] = {
            "all": self.all_of,
            "any": self._any,
            "not": self._not,
            "kinds": lambda kinds: both_of(Passing(kinds=frozenset(kinds))),
            "papers": self._papers,
            "words": self._words,
            "venues": self._venues,
            "languages": self._languages,
            "status": self._status,
            "years": self._years,
            "dates": self._dates,
            "authors": self._authors,
            "entities": self._entities,
            "clusters": self._clusters,
        }
        return finders[name](value)

    async def all_of(self, filters: Sequence[Filter]) -> Passing:
        return all_of(await asyncio.gather(*map(self.filter, filters)))

    async def _any(self, filters: Sequence[Filter]) -> Passing:
        parts = await asyncio.gather(*map(self.filter, filters))
        if all(only_papers(part) for part in parts):
            return Passing(papers=reduce(operator.or_, [part.papers for part in parts if part.papers is not None]))
        if all(only_kinds(part) for part in parts):
            return Passing(kinds=frozenset[str]().union(*(part.kinds or () for part in parts)))
        return Passing(chunks=reduce(operator.or_, [await self._as_chunks(part) for part in parts]))

    async def _not(self, filter: Filter) -> Passing:
        part = await self.filter(filter)
        if only_papers(part) and part.papers is not None:
            return Passing(papers=~part.papers)
        return Passing(chunks=~await self._as_chunks(part))

    async def _as_chunks(self, part: Passing) -> Ids:
        """Return the chunks of a part, listed, or those that it leaves out."""
        found = part.chunks
        for papers, kinds in ((part.papers, None), (None, part.kinds)):
            if papers is not None or kinds is not None:
                listed = await self._chunks_of(papers, kinds)
                found = listed if found is None else found & listed
        return found if found is not None else Ids(frozenset(), all_but=True)

    async def _chunks_of(self, papers: Ids | None, kinds: frozenset[str] | None) -> Ids:
        limit = MAX_CHUNKS + 1
        if papers is not None:
            statement = cypher.load("filters/chunks_of_papers")
            records = await self._database.read(statement, paper_ids=sorted(papers.ids), limit=limit)
        else:
            statement = cypher.load("filters/chunks_of_kinds")
            asked: dict[str, Any] = {"collections": self._collections, "kinds": sorted(kinds or ())}
            records = await self._database.read(statement, limit=limit, **asked)
        if len(records) == limit:
            raise InputError(
                "the filter mixes conditions on papers and on passages under any or not, and more than "
                f"{MAX_CHUNKS} passages would have to be listed; put the rarer condition beside it, in all",
                field="filter",
            )
        self._paper_of |= {record["chunk_id"]: record["paper_id"] for record in records}
        return Ids(frozenset(record["chunk_id"] for record in records), papers is not None and papers.all_but)

    async def _papers(self, names: Sequence[str]) -> Passing:
        records = await self._database.read(
            cypher.load("filters/papers_by_name"),
            collections=self._collections,
            named=[{"name": name, "keys": possible_keys(name)} for name in dict.fromkeys(names)],
        )
        found = {record["name"]: record["paper_ids"] for record in records}
        return Passing(papers=self._named("papers", {name: name for name in names}, found))

    async def _listed(self, condition: str, values: Sequence[str]) -> Passing:
        written = {value.lower(): value for value in values}
        records = await self._database.read(
            cypher.load("filters/papers_of_values"),
            collections=self._collections,
            property=_LISTED[condition],
            values=list(written),
        )
        self._tell(condition, written, {value for record in records for value in record["found"]})
        return Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))

    async def _words(self, texts: Sequence[str]) -> Passing:
        papers = zip(texts, await asyncio.gather(*map(self._papers_with, texts)), strict=True)
        return Passing(
            papers=self._named("words", {text: text for text in texts}, {text: ids for text, ids in papers if ids})
        )

    async def _papers_with(self, text: str) -> list[str]:
        """Return the papers that have all words of a text."""
        words = list(dict.fromkeys(text.lower().split()))
        queries: dict[str, Any] = {**word_queries(words, self._collections)}
        statement = cypher.load("filters/papers_of_words")
        (record,) = await self._database.read(statement, collections=self._collections, words=words, **queries)
        return list(record["paper_ids"])

    async def _venues(self, names: Sequence[str]) -> Passing:
        written = {name.lower(): name for name in names}
        records = await self._database.read(
            cypher.load("filters/papers_of_venues"), collections=self._collections, names=list(written)
        )
        self._tell("venues", written, {name for record in records for name in record["found"]})
        return Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))

    async def _languages(self, codes: Sequence[str]) -> Passing:
        written = {code.lower(): code for code in codes}
        records = await self._database.read(
            cypher.load("filters/papers_of_languages"), collections=self._collections, languages=list(written)
        )
        self._tell("languages", written, {record["language"] for record in records})
        return Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))

    async def _status(self, statuses: Sequence[str]) -> Passing:
        (record,) = await self._database.read(
            cypher.load("filters/papers_of_status"), collections=self._collections, statuses=list(statuses)
        )
        return Passing(papers=Ids(frozenset(record["paper_ids"])))

    async def _annotated(self, condition: str, texts: Sequence[str], viewer: str | None) -> Passing:
        written = {text.lower(): text for text in texts}
        kind = condition.removesuffix("s")
        found = await self._papers_of_annotations(viewer, kinds=[kind], texts=list(written))
        self._tell(condition, written, found.keys())
        return Passing(papers=Ids(frozenset(id for ids in found.values() for id in ids)))

    async def _marked(self, marks: Sequence[Mark], viewer: str | None) -> Passing:
        papers = chunks = None
        if kinds := [one for one in marks if one != "highlight"]:
            found = await self._papers_of_annotations(viewer, kinds=kinds, texts=None)
            papers = Passing(papers=Ids(frozenset(id for ids in found.values() for id in ids)))
        if "highlight" in marks:
            statement = cypher.load("filters/chunks_of_highlights")
            records = await self._database.read(statement, collections=self._collections, owner=viewer)
            chunks = self._chunks([{record["chunk_id"]: record["paper_id"] for record in records}])
        if papers is None or chunks is None:
            return papers or chunks or Passing()
        return Passing(chunks=await self._as_chunks(papers) | await self._as_chunks(chunks))

    async def _papers_of_annotations(
        self, viewer: str | None, *, kinds: Sequence[str], texts: Sequence[str] | None
    ) -> dict[str, list[str]]:
        asked: dict[str, Any] = {"kinds": kinds, "texts": texts, "owner": viewer}
        statement = cypher.load("filters/papers_of_annotations")
        records = await self._database.read(statement, collections=self._collections, **asked)
        return {record["found"]: record["paper_ids"] for record in records}

    async def _years(self, years: Years) -> Passing:
        first, last = years.ends()
        (record,) = await self._database.read(
            cypher.load("filters/papers_of_years"),
            collections=self._collections,
            first=first or FIRST_YEAR,
            last=last or LAST_YEAR,
        )
        if not record["paper_ids"]:
            undated = f" ({record['n_undated']:,} of {record['n_papers']:,} papers have no year)"
            self.unknown.add(str(Filter(years=years)) + undated * bool(record["n_undated"]))
        return Passing(papers=Ids(frozenset(record["paper_ids"])))

    async def _dates(self, dates: Dates) -> Passing:
        first, last = dates.ends()
        (record,) = await self._database.read(
            cypher.load("filters/papers_of_dates"),
            collections=self._collections,
            first=first or date.min,
            last=last or date.max,
        )
        if not record["paper_ids"]:
            self.unknown.add(str(Filter(dates=dates)))
        return Passing(papers=Ids(frozenset(record["paper_ids"])))

    async def _authors(self, names: Sequence[str]) -> Passing:
        ids_of = await self._ids_of("Author", names, of_name=author_id)
        records = await self._database.read(
            cypher.load("filters/papers_of_authors"),
            collections=self._collections,
            author_ids=sorted(frozenset().union(*ids_of.values())),
        )
        found = {record["id"]: record["paper_ids"] for record in records}
        self._tell("authors", {name: name for name in names}, {name for name in names if ids_of[name] & found.keys()})
        return Passing(papers=Ids(frozenset(id for ids in found.values() for id in ids)))

    async def _entities(self, names: Sequence[str]) -> Passing:
        ids_of = await self._ids_of("Entity", names, of_name=entity_id)
        records = await self._database.read(
            cypher.load("filters/chunks_of_entities"),
            collections=self._collections,
            entity_ids=sorted(frozenset().union(*ids_of.values())),
        )
        found = {record["id"]: dict(record["chunks"]) for record in records}
        self._tell("entities", {name: name for name in names}, {name for name in names if ids_of[name] & found.keys()})
        return self._chunks(found.values())

    async def _clusters(self, clusters: Sequence[str | FieldValue]) -> Passing:
        written = {
            id: f"{one.field}={one.value}" if isinstance(one, FieldValue) else one
            for one in clusters
            for id in self._ids_of_cluster(one)
        }
        records = await self._database.read(
            cypher.load("filters/members_of_clusters"), collections=self._collections, cluster_ids=sorted(written)
        )
        found = {written[record["id"]] for record in records}
        self._tell("clusters", {said: said for said in written.values()}, found)
        papers = Passing(papers=Ids(frozenset(id for record in records for id in record["paper_ids"])))
        chunks = self._chunks([dict(record["chunks"]) for record in records])
        if chunks.chunks is None or not chunks.chunks.ids:
            return papers
        if papers.papers is None or not papers.papers.ids:
            return chunks
        return Passing(chunks=await self._as_chunks(papers) | chunks.chunks)

    def _ids_of_cluster(self, cluster: str | FieldValue) -> list[str]:
        """Return the id of a cluster; of one of metadata, its ids in the collections."""
        if isinstance(cluster, str):
            return [cluster]
        return [metadata_cluster_id(collection, cluster.field, cluster.value) for collection in self._collections]

    def _chunks(self, found: Iterable[Mapping[str, str]]) -> Passing:
        """Return chunks, each given with its paper."""
        ids: set[str] = set()
        for paper_of in found:
            self._paper_of |= paper_of
            ids |= paper_of.keys()
        return Passing(chunks=Ids(frozenset(ids)))

    async def _ids_of(
        self, label: str, names: Sequence[str], *, of_name: Callable[[str, str], str]
    ) -> dict[str, frozenset[str]]:
        """Return the possible ids of each name: itself, that of the name, and those of names with the same spelling.

        Case, accents and punctuation are ignored.
        """
        spelt: dict[tuple[str, ...], set[str]] = {tuple(folded_words(name)): set() for name in names}
        forms = [form for form in spelt if form]
        where = " ".join(map(collection_term, self._collections))
        for part in batches(forms, NAMES_PER_QUERY):
            phrases = " ".join(f'"{" ".join(form)}"' for form in part)
            wanted = " ".join(f"{field}:({phrases})" for field in ("name", "aliases"))
            records = await self._database.read(
                cypher.load("filters/names"),
                fulltext_query=f"+collectionTerm:({where})^0 +({wanted})",
                k=NODES_PER_NAME * len(part),
            )
            for record in records:
                for name in (record["name"], *record["aliases"]) if record["label"] == label else ():
                    if (form := tuple(folded_words(name))) in spelt:
                        spelt[form].add(record["id"])
        return {
            name: frozenset(
                {name, *(of_name(one, name) for one in self._collections), *spelt[tuple(folded_words(name))]}
            )
            for name in names
        }

    def _named(self, condition: str, written: Mapping[str, str], found: Mapping[str, Iterable[str]]) -> Ids:
        self._tell(condition, written, found.keys())
        return Ids(frozenset(id for ids in found.values() for id in ids))

    def _tell(self, condition: str, written: Mapping[str, str], found: Set[str]) -> None:
        self.unknown |= {f"{condition} {said!r}" for key, said in written.items() if key not in found}
