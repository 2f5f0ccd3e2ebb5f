"""Why documents are refused that lie outside, or that their authors took back."""

from ingest.sources.source import Metadata
from papergraph.errors import (
    BlockedUrlError,
    OutboundDeadlineError,
    OutboundError,
    OutboundStatusError,
    OutboundTooLargeError,
    Reason,
    SourceError,
)

GONE = frozenset({404, 410})


def refused(name: str, error: OutboundError) -> SourceError:
    """Return why the document ``name`` is refused."""
    detail = error.detail if error.url == name else str(error)
    return SourceError(name, _reason(error), detail)


def withdrawn(name: str, metadata: Metadata) -> SourceError:
    """Return why a withdrawn paper is refused, with what its authors say."""
    said = f": «{metadata.comment[:300]}»" if metadata.comment else ""
    version = metadata.arxiv_version or 0
    earlier = f"; an earlier version may be there: arxiv:{metadata.arxiv_id}v{version - 1}" if version > 1 else ""
    return SourceError(name, Reason.WITHDRAWN, f"was withdrawn{said}{earlier}")


def _reason(error: OutboundError) -> Reason:
    match error:
        case BlockedUrlError():
            return Reason.BLOCKED
        case OutboundTooLargeError():
            return Reason.TOO_LARGE
        case OutboundDeadlineError():
            return Reason.OUT_OF_TIME
        case OutboundStatusError(status=status) if status in GONE:
            return Reason.NOT_FOUND
        case _:
            return Reason.UNREACHABLE
