"""Whether an operation may be done: its fields' scopes, its turn, and what is left of what its key may spend."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
)
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext
from strawberry.types.graphql import OperationType

from papergraph.errors import AccessError
from server.access.prices import LEAST
from server.access.rights import require_fields
from server.graphql.context import Context


class Access(SchemaExtension):
    """Refuses an operation as a whole, before any of it is done, and has it wait for its turn.

    A subscription has no turn, nor has an answer: they are open for long, and do little meanwhile.
    """

    async def on_operation(self) -> AsyncIterator[None]:
        """Hold what the operation was given until it is done."""
        async with AsyncExitStack() as self._held:
            yield

    async def on_validate(self) -> AsyncIterator[None]:
        """Let the operation be done, or refuse it; before it is executed, which refuses every kind of it alike."""
        execution = self.execution_context
        context: Context = execution.context
        if execution.graphql_document is not None and not execution.pre_execution_errors:
            try:
                fields = root_fields(execution)
                require_fields(context.grant, fields)
                waits = execution.operation_type is OperationType.SUBSCRIPTION or "ask" in fields
                if context.limits is not None and not waits:
                    await self._held.enter_async_context(context.limits.turn())
                await charge(context)
            except AccessError as error:
                execution.pre_execution_errors = [GraphQLError(str(error), original_error=error)]
        yield


async def charge(context: Context) -> None:
    """Charge what the operation costs, where that is known, to the request's grant.

    Raises:
        RateLimitedError: Not that much is left.
    """
    if context.limits is not None:
        await context.limits.charge(context.grant, max(LEAST, context.cost or LEAST))


def root_fields(execution: ExecutionContext) -> list[str]:
    """Return the names of the fields that an operation begins with, those of fragments too."""
    document = execution.graphql_document
    if document is None:
        return []
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    name = execution.operation_name
    return [
        field
        for operation in operations
        if len(operations) == 1 or (operation.name is not None and operation.name.value == name)
        for field in _fields(operation.selection_set, fragments)
    ]


def _fields(selections: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode]) -> Iterator[str]:
    """Yield the fields of a selection; fragments form no circle, or the operation would not be valid."""
    for selection in selections.selections:
        match selection:
            case FieldNode(name=name):
                yield name.value
            case InlineFragmentNode(selection_set=inside):
                yield from _fields(inside, fragments)
            case FragmentSpreadNode(name=name):
                yield from _fields(fragments[name.value].selection_set, fragments)
