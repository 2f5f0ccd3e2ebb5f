"""Lists that nodes have, for ``neighbours``; written by ``python -m scripts.sdk`` from schema/openapi.json."""

from collections.abc import Mapping
from typing import Any

from papergraph_client._model import ListOf
from papergraph_client.models import (
    Chunk,
    ChunkMention,
    Cluster,
    EntityMention,
    EntityOfPaper,
    Paper,
    Question,
    Reference,
    Relation,
    SameEntity,
    Section,
    SimilarChunk,
)

AUTHORS_PAPERS = ListOf("authors/papers", Paper)
"""The author's papers, by title."""

CHUNKS_CLUSTERS = ListOf("chunks/clusters", Cluster)
"""Clusters and their ancestors."""

CHUNKS_ENTITIES = ListOf("chunks/entities", EntityMention)
"""Mentioned entities, by name."""

CHUNKS_QUESTIONS = ListOf("chunks/questions", Question)
"""Answered questions."""

CHUNKS_REFERENCES = ListOf("chunks/references", Reference)
"""Cited references, in the order of the paper."""

CHUNKS_SIMILAR = ListOf("chunks/similar", SimilarChunk)
"""Similar chunks of other papers, most similar first."""

CLUSTERS_CHILDREN = ListOf("clusters/children", Cluster)
"""Subclusters, largest first."""

CLUSTERS_CHUNKS = ListOf("clusters/chunks", Chunk)
"""Chunks of the cluster, by paper and in reading order; topics only."""

CLUSTERS_PAPERS = ListOf("clusters/papers", Paper)
"""Papers of the cluster, by title; topics have chunks instead."""

ENTITIES_MENTIONS = ListOf("entities/mentions", ChunkMention)
"""Chunks that mention it, by paper and in reading order."""

ENTITIES_PAPERS = ListOf("entities/papers", Paper)
"""Papers that mention it, by title."""

ENTITIES_RELATIONS = ListOf("entities/relations", Relation)
"""Relations to other entities, by type and name."""

ENTITIES_SAME_AS = ListOf("entities/same-as", SameEntity)
"""Same entities, by descending confidence."""

PAPERS_CHUNKS = ListOf("papers/chunks", Chunk)
"""All chunks in reading order."""

PAPERS_CITED_BY = ListOf("papers/cited-by", Paper)
"""Citing papers of the collection, by title."""

PAPERS_CITES = ListOf("papers/cites", Paper)
"""Cited papers of the collection, by title."""

PAPERS_CLUSTERS = ListOf("papers/clusters", Cluster)
"""Clusters and their ancestors, by kind, level and name."""

PAPERS_ENTITIES = ListOf("papers/entities", EntityOfPaper)
"""Mentioned entities, most frequent first."""

PAPERS_QUESTIONS = ListOf("papers/questions", Question)
"""Questions that the paper or its chunks answer."""

PAPERS_REFERENCES = ListOf("papers/references", Reference)
"""References of the paper, in the order of its list."""

PAPERS_SECTIONS = ListOf("papers/sections", Section)
"""All sections, of any level, in reading order."""

QUESTIONS_CHUNKS = ListOf("questions/chunks", Chunk)
"""Answering chunks, in reading order; none if the whole paper answers."""

REFERENCES_CHUNKS = ListOf("references/chunks", Chunk)
"""Chunks that cite it, in reading order."""

SECTIONS_CHUNKS = ListOf("sections/chunks", Chunk)
"""Chunks of the section, without subsections, in reading order."""

NODE_LISTS: Mapping[str, ListOf[Any]] = {
    "authors/papers": AUTHORS_PAPERS,
    "chunks/clusters": CHUNKS_CLUSTERS,
    "chunks/entities": CHUNKS_ENTITIES,
    "chunks/questions": CHUNKS_QUESTIONS,
    "chunks/references": CHUNKS_REFERENCES,
    "chunks/similar": CHUNKS_SIMILAR,
    "clusters/children": CLUSTERS_CHILDREN,
    "clusters/chunks": CLUSTERS_CHUNKS,
    "clusters/papers": CLUSTERS_PAPERS,
    "entities/mentions": ENTITIES_MENTIONS,
    "entities/papers": ENTITIES_PAPERS,
    "entities/relations": ENTITIES_RELATIONS,
    "entities/same-as": ENTITIES_SAME_AS,
    "papers/chunks": PAPERS_CHUNKS,
    "papers/cited-by": PAPERS_CITED_BY,
    "papers/cites": PAPERS_CITES,
    "papers/clusters": PAPERS_CLUSTERS,
    "papers/entities": PAPERS_ENTITIES,
    "papers/questions": PAPERS_QUESTIONS,
    "papers/references": PAPERS_REFERENCES,
    "papers/sections": PAPERS_SECTIONS,
    "questions/chunks": QUESTIONS_CHUNKS,
    "references/chunks": REFERENCES_CHUNKS,
    "sections/chunks": SECTIONS_CHUNKS,
}
"""All lists by their names."""
