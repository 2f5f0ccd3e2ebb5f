"""Kept files of stored papers, as kept:HASH/FORMAT/NAME: read again under the name of their source."""

import re

from papergraph.errors import Reason, SourceError
from papergraph.ingest.sources.source import DocumentRef, Source
from papergraph.ingest.sources.uploads import Upload
from papergraph.ingest.sources.web import Web

KEPT = re.compile(r"kept:(?P<hash>[0-9a-f]{64})/(?P<format>[a-z0-9]+)/(?P<name>.+)", re.DOTALL)


def kept_name(content_hash: str, format: str, name: str) -> str:
    """Return the spec of a kept file by its content hash and the name of its source."""
    return f"kept:{content_hash}/{format}/{name}"


def find(spec: str, web: Web | None) -> list[DocumentRef | SourceError]:
    """Return the kept file of a spec, or an error if no files are kept here."""
    match = KEPT.fullmatch(spec)
    if match is None or web is None or web.kept is None:
        return [SourceError(spec, Reason.NOT_FOUND, "is not kept here; ingest its file again")]
    return [Upload(match["name"], web.kept / match["hash"], match["format"])]


SOURCE = Source("kept", lambda spec: KEPT.fullmatch(spec) is not None, find, order=2)
