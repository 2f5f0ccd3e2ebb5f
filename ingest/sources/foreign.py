"""Documents of strangers: those that came over the network, whoever asked for them."""

from ingest.sources.source import RawDocument
from ingest.sources.uploads import is_upload
from ingest.sources.web import is_outside


def is_foreign(source: RawDocument) -> bool:
    """Say whether a document was uploaded, is from a URL or from arXiv, or was fetched into a folder before.

    What was fetched into a folder is described by a record beside it, and so has metadata.
    """
    return is_upload(source.name) or is_outside(source.name) or source.metadata is not None
