"""Errors of documents and of what is fetched or worked on elsewhere."""

from enum import StrEnum
from http import HTTPStatus

from papergraph.errors.base import Code, PapergraphError


class ClusterError(PapergraphError):
    """A Dask cluster that cannot be reached, has no workers, or is gone."""

    code = Code.UNAVAILABLE


class UploadStoreError(PapergraphError):
    """An upload could not be stored."""

    code = Code.UNAVAILABLE
    public = "The file could not be stored. Retry later."


class OutboundError(PapergraphError):
    """A URL that could not be fetched."""

    code = Code.UNAVAILABLE

    def __init__(self, url: str, detail: str) -> None:
        super().__init__(f"{url} {detail}")
        self.url, self.detail = url, detail


class BlockedUrlError(OutboundError):
    """A URL that must not be asked for, by its text, its addresses, or where it leads to."""

    code = Code.BAD_USER_INPUT


class OutboundStatusError(OutboundError):
    """An answer with another status than 200.

    ``retry_after_s`` is how long the server asks to wait, if it does; ``told`` is how its answer begins.
    """

    def __init__(self, url: str, status: int, *, retry_after_s: float | None = None, told: str = "") -> None:
        super().__init__(url, f"was answered with status {status}" + (f": {told}" if told else ""))
        self.status, self.retry_after_s, self.told = status, retry_after_s, told

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered later: too much was asked, or the server has a fault of its own."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class OutboundTooLargeError(OutboundError):
    """An answer of more bytes than allowed; ``limit`` names what allows them."""

    def __init__(self, url: str, max_bytes: int, *, limit: str = "PAPERGRAPH_INGEST_MAX_FILE_BYTES") -> None:
        super().__init__(url, f"is larger than {max_bytes:,} bytes ({limit})")
        self.max_bytes = max_bytes


class OutboundDeadlineError(OutboundError):
    """A fetch that took too long."""

    code = Code.TIMEOUT

    def __init__(self, url: str, deadline_s: float) -> None:
        super().__init__(url, f"was not there within {deadline_s:g} s")
        self.deadline_s = deadline_s


class Reason(StrEnum):
    """Why a document was not ingested, or an enrichment not made of its paper."""

    NOT_FOUND = "NOT_FOUND"
    UNREADABLE = "UNREADABLE"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    EMPTY = "EMPTY"
    NOT_TEXT = "NOT_TEXT"
    TOO_LARGE = "TOO_LARGE"
    BAD_METADATA = "BAD_METADATA"
    BLOCKED = "BLOCKED"
    UNREACHABLE = "UNREACHABLE"
    WITHDRAWN = "WITHDRAWN"
    ENCRYPTED = "ENCRYPTED"
    DAMAGED = "DAMAGED"
    PARTIAL = "PARTIAL"
    SCANNED = "SCANNED"
    OUT_OF_TIME = "OUT_OF_TIME"
    OUT_OF_MEMORY = "OUT_OF_MEMORY"
    MISSING_PROGRAM = "MISSING_PROGRAM"
    INTERNAL = "INTERNAL"
    DATABASE = "DATABASE"
    LOST = "LOST"
    SERVICE_FAILED = "SERVICE_FAILED"
    MODEL_ANSWER = "MODEL_ANSWER"
    MODEL_DEADLINE = "MODEL_DEADLINE"


class SourceError(PapergraphError):
    """A document that cannot become a paper."""

    code = Code.BAD_USER_INPUT

    def __init__(self, source: str, reason: Reason, detail: str) -> None:
        super().__init__(f"{source}: {detail}")
        self.source, self.reason, self.detail = source, reason, detail


class DataFolderError(PapergraphError):
    """A folder of evaluation data, or a line of it, that cannot be read; ``place`` says which."""

    code = Code.BAD_USER_INPUT

    def __init__(self, place: str, detail: str) -> None:
        super().__init__(f"{place}: {detail}")
        self.place, self.detail = place, detail
