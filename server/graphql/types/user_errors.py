"""Errors that a caller can mend, as values of a mutation's result."""

from collections.abc import Awaitable
from typing import Self, TypeVar

import strawberry

from papergraph.errors import Code, PapergraphError
from server.graphql.derive import type_

T = TypeVar("T")

strawberry.enum(Code, name="ErrorCode", description="Code of an error, as in extensions.code of request errors.")


@strawberry.interface(name="UserError", description="An error that the caller can correct.")
class Problem:
    """What a caller can mend."""

    message: str = strawberry.field(description="The problem, and its remedy.")
    code: Code = strawberry.field(description="Error code, one of those of request errors.")
    field: str | None = strawberry.field(description="Invalid argument.")

    @classmethod
    def of(cls, error: PapergraphError) -> Self:
        """Wrap an error."""
        return cls(message=str(error), code=error.code, field=getattr(error, "field", None))


@type_(description="An argument is not valid.")
class InvalidInput(Problem):
    """An argument is not valid."""


@type_(description="The named object does not exist.")
class NotFound(Problem):
    """The named object does not exist."""


@type_(description="The call conflicts with an earlier one, or with the current state.")
class Conflict(Problem):
    """The call conflicts with an earlier one, or with the current state."""


USER_ERRORS: dict[Code, type[InvalidInput | NotFound | Conflict]] = {
    Code.BAD_USER_INPUT: InvalidInput,
    Code.NOT_FOUND: NotFound,
    Code.CONFLICT: Conflict,
}


async def outcome(work: Awaitable[T]) -> T | InvalidInput | NotFound | Conflict:
    """Return what was done, or the error that the caller can mend; every other error is one of the request."""
    try:
        return await work
    except PapergraphError as error:
        if (kind := USER_ERRORS.get(error.code)) is None:
            raise
        return kind.of(error)
