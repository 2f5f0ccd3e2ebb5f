"""Stored papers: read, listed and counted."""

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from papergraph import cypher
from papergraph.batches import Row
from papergraph.database import Database
from papergraph.embedding import Floats, ModelCard
from papergraph.ingest.chunkers import MASK_URLS, ChunkOptions, embedded_text
from papergraph.ingest.graph.paper_sources import FIELDS, PaperSource, SourceKind
from papergraph.ingest.graph.rows import NO_EMBEDDING, PaperRows, embedding_row, paper_text
from papergraph.neo4j_errors import Transaction
from papergraph.schema.embedding_models import StoredModel
from papergraph.schema.ids import (
    chunk_id,
    collection_term,
    is_spoken,
    paper_id,
    reference_id,
    section_id,
    text_hash,
)
from papergraph.text.language import language_of_passages
from papergraph.vector_slots import VECTOR_PROPERTIES, VectorSlot

# Reading before writing: known contents and stored vectors


@dataclass(frozen=True)
class KnownContent:
    """Stored source: its content and key, its paper, and whether the paper shows its text and is complete."""

    content: str
    key: str
    is_shown: bool
    is_complete: bool
    title: str
    n_sections: int
    n_chunks: int


async def find_contents(
    database: Database, config_hashes: Mapping[str, str], *, collection: str
) -> dict[str, KnownContent]:
    """Return by name the sources that have one of some contents, read by its configuration in ``config_hashes``."""
    rows = [{"content": content, "config_hash": config_hash} for content, config_hash in config_hashes.items()]
    records = await database.read(cypher.load("ingest/find_contents"), collection=collection, rows=rows)
    return {
        record["name"]: KnownContent(
            record["content"],
            record["key"],
            record["is_shown"],
            record["is_complete"],
            record["title"],
            record["n_sections"],
            record["n_chunks"],
        )
        for record in records
    }


async def has_papers(database: Database, *, collection: str) -> bool:
    """Say whether a collection holds any paper."""
    (record,) = await database.read(cypher.load("ingest/has_papers"), collection=collection)
    return bool(record["has_papers"])


async def find_vectors(
    database: Database,
    hashes: Sequence[str],
    *,
    collection: str,
    ids: Sequence[str],
    contents: Sequence[str],
    chunkers: Sequence[str],
    dimension: int,
) -> dict[str, Floats]:
    """Return the valid stored vectors of texts, by hash, in papers of some ids or contents."""
    records = await database.read(
        cypher.load("ingest/find_vectors"),
        collection=collection,
        ids=list(ids),
        contents=list(contents),
        chunkers=list(chunkers),
        hashes=list(hashes),
        dimension=dimension,
    )
    return {record["hash"]: np.asarray(record["embedding"], dtype=np.float32) for record in records}


async def sources_of(database: Database, key: str, *, collection: str) -> list[dict[str, Any]]:
    """Return the properties of all sources of a paper, by its id or any of its keys; empty for a missing paper."""
    records = await database.read(cypher.load("ingest/sources_of"), collection=collection, key=key)
    return [record["source"] for record in records]


# Stored papers: found and locked by identifiers shared with a source, and packed for later


NOTED = frozenset(
    {
        *("enrichments", "linksConfigHash", "pageRank", "structure", "nSimilar", "ingestedAt", "revision"),
        *("mapPlace", "placedBy", "mapTopic", "editorialStatus", "editorialDate", "editorialNotices"),
    }
)
"""Properties written by enrichments, which are not packed."""

OF_IDS = frozenset({"id", "paperId", "sectionId", "parent_id", "chunk_ids", "collection", "collectionTerm"})
PLACED = frozenset({"key", "keys", "sources", "nKeys", "titleKey", "language", *FIELDS})
"""Properties derived from the paper's key, sources and chunks, and recomputed when a text is unpacked."""


@dataclass(frozen=True)
class StoredPaper:
    """A paper with its sources, as far as writing needs it; ``content`` and ``config`` are those of its text."""

    id: str
    key: str
    content: str
    config: str
    sources: tuple[PaperSource, ...]
    has_enrichments: bool


async def lock_papers(
    transaction: Transaction, collection: str, sources: Sequence[PaperSource], *, closed: bool = True
) -> list[StoredPaper]:
    """Return the papers that sources may belong to, locked, and where ``closed`` those that these depend on."""
    found: dict[str, StoredPaper] = {}
    asked: set[str] = set()
    wanted = list(sources)
    while wanted:
        asked |= {one.title_key for one in wanted}
        records = await transaction.run(cypher.load("ingest/lock_papers"), collection=collection, **_shared(wanted))
        new = [_stored(record) for record in records if record["id"] not in found]
        found |= {paper.id: paper for paper in new}
        held = [one for paper in new for one in paper.sources]
        wanted = [one for one in held if closed and one.title_key and one.title_key not in asked]
    return [found[id] for id in sorted(found)]


