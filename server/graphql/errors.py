"""Errors as clients see them: a code of a closed list and the field at fault; everything else stays in the log."""

import logging
from collections.abc import Iterator

from graphql import GraphQLError
from strawberry.extensions import SchemaExtension

from papergraph.errors import Code, PapergraphError

log = logging.getLogger(__name__)


class TypedErrors(SchemaExtension):
    """Gives every error its code and the request's id, and hides what was not raised on purpose."""

    def on_operation(self) -> Iterator[None]:
        """Rewrite the errors of the finished operation."""
        yield
        result = self.execution_context.result
        errors: list[GraphQLError] | None = getattr(result, "errors", None)
        if errors:
            result.errors = [self._typed(error) for error in errors]  # type: ignore[union-attr]

    def _typed(self, error: GraphQLError) -> GraphQLError:
        request_id = getattr(self.execution_context.context, "request_id", None)
        cause = error.original_error
        message, code, field = error.message, Code.BAD_USER_INPUT, None
        if isinstance(cause, PapergraphError):
            code, field = cause.code, getattr(cause, "field", None)
        elif cause is not None and not isinstance(cause, GraphQLError):
            code = Code.INTERNAL
        if code not in (Code.BAD_USER_INPUT, Code.NOT_FOUND):
            log.error("request %s failed: %s", request_id, message, exc_info=cause)
            message = getattr(cause, "public", None) or HIDDEN[code]
        extensions = {"code": code.value, "requestId": request_id} | ({"field": field} if field else {})
        return GraphQLError(
            message,
            nodes=error.nodes,
            source=error.source,
            positions=error.positions,
            path=error.path,
            extensions=extensions,
        )


HIDDEN = {
    Code.TIMEOUT: "the database did not answer in time; try again",
    Code.UNAVAILABLE: "the database is not available; try again",
    Code.INTERNAL: "something went wrong; the log tells more under this request's id",
}
"""What is said instead of a message that may hold addresses, queries or paths."""
