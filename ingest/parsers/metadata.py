"""Metadata of a source, which override metadata found in the document's text."""

from dataclasses import replace

from papergraph.errors import Reason, SourceError
from papergraph.ingest.parsers.common.citations import told_references
from papergraph.ingest.parsers.document import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS, Document
from papergraph.ingest.sources import Metadata, RawDocument


def with_metadata(document: Document, file: RawDocument) -> Document:
    """Return a document as its source's metadata describes it.

    The key is the arXiv id where the metadata has one, since a DOI is often added to a paper at arXiv later.

    Raises:
        SourceError: The metadata says something that cannot be so.
    """
    metadata = file.metadata or Metadata()
    _check(file.name, metadata)
    title = metadata.title or document.title
    doi, arxiv_id = metadata.doi or document.doi, metadata.arxiv_id or document.arxiv_id
    key = document.key
    if metadata.arxiv_id or metadata.doi:
        key = f"arxiv:{metadata.arxiv_id}" if metadata.arxiv_id else f"doi:{metadata.doi}"
    return replace(
        document,
        key=key,
        title=title,
        abstract=metadata.abstract or document.abstract,
        authors=metadata.authors or document.authors,
        year=metadata.year or document.year,
        doi=doi,
        arxiv_id=arxiv_id,
        categories=metadata.categories or document.categories,
        license=metadata.license or document.license,
        references=document.references or told_references(list(metadata.references)),
        sections=tuple(
            replace(section, title=title) if section.kind == "front" else section for section in document.sections
        ),
    )


def _check(name: str, metadata: Metadata) -> None:
    if metadata.title and len(metadata.title) > LONGEST_TITLE:
        raise SourceError(name, Reason.BAD_METADATA, f"the title is longer than {LONGEST_TITLE} characters")
    if len(metadata.authors) > MOST_AUTHORS or any(len(author) > LONGEST_NAME for author in metadata.authors):
        raise SourceError(
            name,
            Reason.BAD_METADATA,
            f"there are more than {MOST_AUTHORS} authors, or a name longer than {LONGEST_NAME} characters",
        )
