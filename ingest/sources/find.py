"""From what a user names to the documents to read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from os import PathLike

from papergraph.errors import SourceError
from papergraph.ingest.sources.records import DescribedFile, newest
from papergraph.ingest.sources.source import DocumentRef, Source
from papergraph.ingest.sources.uploads import is_upload
from papergraph.ingest.sources.web import Web
from papergraph.registry import parts

Spec = str | PathLike[str]
"""Name of documents: path of a file or folder, URL, or ``arxiv:ID``."""


def find_documents(specs: Iterable[Spec], *, web: Web | None = None) -> Iterator[DocumentRef | SourceError]:
    """Yield the documents to read, each once in a stable order, and an error for each invalid name.

    A folder yields its supported files at any depth, except hidden ones and links to folders; a file that is named
    itself must have a supported type. A file of records yields a document for each record, a bibliography those of its
    entries' files below its own folder. In a folder, JSONL without papers is skipped, as are bibliographies without
    files: they are the reference lists of papers beside them.

    Documents are fetched when they are read; addresses need ``web``.
    """
    names = [str(spec) for spec in specs]
    web = web and replace(web, together=tuple(filter(is_upload, names)))
    found = [document for name in names for document in _find(name, web)]
    described = {document.path for document in found if isinstance(document, DescribedFile)}
    seen: set[str] = set()
    for document in newest(found):
        if isinstance(document, SourceError):
            yield document
        elif document.name not in seen and document.name not in described:
            seen.add(document.name)
            yield document


@cache
def sources() -> Mapping[str, Source]:
    """Return all sources by name; the first that accepts a name finds its documents."""
    return parts("papergraph.ingest.sources", "SOURCE", Source)


def _find(spec: str, web: Web | None) -> list[DocumentRef | SourceError]:
    return next(source for source in sources().values() if source.accepts(spec)).find(spec, web)