def _shared(sources: Sequence[PaperSource]) -> dict[str, list[str]]:
    """Return what other sources of the same papers may have in common with some."""
    identities = sorted({identity for one in sources for identity in one.identities})

    def those(prefix: str) -> list[str]:
        return [identity.removeprefix(prefix) for identity in identities if identity.startswith(prefix)]

    paths = those("file:")
    return {
        "names": sorted({*(one.name for one in sources), *paths}),
        "keys": [identity for identity in identities if not identity.startswith("content:")],
        "dois": [*those("doi:"), *(f"10.48550/arxiv.{id}" for id in those("arxiv:"))],
        "arxiv_ids": those("arxiv:"),
        "contents": those("content:"),
        "files": paths,
        "titles": sorted({one.title_key for one in sources if one.title_key}),
    }


def _stored(record: Mapping[str, Any]) -> StoredPaper:
    sources = sorted((PaperSource.of(properties) for properties in record["sources"]), key=lambda one: one.name)
    return StoredPaper(
        record["id"], record["key"], record["content"], record["config_hash"], tuple(sources), record["has_enrichments"]
    )


async def read_rows(transaction: Transaction, id: str, slot: VectorSlot) -> PaperRows:
    """Return the rows of a paper as they stand, with the vectors in use and without what enrichments noted."""
    (record,) = await transaction.run(cypher.load("ingest/read_parts"), id=id)
    sections = [part["properties"] for part in record["sections"]]
    chunks = [_read(part["properties"], slot) for part in record["chunks"]]
    section_ids = {row["ordinal"]: row["id"] for row in sections}
    chunk_ids = {row["ordinal"]: row["id"] for row in chunks}
    return PaperRows(
        _read(record["paper"], slot),
        record["paper"]["sources"][0],
        [],
        [
            {**row, "parent_id": section_ids.get(part["parent"])}
            for row, part in zip(sections, record["sections"], strict=True)
        ],
        [
            {**row, "parent_id": chunk_ids.get(part["parent"])}
            for row, part in zip(chunks, record["chunks"], strict=True)
        ],
        [
            {**part["properties"], "chunk_ids": [chunk_ids[ordinal] for ordinal in part["chunks"]]}
            for part in record["references"]
        ],
    )


def _read(properties: Mapping[str, Any], slot: VectorSlot) -> Row:
    left_out = {slot.other.called(name) for name in VECTOR_PROPERTIES} | NOTED
    renamed = {slot.called(name): name for name in VECTOR_PROPERTIES}
    return NO_EMBEDDING | {renamed.get(name, name): value for name, value in properties.items() if name not in left_out}


def pack(rows: PaperRows) -> str:
    """Return the rows of a text in one string, without what follows from the key and the sources of its paper."""
    sections = {row["id"]: row["ordinal"] for row in rows.sections}
    chunks = {row["id"]: row["ordinal"] for row in rows.chunks}
    packed = {
        "paper": {name: value for name, value in _packed(rows.paper).items() if name not in PLACED},
        "sections": [{"properties": _packed(row), "parent": sections.get(row["parent_id"])} for row in rows.sections],
        "chunks": [
            {
                "properties": _packed(row),
                "section": sections[row["sectionId"]],
                "parent": chunks.get(row["parent_id"]),
            }
            for row in rows.chunks
        ],
        "references": [
            {"properties": _packed(row), "chunks": [chunks[id] for id in row["chunk_ids"]]} for row in rows.citations
        ],
    }
    told = json.dumps(packed, sort_keys=True, ensure_ascii=False).encode()
    return base64.b64encode(zlib.compress(told, level=9)).decode()


def _packed(row: Row) -> Row:
    packed = {name: value for name, value in row.items() if name not in OF_IDS}
    if row.get("embedding") is not None:
        packed["embedding"] = base64.b64encode(np.asarray(row["embedding"], dtype=np.float32).tobytes()).decode()
    return packed


def unpack(source: PaperSource, collection: str, key: str, model: StoredModel) -> PaperRows:
    """Return the rows of a packed text for a paper of some key; vectors of another model are left out."""
    packed = json.loads(zlib.decompress(base64.b64decode(source.parts or "")))
    id = paper_id(collection, key)
    sections = [part["properties"] for part in packed["sections"]]
    section_ids = {row["ordinal"]: section_id(id, row["ordinal"], row["title"]) for row in sections}
    chunk_ids = {
        part["properties"]["ordinal"]: chunk_id(id, part["properties"]["ordinal"], part["properties"]["text"])
        for part in packed["chunks"]
    }
    rows = [part["properties"] for part in packed["chunks"]]
    texts = [row["text"] for row in rows if is_spoken(row["kind"], row.get("level") or 0)]
    language = language_of_passages(texts or [str(source.fields.get("title", ""))])
    of_collection = {"collection": collection, "collectionTerm": collection_term(collection)}
    paper = {**_unpacked(packed["paper"], model), **of_collection, "id": id, "key": key, "language": language}
    if paper["embedding"] is None:
        paper["configHash"] = ""  # to be read again
    return PaperRows(
        paper,
        source.name,
        [],
        [
            {
                **part["properties"],
                **of_collection,
                "id": section_ids[part["properties"]["ordinal"]],
                "paperId": id,
                "parent_id": section_ids.get(part["parent"]),
            }
            for part in packed["sections"]
        ],
        [
            {
                **_unpacked(part["properties"], model),
                **of_collection,
                "id": chunk_ids[part["properties"]["ordinal"]],
                "paperId": id,
                "sectionId": section_ids[part["section"]],
                "parent_id": chunk_ids.get(part["parent"]),
            }
            for part in packed["chunks"]
        ],
        [
            {
                **part["properties"],
                **of_collection,
                "id": reference_id(id, part["properties"]["ordinal"]),
                "paperId": id,
                "chunk_ids": [chunk_ids[ordinal] for ordinal in part["chunks"]],
            }
            for part in packed["references"]
        ],
    )


