"""Papers as enrichments read them, made of a few words."""

from papergraph.ingest.enrichments.enrichment import StoredChunk, StoredPaper
from papergraph.schema.ids import chunk_id, paper_id, section_id, sha256


def stored_paper(
    *texts: str,
    key: str = "file:waves.md",
    title: str = "Waves in Shallow Water",
    abstract: str = "We measure waves.",
    sections: tuple[str, ...] = (),
    collection: str = "main",
) -> StoredPaper:
    """Return a paper with a chunk for each text, each in a section of its own; ``sections`` are their headings."""
    id = paper_id(collection, key)
    headings = [*sections, *("Results" for _ in texts[len(sections) :])]
    return StoredPaper(
        id=id,
        collection=collection,
        key=key,
        title=title,
        abstract=abstract,
        year=2020,
        categories=(),
        primary_category=None,
        content_hash=sha256(key, *texts),
        config_hash="ab" * 32,
        enrichments=(),
        chunks=tuple(
            StoredChunk(
                id=chunk_id(id, number, text),
                ordinal=number,
                kind="body",
                text=text,
                section_id=section_id(id, number, heading),
                section=heading,
                section_kind="body",
            )
            for number, (text, heading) in enumerate(zip(texts, headings, strict=True))
        ),
    )
