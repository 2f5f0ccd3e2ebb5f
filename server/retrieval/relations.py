"""Paths of the graph as content: relations of the entities near to a query, each with the words that say it.

Source: vector-context retrieval of the thesis (docs/references.md): entities near to the query, at most 10, and paths
of depth 1 from them.
"""

import asyncio
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from neo4j import Record as Row

from papergraph import cypher
from papergraph.records import Id, Record, described, internal
from papergraph.server.retrieval.active_model import Searched
from papergraph.server.retrieval.entity_linking import link_in
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.retrievers.entity import LEAST_COSINE, MOST_ENTITIES
from papergraph.server.retrieval.scope import Scope
from papergraph.text.sentences import sentence_starts

MOST_LOOKED_AT = 200
"""Relations that are looked at where a filter lets few pass."""
MOST_PLACES = 50
"""Places of one name in a text that are compared."""


@dataclass(frozen=True)
class NearEntity:
    """An entity near to a query; ``cosine`` is 1 where the query names it."""

    id: str
    name: str
    cosine: float


@dataclass(frozen=True)
class RelationPath(Record):
    """Relation of two entities that a passage states."""

    subject_id: Annotated[Id, described("Id of the first entity.")]
    subject: Annotated[str, described("Name of the first entity.")]
    type: Annotated[str, described("Relation type of the schema.")]
    object_id: Annotated[Id, described("Id of the second entity.")]
    object: Annotated[str, described("Name of the second entity.")]
    chunk_id: Annotated[Id, described("Chunk with the statement.")]
    paper_id: Annotated[str, internal("Paper of the chunk.")]
    holder_ids: Annotated[tuple[str, ...], internal("The chunk, and those of a hierarchy that hold its text.")]
    subject_names: Annotated[tuple[str, ...], internal("Names that the chunk may have for the first entity.")]
    object_names: Annotated[tuple[str, ...], internal("Names that the chunk may have for the second entity.")]
    cosine: Annotated[float, internal("The higher one of both entities with the query, in [-1, 1].")]
    quote: Annotated[str | None, described("Sentences of the passage from one name to the other, if found.")] = None

    @property
    def text(self) -> str:
        """The relation in words, as a reader is given it and may quote it."""
        return f"{self.subject} {self.type.replace('_', ' ')} {self.object}"

    def place_in(self, text: str) -> tuple[int, int] | None:
        """Return where a text says it: the sentences from one name to the nearest other one; None if it lacks one."""
        spans = [
            (min(one[0], other[0]), max(one[1], other[1]))
            for one in _places(self.subject_names, text)
            for other in _places(self.object_names, text)
        ]
        if not spans:
            return None
        start, end = min(spans, key=lambda span: (span[1] - span[0], span))
        starts = [0, *sentence_starts(text), len(text)]
        begin, after = max(one for one in starts if one <= start), min(one for one in starts if one >= end)
        said = text[begin:after]
        return begin + len(said) - len(said.lstrip()), begin + len(said.rstrip())


def _places(names: Sequence[str], text: str) -> list[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for name in dict.fromkeys(names):
        words = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", name.strip())))
        for number, match in enumerate(re.finditer(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)):
            if not words or number >= MOST_PLACES:
                break
            found.add(match.span())
    return sorted(found)


async def entities_near(resources: Resources, query: str, scope: Scope, chunk_ids: Sequence[str]) -> list[NearEntity]:
    """Return the entities nearest to a query: those it names, those of its vector, and those of chunks; 10 at most.

    Entities that the query does not name have a cosine with it above :data:`LEAST_COSINE`.

    Raises:
        EmbeddingError: The query cannot be embedded.
        DatabaseError: Neo4j failed.
    """

    async def near(searched: Searched, vector: list[float]) -> list[Row]:
        asked: dict[str, Any] = {"query_vector": vector, "model": searched.embedder.card.sha256, "k": MOST_ENTITIES}
        of_query, of_chunks = await asyncio.gather(
            resources.database.read(
                cypher.load("retrieval/entities_near", searched.slot), collections=scope.collections, **asked
            ),
            resources.database.read(
                cypher.load("retrieval/entities_of_chunks_near", searched.slot),
                chunk_ids=list(chunk_ids),
                least=LEAST_COSINE,
                **asked,
            ),
        )
        return [*of_query, *of_chunks]

    named, close = await asyncio.gather(
        link_in(resources.database, scope.collections, query, k=MOST_ENTITIES),
        resources.model.search(resources.database, query, near),
    )
    found = [NearEntity(one.entity_id, one.name, 1.0) for one in named]
    by_cosine = sorted(close, key=lambda record: (-record["score"], record["id"]))
    found += [NearEntity(one["id"], one["name"], 2.0 * one["score"] - 1.0) for one in by_cosine]
    kept = {one.id: one for one in reversed(found) if one.cosine > LEAST_COSINE}
    return sorted(kept.values(), key=lambda one: (-one.cosine, one.id))[:MOST_ENTITIES]


async def relation_paths(
    resources: Resources,
    scope: Scope,
    entities: Sequence[NearEntity],
    paper_ids: Collection[str],
    *,
    most: int,
    depth: int = 1,
) -> list[RelationPath]:
    """Return at most ``most`` relations of entities, those of the nearest first, as chunks of papers state them.

    With a ``depth`` of 2 or more, relations of the entities that were reached follow; each step halves the cosine.

    Raises:
        DatabaseError: Neo4j failed.
    """
    cosines, known = {one.id: one.cosine for one in entities}, set[str]()
    found: list[RelationPath] = []
    while cosines and paper_ids and depth and len(found) < most:
        records = await resources.database.read(
            cypher.gathered("retrieval/relation_paths"),
            entity_ids=list(cosines),
            paper_ids=sorted(paper_ids),
            kinds=[*scope.kinds],
            k=MOST_LOOKED_AT,
        )
        known |= cosines.keys()
        stated = {(path.subject_id, path.type, path.object_id) for path in found}
        new = [
            path
            for path in _paths(records, cosines, scope)
            if (path.subject_id, path.type, path.object_id) not in stated
        ]
        found += new
        ends = {id: path.cosine / 2.0 for path in reversed(new) for id in (path.subject_id, path.object_id)}
        cosines = {id: cosine for id, cosine in reversed(ends.items()) if id not in known}
        depth -= 1
    return found[:most]


def _paths(records: Sequence[Row], cosines: dict[str, float], scope: Scope) -> Iterator[RelationPath]:
    for record in records:
        if scope.passes(record["chunk_id"], record["paper_id"]):
            values = {name: record[name] for name in ("subject_id", "subject", "type", "object_id", "object")}
            yield RelationPath(
                **values,
                chunk_id=record["chunk_id"],
                paper_id=record["paper_id"],
                holder_ids=tuple(record["holder_ids"]),
                subject_names=tuple(record["subject_names"]),
                object_names=tuple(record["object_names"]),
                cosine=max(cosines[id] for id in record["entity_ids"]),
            )
