"""Notes of a folder in the home directory, as note:NAME."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.source import DocumentRef, Format, RawDocument, Source
from papergraph.ingest.sources.web import Web


@dataclass(frozen=True)
class Note(DocumentRef):
    name: str

    def read(self, *, max_bytes: int) -> RawDocument:
        path = Path.home() / "notes" / f"{Path(self.name[5:]).name}.md"
        if not path.is_file():
            raise SourceError(self.name, Reason.NOT_FOUND, "is no note")
        if len(data := path.read_bytes()) > max_bytes:
            raise SourceError(self.name, Reason.TOO_LARGE, f"has more than {max_bytes} bytes")
        return RawDocument(self.name, data, Format.MARKDOWN, hashlib.sha256(data).hexdigest())

    def content_hash(self, *, max_bytes: int) -> str | None:
        try:
            return self.read(max_bytes=max_bytes).content_hash
        except SourceError:
            return None


def find(name: str, web: Web | None) -> Iterable[DocumentRef]:
    return [Note(name)]


SOURCE = Source("note", lambda name: name.startswith("note:"), find, order=50)
