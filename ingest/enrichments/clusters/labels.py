"""Names, keywords and vectors of clusters, of metadata and of those that were found, written where they changed."""

import asyncio
from dataclasses import dataclass
from itertools import groupby

import numpy as np

import cypher
from ingest.enrichments.clusters.hierarchy import COMMUNITY, METADATA, TOPIC, Group
from ingest.enrichments.clusters.keywords import Terms, keywords, name_of, word_terms
from ingest.enrichments.clusters.loaders import Chunks, Entities, Papers, StoredCluster, paper_of, read_texts
from ingest.enrichments.clusters.nearest_chunks import Ints
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.graph.batched_writes import batches, run_steps
from ingest.graph.rows import text_hash
from papergraph.database import Database
from papergraph.vector_slots import VectorSlot


@dataclass(frozen=True)
class Material:
    """What the clusters of a collection are made of."""

    chunks: Chunks
    papers: Papers
    entities: Entities


async def write_names(
    database: Database,
    collection: str,
    material: Material,
    groups: dict[str, list[Group]],
    kept: dict[str, StoredCluster],
    means: EnrichmentContext,
    slot: VectorSlot,
) -> int:
    """Name clusters, and give them vectors, where their name is another one than what stands; how many are named.

    Args:
        database: The store.
        collection: Whose clusters.
        material: Its chunks, papers, and entities, whose names are the terms where there are any.
        groups: Topics and communities.
        kept: Clusters that stand as they are, by id.
        means: The embedding model.
        slot: The place of vectors in use.
    """
    chunks, papers, entities = material.chunks, material.papers, material.entities
    if len(entities.of_chunks):
        of_chunks = Terms(entities.names, entities.of_chunks, entities.chunks, np.ones_like(entities.chunks))
    else:
        texts = await read_texts(database, collection, chunks.ids)
        of_chunks = await asyncio.to_thread(word_terms, texts)
    named = await asyncio.to_thread(_named, chunks, papers, of_chunks, groups, kept)
    sha256_of_model = means.embedder.card.sha256
    rows = [
        {"id": id, "name": name, "keywords": list(words)}
        for id, (name, words) in named.items()
        if id not in kept or (kept[id].name, kept[id].keywords) != (name, words)
    ]
    await run_steps(
        database, "name clusters", sha256_of_model, list(batches(cypher.load("enrichments/name_clusters"), rows))
    )
    without = {
        id: name
        for id, (name, _) in named.items()
        if id not in kept or kept[id].hash != text_hash(sha256_of_model, name)
    }
    vectors = await means.embed(list(without.values()))
    with_vectors = [
        {"id": id, "vector": vectors[name].tolist(), "properties": means.vector_properties(name, slot)}
        for id, name in without.items()
    ]
    await run_steps(
        database,
        "write clusters' vectors",
        sha256_of_model,
        list(batches(cypher.load("enrichments/write_cluster_vectors", slot), with_vectors)),
    )
    return len(rows)


def _named(
    chunks: Chunks,
    papers: Papers,
    of_chunks: Terms,
    groups: dict[str, list[Group]],
    kept: dict[str, StoredCluster],
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return name and keywords of each cluster; those of metadata keep the name that they have."""
    number, of, each = papers.numbers, paper_of(chunks, papers), np.arange(len(papers.ids))
    of_papers = Terms(of_chunks.names, of[of_chunks.things], of_chunks.terms, of_chunks.counts)
    named: dict[str, tuple[str, tuple[str, ...]]] = {}
    for kind, terms, of_thing, members_of in (
        (TOPIC, of_chunks, of, lambda group: np.array(group.members)),
        (COMMUNITY, of_papers, each, lambda group: np.flatnonzero(np.isin(of, group.members))),
    ):
        for _, same_level in groupby(groups[kind], key=lambda group: group.level):
            level = list(same_level)
            found = keywords([group.members for group in level], terms, of_thing)
            for group, words in zip(level, found, strict=True):
                title = "" if words.are_shared else _nearest_title(members_of(group), chunks, papers, of)
                named[group.id] = (name_of(words, title=title, kind=kind), words.words)
    of_metadata = sorted((c for c in kept.values() if c.kind == METADATA), key=lambda c: (c.field or "", c.id))
    for _, same_field in groupby(of_metadata, key=lambda cluster: cluster.field):
        values = list(same_field)
        members = [[number[paper] for paper in value.papers if paper in number] for value in values]
        for value, words in zip(values, keywords(members, of_papers, each), strict=True):
            named[value.id] = (value.name, words.words)
    return named


def _nearest_title(members: Ints, chunks: Chunks, papers: Papers, of: Ints) -> str:
    """Return the title of the paper whose chunk is nearest to the middle of some chunks; empty if there are none."""
    if not len(members):
        return ""
    vectors = chunks.vectors[members].astype(np.float64)
    nearest = members[np.argmax(np.round(vectors @ vectors.sum(axis=0), 6))]
    return papers.titles[int(of[nearest])]
