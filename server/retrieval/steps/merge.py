"""Merging: parents in the place of their parts, and what the graph leads to from the best candidates."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from neo4j import Record

import cypher
from server.retrieval.active_model import Searched
from server.retrieval.candidates import Candidate, RankedCandidate, Via
from server.retrieval.link_traversal import follow_links
from server.retrieval.resources import Resources
from server.retrieval.scope import Scope
from server.retrieval.steps import Merge

MOST_MENTIONS = 100
MOST_LEVELS = 5


async def merge_parents(
    resources: Resources, candidates: Sequence[RankedCandidate], *, ratio: float
) -> list[RankedCandidate]:
    """Return the candidates with parents in the place of their parts where more than ``ratio`` of these are there.

    A parent stands where its best part stood, with that part's score, and counts as a part of its own parent in turn.

    Source: auto-merging retrieval, as in the thesis (docs/references.md).
    """
    merged = list(candidates)
    for _ in range(MOST_LEVELS):
        records = await resources.database.read(
            cypher.gathered("retrieval/parents"), chunk_ids=[candidate.chunk_id for candidate in merged]
        )
        parts: dict[str, list[str]] = defaultdict(list)
        for record in records:
            parts[record["parent_id"]].append(record["chunk_id"])
        about = {record["parent_id"]: record for record in records}
        full = {id for id, ids in parts.items() if len(ids) > ratio * about[id]["n_parts"]}
        full -= {candidate.chunk_id for candidate in merged}
        if not full:
            return merged
        parent_of = {part: parent for parent in full for part in parts[parent]}
        after: list[RankedCandidate] = []
        done: set[str] = set()
        for candidate in merged:
            parent = parent_of.get(candidate.chunk_id)
            if parent is None:
                after.append(candidate)
            elif parent not in done:
                done.add(parent)
                after.append(replace(candidate, chunk_id=parent, merged_chunk_ids=tuple(parts[parent])))
        merged = after
    return merged


async def merge_links(
    resources: Resources, query: str, scope: Scope, candidates: Sequence[RankedCandidate], *, seeds: int
) -> list[RankedCandidate]:
    """Return the candidates, and what the first of them point at, best first; the best candidate had 1.

    See :func:`server.retrieval.link_traversal.follow_links`.
    """
    known = {candidate.chunk_id: candidate for candidate in candidates}
    given = [Candidate(one.chunk_id, one.paper_id, one.score, one.via) for one in candidates]
    found = await follow_links(resources.database, resources.model, query, given, scope, seeds=seeds)
    return [
        replace(known[one.chunk_id], score=one.score, via=one.via)
        if one.chunk_id in known
        else RankedCandidate(one.chunk_id, one.paper_id, one.score, via=one.via)
        for one in found
    ]


async def graph_context(
    resources: Resources, query: str, scope: Scope, candidates: Sequence[RankedCandidate], step: Merge
) -> list[RankedCandidate]:
    """Return the candidates, and behind them chunks that the first ones lead to, those nearest to the query first.

    A chunk that is added has the last candidate's score times its own (1 + cosine) / 2.
    """
    kept = list(candidates)
    seeds = kept[: step.seeds]
    ways = {candidate.chunk_id: candidate.via for candidate in kept}
    added: list[RankedCandidate] = []
    for _ in range(step.depth):
        if len(added) >= step.cap or not seeds:
            break
        known = list(ways)

        async def around(
            searched: Searched, vector: list[float], known: list[str] = known, seeds: list[RankedCandidate] = seeds
        ) -> Sequence[Record]:
            return await resources.database.read(
                cypher.gathered("retrieval/chunks_around", searched.slot),
                query_vector=vector,
                model=searched.embedder.card.sha256,
                state=searched.state,
                chunk_ids=[seed.chunk_id for seed in seeds],
                via=[kind.value for kind in step.via],
                most=MOST_MENTIONS,
                paper_ids=scope.looked_in,
                kinds=list(scope.kinds),
                k=step.cap + len(known),
            )

        records = await resources.model.search(resources.database, query, around)
        lowest = kept[-1].score if kept else 1.0
        new = []
        for record in records:
            if record["chunk_id"] not in ways and scope.passes(record["chunk_id"], record["paper_id"]):
                way = (*ways[record["from_id"]], Via(record["label"], record["id"], record["name"] or ""))
                ways[record["chunk_id"]] = way
                new.append(
                    RankedCandidate(record["chunk_id"], record["paper_id"], lowest * max(0.0, record["score"]), via=way)
                )
        seeds = new[: max(0, step.cap - len(added))]
        added += seeds
    return kept + sorted(added, key=lambda one: (-one.score, one.chunk_id))
