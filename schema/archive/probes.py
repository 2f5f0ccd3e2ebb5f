"""Searches whose results a snapshot holds, so that a restored store is known to find the same."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cypher
from papergraph.database import Database
from papergraph.errors import QueryError
from papergraph.vector_slots import VectorSlot
from schema.embedding_models import stored_models
from schema.ids import collection_term

PLACES = tuple("0369c")
"""A probe is made of the first chunk from each of these beginnings of an id on; ids are hashes."""

N_HITS = 10
N_WORDS = 12
LEAST_FOUND = 0.8
"""Share of the hits that must be found again: an index of vectors that was filled in another order may miss some."""

NEAR = 0.999
"""A hit counts as found, too, if ten others score as high up to this factor: equal texts displace each other."""

FULLTEXT, VECTOR = "fulltext", "vector"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Probe:
    """A search and what it found.

    Attributes:
        kind: ``fulltext`` or ``vector``.
        query: The query of the full-text index; or the id of the chunk whose vector is searched for.
        hits: Ids of the chunks found, with their scores, best first.
    """

    kind: str
    query: str
    hits: Sequence[tuple[str, float]]

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> "Probe":
        """Return the probe of what a manifest says."""
        return cls(said["kind"], said["query"], [(id, score) for id, score in said["hits"]])


async def take_probes(database: Database) -> tuple[Probe, ...]:
    """Search for some chunks of a store by their words and by their vectors; none where an index cannot be searched."""
    chunks = await _chunks(database, PLACES)
    asked = [(FULLTEXT, _fulltext_query(chunk["text"], chunk["collection"])) for chunk in chunks]
    asked += [(VECTOR, chunk["id"]) for chunk in chunks]
    try:
        return tuple([Probe(kind, query, await _hits(database, kind, query)) for kind, query in asked])
    except QueryError:  # papergraph doctor reports such an index
        return ()


async def failed_probes(database: Database, probes: Sequence[Probe]) -> list[str]:
    """Search again, and return in words which probes find less than four fifths of what they found before.

    Chunks that the store does not hold do not count: a store that changes during its backup may have had later ones.

    Raises:
        DatabaseError: Neo4j failed.
    """
    faults = []
    named = {id for probe in probes for id, _ in probe.hits} | {probe.query for probe in probes if probe.kind == VECTOR}
    held = {chunk["id"] for chunk in await _chunks(database, sorted(named))}
    for probe in probes:
        if probe.kind == VECTOR and probe.query not in held:
            continue
        hits = [(id, score) for id, score in probe.hits if id in held]
        found = await _hits(database, probe.kind, probe.query)
        ids, least = {id for id, _ in found}, found[-1][1] if len(found) == N_HITS else float("-inf")
        n_found = sum(id in ids or score * NEAR <= least for id, score in hits)
        if n_found < LEAST_FOUND * len(hits):
            faults.append(
                f"a {probe.kind} search for {probe.query!r} finds {n_found} of {len(hits)} chunks that it found "
                "before the backup"
            )
    return faults


async def _chunks(database: Database, places: Sequence[str]) -> list[dict[str, Any]]:
    active = (await stored_models(database)).active
    statement = cypher.load("archive/probe_chunks", VectorSlot.FIRST if active is None else active.slot)
    return [record.data() for record in await database.read(statement, places=list(places))]


def _fulltext_query(text: str, collection: str) -> str:
    words = dict.fromkeys(_WORD.findall(text.lower()))
    return f"+collectionTerm:{collection_term(collection)}^0 +text:({' '.join([*words][:N_WORDS]) or 'none'})"


async def _hits(database: Database, kind: str, query: str) -> list[tuple[str, float]]:
    if kind == FULLTEXT:
        found = await database.read(cypher.load("retrieval/fulltext_top_k"), k=N_HITS, fulltext_query=query)
    else:
        active, chunks = (await stored_models(database)).active, await _chunks(database, [query])
        if active is None or not chunks or chunks[0]["id"] != query or chunks[0]["vector"] is None:
            return []
        found = await database.read(
            cypher.load("retrieval/vector_top_k", active.slot),
            query_vector=chunks[0]["vector"],
            model=active.sha256,
            state=active.state,
            collections=[chunks[0]["collection"]],
            kinds=[chunks[0]["kind"]],
            k=N_HITS,
        )
    return [(record["chunk_id"], record["score"]) for record in found]
