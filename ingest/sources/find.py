"""From what a user names to the documents to read."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from os import PathLike

from ingest.sources.records import DescribedFile, newest
from ingest.sources.source import DocumentRef, Source
from ingest.sources.web import Web
from papergraph.errors import SourceError
from papergraph.registry import parts

Spec = str | PathLike[str]
"""What a user names: the path of a file or folder, a URL, or ``arxiv:ID``."""


def find_documents(specs: Iterable[Spec], *, web: Web | None = None) -> Iterator[DocumentRef | SourceError]:
    """Yield the documents to read, in a stable order and each once, and an error for each name that has none.

    A folder gives its supported files at any depth, hidden ones and links to folders left out; a file that is named
    itself must be of a supported type. A file of records gives a document for each record, and a bibliography the
    files below its folder that its entries name. In a folder, JSONL that tells of no paper is passed over, and so are
    bibliographies that name no such file: they are what the papers beside them cite.

    Nothing is fetched before it is read, and nothing outside at all unless a ``web`` is given.
    """
    found = [document for spec in specs for document in _find(str(spec), web)]
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
    return parts("ingest.sources", "SOURCE", Source)


def _find(spec: str, web: Web | None) -> list[DocumentRef | SourceError]:
    return next(source for source in sources().values() if source.accepts(spec)).find(spec, web)
