"""Merging: parents in the place of their parts, and what the graph leads to from the best candidates."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from neo4j import Record
from pydantic import Field

from papergraph import cypher
from papergraph.database import Database
from papergraph.server.retrieval.active_model import Searched
from papergraph.server.retrieval.candidates import Candidate, RankedCandidate, RetrieverName, Via
from papergraph.server.retrieval.link_traversal import LinkOptions, follow_links
from papergraph.server.retrieval.relations import entities_near, relation_paths
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.retrievers.entity import chunks_of_entities
from papergraph.server.retrieval.scope import Scope
from papergraph.server.retrieval.steps.base import Count, Plan, State, Step, StepKind
from papergraph.server.retrieval.steps.fuse import Across, Fuse, fuse, queries_of, take_turns

MOST_MENTIONS = 100
MOST_LEVELS = 5


class MergeBy(StrEnum):
    """Method of merging candidates."""

    PARENTS = "parents"
    LINKS = "links"
    GRAPH = "graph"
    PATHS = "paths"
    NEIGHBOURS = "neighbours"


class Kind(StrEnum):
    """Relationships that the graph context follows."""

    MENTIONS = "mentions"
    CITES = "cites"
    SIMILAR = "similar"


class Merge(Step):
    """Parents in the place of their parts, what the best candidates point at, the graph around them, or what is beside.

    ``parents``: one takes the place of its parts when more than ``ratio`` of them are candidates, again and again.
    ``links``: chunks that the first ``seeds`` point at, by titles, names, entities and citations, rise or come in, as
    their nearness to the query says (:func:`papergraph.server.retrieval.link_traversal.follow_links`); with
    ``named`` only where
    the retriever ``name`` was searched and found something: where the query names a paper.
    ``graph``: chunks that the first ``seeds`` lead to by ``via`` in up to ``depth`` steps, at most ``cap`` of them.
    ``paths``: relations that the candidates' papers state of entities near to the query, up to ``depth`` steps away
    and at most ``cap``, become
    content of the chunks that say them, which come in behind the candidates; what is left of ``cap`` goes to chunks
    that mention these entities (:mod:`papergraph.server.retrieval.relations`).
    After each of them, no candidate holds another one.
    ``neighbours``: ``window`` chunks before and after become part of the passage.
    """

    ranks: ClassVar[bool] = True

    step: Literal["merge"] = "merge"
    by: MergeBy
    ratio: Annotated[float, Field(ge=0, lt=1)] = 0.5
    seeds: Annotated[int, Field(ge=1, le=50)] = 5
    named: bool = False
    depth: Annotated[int, Field(ge=1, le=3)] = 1
    via: tuple[Kind, ...] = (Kind.MENTIONS,)
    cap: Annotated[int, Field(ge=1, le=200)] = 10
    window: Annotated[int, Field(ge=1, le=5)] = 1
    k: Count | None = None

    @property
    def needs(self) -> frozenset[str]:
        """The enrichment whose paths are content."""
        return frozenset(["entities"] if self.by is MergeBy.PATHS else [])

    @property
    def uses(self) -> frozenset[str]:
        """The enrichment whose links it follows."""
        return frozenset(["links"] if self.by is MergeBy.LINKS else [])

    def check(self, plan: Plan) -> None:
        """Refuse options that have no meaning for the way of merging."""
        plan.need_candidates()
        if self.by is MergeBy.GRAPH and not self.via:
            raise plan.refuse("via names no relationship")
        if self.named and not (self.by is MergeBy.LINKS and RetrieverName.NAME in plan.retrievers):
            raise plan.refuse("named is of links, behind a search of the retriever name")
        if self.by is MergeBy.LINKS:
            plan.score = (0.0, math.inf)

    async def run(self, state: State) -> Sequence[str]:
        """Merge candidates, and cut them at the limit."""
        candidates = state.candidates
        notes: list[str] = []
        match self.by:
            case MergeBy.PARENTS:
                candidates = await merge_parents(state.resources, candidates, ratio=self.ratio)
            case MergeBy.LINKS:
                candidates = await _merge_links_of_queries(state, self)
            case MergeBy.GRAPH:
                candidates = await graph_context(state.resources, state.query, state.scope, candidates, self)
            case MergeBy.PATHS:
                candidates, notes = await merge_paths(state, self.cap, self.depth)
            case MergeBy.NEIGHBOURS:
                state.windows = self.window
        if any(one.merged_chunk_ids for one in candidates):
            candidates, held = await without_held(state.resources.database, candidates)
            notes = [*notes, *([f"left out, as another candidate holds them: {held}"] if held else [])]
        state.candidates = candidates[: self.k]
        return notes


async def _merge_links_of_queries(state: State, step: Merge) -> list[RankedCandidate]:
    """Follow links from the candidates; where queries take turns, from those of each query, before they do."""
    fusion = state.last_fuse
    named = {
        ranking.query for ranking in state.rankings if ranking.retriever is RetrieverName.NAME and ranking.candidates
    }
    queries = queries_of(state.rankings)

    async def follow(text: str, candidates: list[RankedCandidate]) -> list[RankedCandidate]:
        return await merge_links(state.resources, text, state.scope, candidates, seeds=step.seeds)

    async def list_of(query: int, step_before: Fuse) -> list[RankedCandidate]:
        candidates = fuse([ranking for ranking in state.rankings if ranking.query == query], step_before)
        if step.named and query not in named:
            return candidates
        return await follow(state.queries[query].text, candidates)

    if step.named and not named:
        return state.candidates
    if isinstance(fusion, Fuse) and fusion.across is Across.INTERLEAVE and len(queries) > 1:
        return take_turns(await asyncio.gather(*(list_of(query, fusion) for query in queries)))
    return await follow(state.query, state.candidates)


async def merge_parents(
    resources: Resources, candidates: Sequence[RankedCandidate], *, ratio: float
) -> list[RankedCandidate]:
    """Return the candidates with a parent in place of its parts if more than ``ratio`` of these were found.

    A parent takes the rank and score of its best part, and counts as a part of its own parent in turn.

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


