"""Entity linking: the entities that a query names, by name, by other names, and by vector where neither is known."""

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from neo4j import Record

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import check_collection, collection_term, entity_id, normalise
from papergraph.server.retrieval.lucene import QUESTION_WORDS
from papergraph.text.words import singular

MOST_WORDS = 256
LONGEST_NAME = 20
"""Words of a name."""
N_CANDIDATES = 200
"""Nodes that full text brings in for a query."""
LEAST_COSINE = 0.86
"""Between a name in the query and an entity's; one pair of unrelated names in 4,000 lies above."""
MOST_BY_VECTOR = 8
"""Spans of a query that vectors are made of."""
_WORD = re.compile(r"\w+")
_REMARK = re.compile(r"\s*\([^()]*\)\s*$")
_SAY_NOTHING = QUESTION_WORDS | frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by for if in into is it no not of on or s such that the their then these they this to "
        "was will with",
    )
)
_CAPITALS = re.compile(r"[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|and|de|von|van|for|in)\s+)?[A-Z0-9][\w'’.-]*)*")


class How(StrEnum):
    """Method of a link."""

    NAME = "name"
    ALIAS = "alias"
    VECTOR = "vector"


@dataclass(frozen=True)
class Link:
    """An entity that a query names.

    Attributes:
        entity_id, name, type: Of the entity.
        start, end: Where the query names it, in characters.
        how: By its name, by another name, or by the vector of what stands there.
        score: 1 for a name; the cosine of a vector.
    """

    entity_id: str
    name: str
    type: str
    start: int
    end: int
    how: How
    score: float = 1.0


@dataclass(frozen=True)
class _Word:
    text: str
    start: int
    end: int


async def link(
    database: Database,
    collection: str,
    query: str,
    *,
    embedder: Embedder | None = None,
    k: int = 10,
    least_cosine: float = LEAST_COSINE,
) -> list[Link]:
    """Return the entities that ``query`` names, in the order of the query.

    Case, accents, punctuation and a remark in brackets at the end of a name are ignored. The longest of overlapping
    names is used, and names go before aliases. With an ``embedder``, unknown capitalised words are linked to the entity
    with the nearest vector.

    Args:
        database: A prepared store.
        collection: Collection of the entities.
        query: The question; its first 256 words are used.
        embedder: Model of the store's vectors; other models are ignored.
        k: Most links.
        least_cosine: Least cosine of a link by vector, in [-1, 1].

    Raises:
        InputError: The collection's name is invalid.
        ValueError: ``k`` is below 1.
        DatabaseError: Neo4j failed.
    """
    check_collection(collection)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    words = _words(query)[:MOST_WORDS]
    if not words:
        return []
    links = _longest(words, await _candidates(database, collection, query, words))
    if embedder is not None:
        links += await _by_vector(database, collection, query, embedder, links, least_cosine)
    return sorted(links, key=lambda one: (one.start, one.entity_id))[:k]


async def link_in(database: Database, collections: Sequence[str], query: str, *, k: int = 10) -> list[Link]:
    """Return the entities of collections that a query names, in the order of the query.

    Each collection is searched by itself, and ``k`` links are kept in all. Arguments and errors are those of
    :func:`link`.
    """
    found = await asyncio.gather(*(link(database, collection, query, k=k) for collection in collections))
    links = [one for links in found for one in links]
    return sorted(links, key=lambda one: (one.start, one.entity_id))[:k]


async def _candidates(database: Database, collection: str, query: str, words: Sequence[_Word]) -> list[Record]:
    """Return entities that may be named: those with the very name of some words, and the best by full text."""
    names = {
        normalise(query[words[i].start : words[j - 1].end])
        for i in range(len(words))
        for j in range(i + 1, min(len(words), i + LONGEST_NAME) + 1)
    }
    ids = sorted(entity_id(collection, name) for name in names)
    terms = " ".join(dict.fromkeys(word.text for word in words if word.text not in _SAY_NOTHING))
    asked = [database.read(cypher.load("retrieval/entities_by_id"), ids=ids)]
    if terms:
        lucene = f"+collectionTerm:{collection_term(collection)}^0 +(name:({terms}) aliases:({terms}))"
        asked.append(database.read(cypher.load("retrieval/entities_by_name"), fulltext_query=lucene, k=N_CANDIDATES))
    found = await asyncio.gather(*asked)
    return list({record["id"]: record for records in found for record in records}.values())


def _longest(words: Sequence[_Word], candidates: Iterable[Record]) -> list[Link]:
    """Return which candidates the words name, longest names first; a place is linked once."""
    places: dict[tuple[str, ...], list[int]] = {}
    texts = [word.text for word in words]
    for i in range(len(texts)):
        for j in range(i + 1, min(len(texts), i + LONGEST_NAME) + 1):
            places.setdefault(_form(texts[i:j]), []).append(i)
    matches = []
    for record in candidates:
        for rank, name in _spellings(record["name"], record["aliases"]):
            form = _form([word.text for word in _words(name)])
            if form in places and not all(word in _SAY_NOTHING or len(word) == 1 for word in form):
                matches += [(-len(form), rank, record["id"], at, record) for at in places[form]]
    links: list[Link] = []
    taken: set[int] = set()
    for length, rank, id, at, record in sorted(matches, key=lambda match: match[:4]):
        covered = set(range(at, at - length))
        if not covered & taken:
            taken |= covered
            how = How.NAME if rank == 0 else How.ALIAS
            end = words[at - length - 1].end
            links.append(Link(id, record["name"], record["type"], words[at].start, end, how))
    return links


def _form(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a name, the last one in the singular."""
    return (*words[:-1], *map(singular, words[-1:]))


def _spellings(name: str, aliases: Sequence[str]) -> Iterable[tuple[int, str]]:
    """Yield the names of an entity, with how far each is from being its name."""
    yield 0, name
    for alias in aliases:
        yield 1, alias
    for other in (name, *aliases):
        if bare := _REMARK.sub("", other):
            yield 2, bare


async def _by_vector(
    database: Database,
    collection: str,
    query: str,
    embedder: Embedder,
    known: Sequence[Link],
    least_cosine: float,
) -> list[Link]:
    spans = [
        match.span()
        for match in _CAPITALS.finditer(query)
        if match[0].lower() not in _SAY_NOTHING
        and not any(match.start() < one.end and one.start < match.end() for one in known)
    ][:MOST_BY_VECTOR]
    models = await stored_models(database)
    if not spans or models.active is None or models.active.sha256 != embedder.card.sha256:
        return []
    statement = cypher.load("retrieval/entities_near", models.active.slot)
    links = []
    for start, end in spans:
        (vector,) = await asyncio.to_thread(embedder.encode_documents, [normalise(query[start:end])])
        for record in await database.read(
            statement, query_vector=vector.tolist(), collections=[collection], model=embedder.card.sha256, k=1
        ):
            cosine = 2 * record["score"] - 1
            if cosine >= least_cosine:
                links.append(Link(record["id"], record["name"], record["type"], start, end, How.VECTOR, cosine))
    return links


def folded_words(text: str) -> list[str]:
    """Return the words of a text without case and accents: names that differ in these alone have the same."""
    return [word.text for word in _words(text)]


def _words(text: str) -> list[_Word]:
    """Return the words of a text without case and accents, with their places."""
    return [_Word(_folded(match[0]), *match.span()) for match in _WORD.finditer(text)]


def _folded(word: str) -> str:
    letters = unicodedata.normalize("NFKD", normalise(word))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
