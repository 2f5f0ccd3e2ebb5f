"""The root of the errors, and those that several parts raise."""

from enum import StrEnum


class Code(StrEnum):
    """The closed list of codes that every face reports."""

    BAD_USER_INPUT = "BAD_USER_INPUT"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    CONFLICT = "CONFLICT"
    RATE_LIMITED = "RATE_LIMITED"
    QUERY_TOO_COMPLEX = "QUERY_TOO_COMPLEX"
    PERSISTED_QUERY_NOT_FOUND = "PERSISTED_QUERY_NOT_FOUND"
    TIMEOUT = "TIMEOUT"
    UNAVAILABLE = "UNAVAILABLE"
    INTERNAL = "INTERNAL"


class PapergraphError(Exception):
    """Any error that papergraph raises on purpose; ``public`` is what clients may read of one that is ours to mend."""

    code = Code.INTERNAL
    public: str | None = None


class InputError(PapergraphError):
    """An argument that the caller can correct."""

    code = Code.BAD_USER_INPUT

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class NotFoundError(PapergraphError):
    """An id or key that the graph does not hold."""

    code = Code.NOT_FOUND

    def __init__(self, what: str, value: str, *, field: str, message: str | None = None) -> None:
        super().__init__(message or f"There is no {what} {value!r}.")
        self.what, self.value, self.field = what, value, field


class ConflictError(PapergraphError):
    """Something that does not go with what was asked before, or with how far it is; ``field`` names the argument."""

    code = Code.CONFLICT

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field