async def without_held(database: Database, candidates: Sequence[RankedCandidate]) -> tuple[list[RankedCandidate], int]:
    """Return candidates without those whose text another one holds, and their number.

    A parent has the rank and score of the first candidate that it holds.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("retrieval/holders"), chunk_ids=[one.chunk_id for one in candidates])
    holder_of = {record["chunk_id"]: record["holder_id"] for record in records}
    by_id = {one.chunk_id: one for one in candidates}
    parts: dict[str, list[str]] = defaultdict(list)
    for one in candidates:
        if (holder := holder_of.get(one.chunk_id)) is not None:
            parts[holder] += [one.chunk_id, *one.merged_chunk_ids]
    kept: dict[str, RankedCandidate] = {}
    for one in candidates:
        id = holder_of.get(one.chunk_id, one.chunk_id)
        if id not in kept:
            merged = tuple(dict.fromkeys((*by_id[id].merged_chunk_ids, *parts[id])))
            kept[id] = replace(by_id[id], score=one.score, merged_chunk_ids=merged)
    return list(kept.values()), len(holder_of)


async def merge_links(
    resources: Resources, query: str, scope: Scope, candidates: Sequence[RankedCandidate], *, seeds: int
) -> list[RankedCandidate]:
    """Return the candidates, and what the first of them point at, best first; the best candidate had 1.

    See :func:`papergraph.server.retrieval.link_traversal.follow_links`.
    """
    known = {candidate.chunk_id: candidate for candidate in candidates}
    given = [Candidate(one.chunk_id, one.paper_id, one.score, one.via) for one in candidates]
    found = await follow_links(resources.database, resources.model, query, given, scope, LinkOptions(seeds=seeds))
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


async def merge_paths(state: State, cap: int, depth: int) -> tuple[list[RankedCandidate], list[str]]:
    """Return the candidates with chunks behind them that say relations of near entities, or mention these; and notes.

    At most ``cap`` relations and mentions in all. Where a candidate holds the text of a relation's chunk, the relation
    is content of the candidate. An added chunk has the last candidate's score times (1 + cosine) / 2 of its entity.

    Source: the thesis (docs/references.md), KV.
    """
    kept = list(state.candidates)
    found = {candidate.chunk_id: candidate for candidate in kept}
    entities = await entities_near(state.resources, state.query, state.scope, list(found))
    papers = {candidate.paper_id for candidate in kept}
    paths = await relation_paths(state.resources, state.scope, entities, papers, most=cap, depth=depth)
    lowest = kept[-1].score if kept else 1.0
    for path in paths:
        if found.keys().isdisjoint(path.holder_ids):
            via = (Via("Entity", path.subject_id, path.subject), Via("Entity", path.object_id, path.object))
            score = lowest * (1.0 + path.cosine) / 2.0
            found[path.chunk_id] = RankedCandidate(path.chunk_id, path.paper_id, score, via=via)
    state.relations += paths
    n_relations = len(found) - len(kept)
    left = max(0, cap - len(paths))
    if left and entities:
        ids = [one.id for one in entities]
        mentioning = await chunks_of_entities(
            state.resources.database, state.resources.model, state.query, state.scope, ids, k=MOST_MENTIONS
        )
        more = [RankedCandidate(one.chunk_id, one.paper_id, 0.0, via=one.via) for one in mentioning]
        more = [one for one in more if one.chunk_id not in found]
        distinct, _ = await without_held(state.resources.database, [*found.values(), *more])
        new = [one for one in distinct if one.chunk_id not in found][:left]
        cosine = {one.id: one.cosine for one in entities}
        for one in new:
            near = max(cosine.get(via.node_id, 0.0) for via in one.via)
            found[one.chunk_id] = RankedCandidate(one.chunk_id, one.paper_id, lowest * (1.0 + near) / 2.0, via=one.via)
    added = sorted(list(found.values())[len(kept) :], key=lambda one: (-one.score, one.chunk_id))
    return [*kept, *added], [
        f"entities: {', '.join(one.name for one in entities) or 'none'}",
        f"relations: {len(paths)}, of these {n_relations} chunks added",
        f"chunks that mention entities: {len(added) - n_relations}",
    ]


STEP = StepKind(Merge, order=5)