def _unpacked(row: Row, model: StoredModel) -> Row:
    if row.get("embedding") is None or row.get("embeddingModel") != model.sha256:
        return {**row, **NO_EMBEDDING}
    vector = np.frombuffer(base64.b64decode(row["embedding"]), dtype=np.float32)
    return {**row, "embedding": vector.tolist()}


def packed_source(sources: Iterable[PaperSource], content: str) -> PaperSource | None:
    """Return the first source of a content that has its text packed."""
    kept = (one for one in sources if one.content == content and one.parts and one.kind is not SourceKind.EDIT)
    return next(kept, None)


# Texts stored without vectors: found, and given their vectors, also where they are packed


@dataclass(frozen=True)
class UnembeddedText:
    """A text that is stored without vectors, of a paper of this id.

    Attributes:
        id: Id of the paper.
        content: Content hash of the text.
        own: Text of the paper's own vector.
        chunks: Its chunks in order with ``id``, ``level``, ``context`` and ``text``.
        options: How they were cut.
        packed: The source that has it packed, where another text is shown.
    """

    id: str
    content: str
    own: str
    chunks: Sequence[Row]
    options: ChunkOptions
    packed: PaperSource | None = None

    @property
    def n_chunks(self) -> int:
        """Number of its chunks, parents aside."""
        return sum(row["level"] == 0 for row in self.chunks)

    @property
    def texts(self) -> list[str]:
        """Texts to embed: the paper's own, then that of each chunk."""
        return [self.own, *(self._text(row) for row in self._embedded)]

    def nodes(self, vectors: Mapping[str, Floats], card: ModelCard) -> dict[str, Row]:
        """Return by id the vectors of the paper and its chunks, as properties."""
        nodes = {self.id: embedding_row(vectors[self.own], text_hash(card.sha256, self.own), card)}
        for row in self._embedded:
            text = self._text(row)
            nodes[row["id"]] = embedding_row(vectors[text], text_hash(card.sha256, text), card)
        return nodes

    def repacked(self, nodes: Mapping[str, Row], model: StoredModel, collection: str) -> PaperSource:
        """Return the source that has it packed with its vectors.

        Raises:
            ValueError: It is not packed.
        """
        if self.packed is None:
            raise ValueError(f"the text of {self.id} is shown")
        rows = unpack(self.packed, collection, self.packed.key, model)
        filled = replace(
            rows,
            paper=rows.paper | {"configHash": self.packed.config} | nodes[self.id],
            chunks=[row | nodes.get(row["id"], {}) for row in rows.chunks],
        )
        return replace(self.packed, parts=pack(filled))

    @property
    def _embedded(self) -> list[Row]:
        return [row for row in self.chunks if row["level"] == 0 or self.options.embed_parents]

    def _text(self, row: Row) -> str:
        return embedded_text(row["context"] or "", row["text"] or "", masked=MASK_URLS in self.options.cleaning)


async def find_unembedded(
    database: Database, names: Sequence[str], *, collection: str, model: StoredModel, options: ChunkOptions
) -> list[UnembeddedText]:
    """Return the texts of some sources that are stored without vectors, shown or packed."""
    shown_query, packed_query = cypher.load("ingest/find_unembedded", model.slot), cypher.load("ingest/packed_sources")
    shown = await database.read(shown_query, collection=collection, names=list(names))
    packed = await database.read(packed_query, collection=collection, names=list(names))
    found = [
        UnembeddedText(
            record["id"],
            record["content"],
            paper_text(record["title"] or "", record["abstract"] or ""),
            record["chunks"],
            options,
        )
        for record in shown
    ]
    for record in packed:
        source = PaperSource.of(record["source"])
        rows = unpack(source, collection, source.key, model)
        if rows.paper["embedding"] is None:
            own = paper_text(source.fields.get("title", ""), source.fields.get("abstract", ""))
            found.append(UnembeddedText(rows.id, source.content, own, rows.chunks, options, packed=source))
    return found
