"""Metadata of a source, which override metadata found in the document's text."""

from collections.abc import Iterator
from dataclasses import replace

from papergraph.ingest.parsers.common.citations import told_references
from papergraph.ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS, Document
from papergraph.ingest.sources import Metadata, RawDocument


def with_metadata(document: Document, file: RawDocument) -> Document:
    """Return a document as its source's metadata describes it.

    The key is the arXiv id where the metadata has one, since a DOI is often added to a paper at arXiv later. Titles and
    lists of authors that are too long are shortened.
    """
    metadata = file.metadata or Metadata()
    title = (metadata.title or document.title)[:LONGEST_TITLE]
    doi, arxiv_id = metadata.doi or document.doi, metadata.arxiv_id or document.arxiv_id
    key = document.key
    if metadata.arxiv_id or metadata.doi:
        key = f"arxiv:{metadata.arxiv_id}" if metadata.arxiv_id else f"doi:{metadata.doi}"
    return replace(
        document,
        key=key,
        title=title,
        abstract=metadata.abstract or document.abstract,
        authors=tuple(name for name in metadata.authors[:MOST_AUTHORS] if len(name) <= LONGEST_NAME)
        or document.authors,
        year=metadata.year or document.year,
        doi=doi,
        arxiv_id=arxiv_id,
        categories=metadata.categories or document.categories,
        license=metadata.license or document.license,
        references=document.references or told_references(list(metadata.references)),
        sections=tuple(
            replace(section, title=title) if section.kind == "front" else section for section in document.sections
        ),
        notes=(*document.notes, *metadata.remarks, *_shortened(metadata)),
    )


def _shortened(metadata: Metadata) -> Iterator[str]:
    if metadata.title and len(metadata.title) > LONGEST_TITLE:
        yield f"title has {len(metadata.title):,} characters; cut after {LONGEST_TITLE}"
    n_long = sum(len(name) > LONGEST_NAME for name in metadata.authors[:MOST_AUTHORS])
    if n := n_long + max(0, len(metadata.authors) - MOST_AUTHORS):
        yield f"authors has {n:,} names beyond {MOST_AUTHORS:,} names of {LONGEST_NAME} characters; left out"
