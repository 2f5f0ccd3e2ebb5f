"""Find the documents that a user names, and read each one's bytes, or say why not."""

from collections.abc import Iterable, Iterator
from os import PathLike

from ingest.sources.files import LocalFile, find_files
from ingest.sources.source import FORMATS, SUPPORTED, Format, Found, Metadata, SourceFile
from papergraph.errors import SourceError

__all__ = ["FORMATS", "SUPPORTED", "Format", "Found", "LocalFile", "Metadata", "SourceFile", "Spec", "find_documents"]

Spec = str | PathLike[str]
"""What a user names: the path of a file or folder."""


def find_documents(specs: Iterable[Spec]) -> Iterator[Found | SourceError]:
    """Yield the documents to read, in a stable order and each once, and an error for each name that has none.

    A folder gives its supported files at any depth, hidden ones and links to folders left out; a file that is named
    itself must be of a supported type.
    """
    seen: set[str] = set()
    for spec in specs:
        for document in find_files(str(spec)):
            if isinstance(document, SourceError) or document.name not in seen:
                yield document
            if isinstance(document, Found):
                seen.add(document.name)
