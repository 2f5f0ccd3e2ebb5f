"""Topics and communities: clusters of similar chunks, and of connected papers.

Everything is computed from the whole collection, in the order of ids, and written where it differs from what is stored.
The members identify a cluster: if they stay the same, so do its node and summaries.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from papergraph import cypher
from papergraph.batches import Row
from papergraph.database import Database, Login
from papergraph.errors import InputError
from papergraph.ingest.enrichments.clusters.communities import (
    COMMUNITY,
    METADATA,
    TOPIC,
    Group,
    forest,
    gds,
    require_gds,
)
from papergraph.ingest.enrichments.clusters.labels import Material, write_names
from papergraph.ingest.enrichments.clusters.similarity import (
    Doubles,
    Network,
    Pairs,
    alike,
    mention_network,
    paper_network,
    rank_network,
    similar_pairs,
    updated_pairs,
)
from papergraph.ingest.enrichments.clusters.stored_clusters import (
    Chunks,
    Entities,
    Papers,
    StoredCluster,
    entities_of,
    paper_of,
    read_chunks,
    read_clusters,
    read_entities,
    read_papers,
)
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.graph.batched_writes import Step, batches, run_steps
from papergraph.progress import Progress
from papergraph.schema.embedding_models import stored_models
from papergraph.schema.ids import collection_term, enrichment_state_id, sha256
from papergraph.vector_slots import VectorSlot

# Ranks of papers and entities, written where they changed


async def write_ranks(
    database: Database,
    papers: Papers,
    entities: Entities,
    paper_ranks: Doubles,
    entity_ranks: Doubles,
    model_sha256: str,
) -> int:
    """Write ranks that changed, to two digits; return their number."""
    of_papers = _changed(papers.ids, papers.page_ranks, paper_ranks)
    of_entities = _changed(entities.ids, entities.page_ranks, entity_ranks)
    steps = [
        *batches(cypher.load("enrichments/rank_papers"), of_papers),
        *batches(cypher.load("enrichments/rank_entities"), of_entities),
    ]
    await run_steps(database, "write ranks", model_sha256, steps)
    return len(of_papers) + len(of_entities)


def _changed(ids: Sequence[str], stored: Doubles, found: Doubles) -> list[Row]:
    ranks = np.round(found, 2)
    return [{"id": ids[at], "page_rank": float(ranks[at])} for at in np.flatnonzero(ranks != stored).tolist()]


# Topics and communities


VERSION = "4"
COMPARED, COMPARISON = "similar", "2"
"""Name under which is noted how chunks were compared last, and the version of that comparison."""

WRITE = {TOPIC: cypher.load("enrichments/write_topics"), COMMUNITY: cypher.load("enrichments/write_communities")}


@dataclass(frozen=True)
class _Found:
    """Results of the computation except similar pairs."""

    groups: dict[str, list[Group]]
    paper_ranks: Doubles
    entity_ranks: Doubles


@dataclass(frozen=True)
class ClustersEnrichment:
    """The enrichment with its options.

    Attributes:
        k: How many nearest chunks of other papers count as similar to a chunk, 1 to 100.
        least: Cosine below which none counts, in [0, 1).
    """

    k: int = 8
    least: float = 0.74

    def __post_init__(self) -> None:
        if not (1 <= self.k <= 100 and 0.0 <= self.least < 1.0):
            raise InputError(f"1 <= k <= 100 and 0 <= least < 1 must hold, got {self}", field="clusters")

    @property
    def name(self) -> str:
        """The enrichment's name."""
        return "clusters"

    @property
    def config_hash(self) -> str:
        """sha-256 over the code's version and the options."""
        return sha256(VERSION, str(self.k), str(self.least))

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        """Bring similar pairs, clusters and ranks to what the collection's papers say now.

        Returns:
            How many similar pairs, topics and communities there are, and how many were written.

        Raises:
            GraphDataScienceMissingError: The server lacks the plug-in.
            ModelChangedError: Another embedding model came into use meanwhile.
            DatabaseError: Neo4j failed; what was written stays, and the next call does the rest.
        """
        login = await require_gds(database)
        active = (await stored_models(database)).active
        slot = active.slot if active else VectorSlot.FIRST
        card = resources.embedder.card
        progress.step("comparing chunks")
        chunks, papers, stored, mentioning = await asyncio.gather(
            read_chunks(database, collection, card.sha256, slot, card.dimension),
            read_papers(database, collection),
            read_clusters(database, collection, slot),
            read_entities(database, collection),
        )
        entities = entities_of(mentioning, chunks, papers)
        as_before = await self._is_compared(database, collection, card.sha256)
        pairs = await asyncio.to_thread(self._compare, chunks, papers, as_before)
        n_pairs = await self._write_pairs(database, collection, chunks, pairs, card.sha256, as_before=as_before)
        progress.step("looking for topics and communities")
        found = await asyncio.to_thread(self._find, login, collection, chunks, papers, entities, pairs)
        kept, n_clusters = await self._write_clusters(database, collection, chunks, papers, found, stored, card.sha256)
        material = Material(chunks, papers, entities)
        n_named = await write_names(database, collection, material, found.groups, kept, resources, slot)
        n_ranks = await write_ranks(database, papers, entities, found.paper_ranks, found.entity_ranks, card.sha256)
        return {
            "similar": len(pairs),
            "similar_written": n_pairs,
            "topics": len(found.groups[TOPIC]),
            "communities": len(found.groups[COMMUNITY]),
            "clusters_written": n_clusters,
            "clusters_named": n_named,
            "ranks_written": n_ranks,
        }

    # Similar chunks

    async def _is_compared(self, database: Database, collection: str, model_sha256: str) -> bool:
        """Say whether the chunks that are not new were compared as they would be now."""
        states = await database.read(cypher.load("enrichments/state"), collection=collection)
        return (COMPARED, self._way(model_sha256)) in {(state["name"], state["config_hash"]) for state in states}

    def _compare(self, chunks: Chunks, papers: Papers, as_before: bool) -> Pairs:
        of = paper_of(chunks, papers)
        if not as_before:
            return similar_pairs(chunks.vectors, of, k=self.k, least=self.least)
        return updated_pairs(chunks.vectors, of, chunks.known, chunks.changed, k=self.k, least=self.least)

    def _way(self, model_sha256: str) -> str:
        return sha256(COMPARISON, str(self.k), str(self.least), model_sha256)

    async def _write_pairs(
        self, database: Database, collection: str, chunks: Chunks, pairs: Pairs, model_sha256: str, *, as_before: bool
    ) -> int:
        """Write what changed of the pairs, all if they are compared in another way; how many they are.

        Chunks that are concerned count as new again until all is written.
        """
        ids = chunks.ids
        n = len(ids)
        wanted = pairs.first * n + pairs.second
        known = np.minimum(*chunks.known) * n + np.maximum(*chunks.known)
        gone = np.setdiff1d(known, wanted)
        new = np.flatnonzero(~np.isin(wanted, known)) if as_before else np.arange(len(pairs))
        n_similar = np.bincount(np.concatenate([pairs.first, pairs.second]), minlength=n)
        ends = [gone // max(n, 1), gone % max(n, 1), pairs.first[new], pairs.second[new], chunks.changed]
        concerned = np.unique(np.concatenate(ends)).tolist()
        way = self._way(model_sha256)
        record = {
            "id": enrichment_state_id(collection, COMPARED),
            "collection": collection,
            "name": COMPARED,
            "input_hash": "",
        }
        rows_gone = [{"first": ids[code // n], "second": ids[code % n]} for code in gone.tolist()]
        rows_new = [
            {"first": ids[pairs.first[at]], "second": ids[pairs.second[at]], "score": float(pairs.scores[at])}
            for at in new.tolist()
        ]
        rows_marked = [{"id": ids[at], "n": int(n_similar[at])} for at in concerned]
        await run_steps(
            database,
            "write similar chunks",
            model_sha256,
            [
                *batches(cypher.load("enrichments/mark_similar"), [{"id": ids[at], "n": None} for at in concerned]),
                Step(cypher.load("enrichments/record"), record | {"config_hash": way}),
                *batches(cypher.load("enrichments/delete_similar"), rows_gone),
                *batches(cypher.load("enrichments/write_similar"), rows_new),
                *batches(cypher.load("enrichments/mark_similar"), rows_marked),
            ],
        )
        return len(rows_gone) + len(rows_new)

    # Communities and ranks

    def _find(
        self, login: Login, collection: str, chunks: Chunks, papers: Papers, entities: Entities, pairs: Pairs
    ) -> _Found:
        n_papers = len(papers.ids)
        papers_of = paper_of(chunks, papers)
        similar = alike(pairs, papers_of, np.bincount(papers_of, minlength=n_papers))
        of_chunks = Network(len(chunks.ids), pairs.first, pairs.second, np.maximum(pairs.scores, 1e-3))
        of_papers = paper_network(n_papers, papers.cites, entities.mentions, similar)
        of_entities = mention_network(n_papers, len(entities.ids), entities.mentions)
        paper_ranks, entity_ranks = np.ones(n_papers), np.ones(len(entities.ids))
        with gds(login) as engine:
            groups = {
                TOPIC: forest(engine.communities(of_chunks), chunks.ids, collection=collection, kind=TOPIC),
                COMMUNITY: forest(engine.communities(of_papers), papers.ids, collection=collection, kind=COMMUNITY),
            }
            if len(of_papers.sources):
                paper_ranks = engine.page_rank(rank_network(of_papers, papers.cites))
            if len(of_entities.sources):
                entity_ranks = engine.page_rank(of_entities)[n_papers:]
        average = entity_ranks.mean() if len(entity_ranks) else 1.0
        return _Found(groups, paper_ranks, entity_ranks / average)

    async def _write_clusters(
        self,
        database: Database,
        collection: str,
        chunks: Chunks,
        papers: Papers,
        found: _Found,
        stored: dict[str, StoredCluster],
        model_sha256: str,
    ) -> tuple[dict[str, StoredCluster], int]:
        """Delete clusters that are none any more, and write those that are new.

        Returns:
            The clusters that stay, those of metadata among them, and how many were deleted or written.
        """
        kept = {id for id, cluster in stored.items() if cluster.kind == METADATA}
        rows: dict[str, list[Row]] = {TOPIC: [], COMMUNITY: []}
        for kind, ids in ((TOPIC, chunks.ids), (COMMUNITY, papers.ids)):
            for group in found.groups[kind]:
                as_stored = stored.get(group.id)
                if (
                    as_stored is not None
                    and (as_stored.n_members, as_stored.children) == (len(group.members), group.children)
                    and kept.issuperset(group.children)
                ):
                    kept.add(group.id)
                else:
                    rows[kind].append(_cluster_row(collection, kind, group, ids))
        gone = sorted(stored.keys() - kept)
        steps = [
            Step(cypher.load("enrichments/delete_clusters"), {"ids": gone[at : at + 200]})
            for at in range(0, len(gone), 200)
        ]
        for kind, of_kind in rows.items():
            steps += batches(WRITE[kind], of_kind, size=lambda row: 1 + len(row["own"]) + len(row["children"]))
        await run_steps(database, "write clusters", model_sha256, steps)
        return {id: stored[id] for id in kept}, len(gone) + sum(map(len, rows.values()))


def _cluster_row(collection: str, kind: str, group: Group, ids: Sequence[str]) -> Row:
    return {
        "id": group.id,
        "properties": {
            "collection": collection,
            "collectionTerm": collection_term(collection),
            "kind": kind,
            "level": group.level,
            "nMembers": len(group.members),
        },
        "own": [ids[member] for member in group.own],
        "children": list(group.children),
    }
