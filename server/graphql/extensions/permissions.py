"""Permissions of an operation: the scopes of its fields, its turn, and its cost."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import cache

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
from strawberry.schema.base import BaseSchema
from strawberry.types import ExecutionContext

from papergraph.errors import AccessError
from server.auth.access import Access, require_fields
from server.auth.costs import LEAST
from server.graphql.context import Context
from server.graphql.cost import access_of_field


class Permissions(SchemaExtension):
    """Refuses an operation as a whole, before any of it is done, and has it wait where all its fields are queued."""

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
                known = root_access(execution.schema)
                fields = {name: known.get(name) for name in root_fields(execution) if not name.startswith("__")}
                require_fields(context.principal, fields)
                if all(declared is None or declared.queued for declared in fields.values()):
                    await self._held.enter_async_context(context.limits.rate.turn())
                await charge(context)
            except AccessError as error:
                execution.pre_execution_errors = [GraphQLError(str(error), original_error=error)]
        yield


async def charge(context: Context) -> None:
    """Charge what the operation costs, where that is known, to the request's grant.

    Raises:
        RateLimitedError: Not that much is left.
    """
    await context.limits.rate.charge(context.principal, max(LEAST, context.cost or LEAST))


@cache
def root_access(schema: BaseSchema) -> Mapping[str, Access | None]:
    """Return the access of each field that an operation may begin with; None where it declares none."""
    kinds = [schema._schema.query_type, schema._schema.mutation_type, schema._schema.subscription_type]  # type: ignore[attr-defined]
    return {name: access_of_field(field) for kind in kinds if kind for name, field in kind.fields.items()}


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
