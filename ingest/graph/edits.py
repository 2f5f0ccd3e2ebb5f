"""Manual edits of a paper: they override all other sources and survive their changes."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.paper_sources import PaperPlan, PaperSource, Provider, SourceKind, papers_of
from papergraph.ingest.graph.stored_papers import StoredPaper, sources_of
from papergraph.ingest.graph.writer import change_source
from papergraph.ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from papergraph.schema.ids import arxiv_key, check_collection, doi_key

TEXTS = {
    "title": LONGEST_TITLE,
    "abstract": 100_000,
    "license": 1000,
    "comment": 10_000,
    "journalRef": 1000,
    "url": 2000,
}
YEARS = range(1000, 3000)
EDITABLE = (*TEXTS, "authors", "categories", "year", "doi", "arxivId")
"""Fields that a person can set or empty."""


@dataclass(frozen=True)
class StatedField:
    """A field of a paper: its value, and the name and provider of the source that states it."""

    name: str
    value: Any
    source: str
    provider: Provider


async def edit_paper(
    database: Database,
    key: str,
    fields: Mapping[str, Any],
    *,
    collection: str,
    undo: Iterable[str] = (),
) -> None:
    """Record and apply a manual edit of a paper; earlier edits of other fields stay.

    Args:
        database: A prepared store.
        key: A key of the paper, main or other.
        fields: Values by the names of :data:`EDITABLE`; None, an empty text or list empties a field.
        collection: Collection of the paper.
        undo: Fields whose edits are undone.

    Raises:
        NotFoundError: The paper is missing.
        InputError: A field is not editable, or has an invalid value.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    checked = {name: _checked(name, value) for name, value in fields.items()}
    taken_back = {_known(name) for name in undo}

    def change(paper: StoredPaper, stored: PaperSource | None) -> PaperSource | None:
        said = {} if stored is None else {**stored.fields, **dict.fromkeys(stored.cleared)}
        said = {name: value for name, value in {**said, **checked}.items() if name not in taken_back}
        if not said:
            return None
        aliases = {one.key for one in paper.sources} | (set(stored.aliases) if stored else set())
        return PaperSource(
            name_of_edit(paper.key) if stored is None else stored.name,
            paper.key if stored is None else stored.key,
            SourceKind.EDIT,
            Provider.PERSON,
            fields={name: value for name, value in said.items() if value},
            aliases=tuple(sorted(aliases)),
            cleared=tuple(sorted(name for name, value in said.items() if not value)),
        )

    plan = await _plan(database, key, collection)
    edits = [one.name for one in plan.sources if one.kind is SourceKind.EDIT]
    name = edits[0] if edits else name_of_edit(plan.key)
    if not await change_source(database, collection=collection, name=name, change=change, of_key=plan.key):
        raise NotFoundError(f"paper in collection {collection!r} with key", key, field="key")


async def stated_fields(database: Database, key: str, *, collection: str) -> list[StatedField]:
    """Return the fields of a paper that are known or emptied, each with its source, in the order of precedence's table.

    Raises:
        NotFoundError: The paper is missing.
        DatabaseError: Neo4j failed.
    """
    plan = await _plan(database, key, collection)
    by_name = {one.name: one for one in plan.sources}
    return [
        StatedField(name, plan.fields.get(name), source, by_name[source].provider)
        for name, source in plan.stated_by.items()
    ]


def value_of(name: str, text: str) -> Any:
    """Return the value of a field from text; semicolons separate the entries of a list.

    Raises:
        InputError: The field is not editable, or the year is not a number.
    """
    _known(name)
    if name in ("authors", "categories"):
        return [one.strip() for one in text.split(";") if one.strip()]
    if name == "year" and text:
        if not text.isdecimal():
            raise InputError(f"{text[:40]} is not a year.", field=name)
        return int(text)
    return text


def name_of_edit(key: str) -> str:
    """Return the name of the edit of a paper that has a key when it is edited first."""
    return f"edit:{key}"


async def _plan(database: Database, key: str, collection: str) -> PaperPlan:
    sources = [PaperSource.of(one) for one in await sources_of(database, key, collection=collection)]
    plans = papers_of(collection, sources)
    if not plans:
        raise NotFoundError(f"paper in collection {collection!r} with key", key, field="key")
    return plans[0]


def _known(name: str) -> str:
    if name not in EDITABLE:
        raise InputError(f"{name[:40]!r} cannot be edited. Fields: {', '.join(EDITABLE)}.", field="fields")
    return name


def _checked(name: str, value: Any) -> Any:
    """Return a value as it is stored; None for one that empties the field."""
    _known(name)
    if value in (None, "", [], ()):
        return None
    if name == "year":
        if not isinstance(value, int) or isinstance(value, bool) or value not in YEARS:
            raise InputError(f"{str(value)[:40]} is not a year.", field=name)
        return value
    if name in ("authors", "categories"):
        return _names(name, value)
    if not isinstance(value, str):
        raise InputError(f"{name} must be text.", field=name)
    if name in ("doi", "arxivId"):
        try:
            return (doi_key if name == "doi" else arxiv_key)(value).partition(":")[2]
        except ValueError as error:
            raise InputError(str(error), field=name) from error
    text = re.sub(r"\s+", " ", value).strip() if name != "abstract" else value.strip()
    if len(text) > TEXTS[name]:
        raise InputError(f"{name} is longer than {TEXTS[name]} characters.", field=name)
    return text or None


def _names(name: str, value: Any) -> list[str] | None:
    if isinstance(value, str) or not all(isinstance(one, str) for one in value):
        raise InputError(f"{name} must be a list of texts.", field=name)
    names = list(dict.fromkeys(filter(None, (" ".join(one.split()) for one in value))))
    if len(names) > MOST_AUTHORS or any(len(one) > LONGEST_NAME for one in names):
        raise InputError(f"{name} has too many entries, or one that is too long.", field=name)
    return names or None
