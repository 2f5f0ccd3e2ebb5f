"""Errors as clients see them: a code of a closed list and the field at fault; everything else stays in the log."""

from collections.abc import Iterator

from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types import StreamExecutionResult

from papergraph.errors import AccessError, Code, PapergraphError
from server.graphql.context import Context
from server.middleware.authentication import STATUSES
from server.operations.error_responses import error_extensions, public_message


class TypedErrors(SchemaExtension):
    """Gives every error its code and the request's id, and hides what was not raised on purpose."""

    def on_operation(self) -> Iterator[None]:
        """Rewrite the errors of the finished operation."""
        yield
        self._rewrite(self.execution_context.result)

    def on_stream_result(self, result: StreamExecutionResult) -> Iterator[None]:
        """Rewrite the errors of one result of several."""
        self._rewrite(result)
        yield

    def _rewrite(self, result: object) -> None:
        errors: list[GraphQLError] | None = getattr(result, "errors", None)
        if errors:
            refusals = [error.original_error for error in errors if isinstance(error.original_error, AccessError)]
            if refusals and not any((getattr(result, "data", None) or {}).values()):
                result.data = None  # type: ignore[attr-defined]  # refused as a whole, though each field could be null
                self._answer_like(refusals[0])
            result.errors = [self._typed(error) for error in errors]  # type: ignore[attr-defined]

    def _answer_like(self, refusal: AccessError) -> None:
        """Give the answer the status that plain HTTP has for a refusal."""
        response = getattr(self.execution_context.context, "response", None)
        if response is not None:
            response.status_code = STATUSES[refusal.code]
            if (seconds := getattr(refusal, "retry_after_s", None)) is not None:
                response.headers["Retry-After"] = str(seconds)

    def _typed(self, error: GraphQLError) -> GraphQLError:
        if "requestId" in (error.extensions or {}):
            return error
        context: Context = self.execution_context.context
        cause = error.original_error
        message, code, field = error.message, Code.BAD_USER_INPUT, None
        if isinstance(cause, PapergraphError):
            code, field = cause.code, getattr(cause, "field", None)
        elif cause is not None and not isinstance(cause, GraphQLError):
            code = Code.INTERNAL
        elif not context.rules.introspection:
            message = message.split(" Did you mean")[0]  # of a variable's value; validation leaves it out by itself
        return GraphQLError(
            public_message(cause, message, code, context.request_id),
            nodes=error.nodes,
            source=error.source,
            positions=error.positions,
            path=error.path,
            extensions=dict(error_extensions(code, context.request_id, field)),
        )
