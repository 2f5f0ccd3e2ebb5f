"""Extensions of the schema: permissions, limits and validation of queries, errors, and metrics."""

import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import cache
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
    validate,
)
from graphql.validation import NoSchemaIntrospectionCustomRule
from strawberry.extensions import SchemaExtension
from strawberry.schema.base import BaseSchema
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule
from strawberry.types import ExecutionContext, StreamExecutionResult
from strawberry.types.graphql import OperationType

from papergraph.errors import AccessError, Code, InputError, PapergraphError
from papergraph.server.auth.operations import LEAST, Operation, allow_fields, too_complex
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.cost import cost_of, operation_of_field
from papergraph.server.middleware.authentication import STATUSES
from papergraph.server.operations.error_responses import error_extensions, public_message
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import OTHER

# Errors as clients see them: a code of a closed list and the field at fault; everything else stays in the log


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


# Permissions of an operation: the scopes of its fields, its turn, and its cost


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
                known = root_operations(execution.schema)
                fields = {name: known.get(name) for name in root_fields(execution) if not name.startswith("__")}
                allowed = allow_fields(context.principal, fields)
                if allowed is not context.principal:
                    context = execution.context = context.restricted(allowed)
                if all(declared is None or declared.queued for declared in fields.values()):
                    await self._held.enter_async_context(context.limits.rate.turn(context.principal))
                await charge(context)
            except AccessError as error:
                execution.pre_execution_errors = [GraphQLError(str(error), original_error=error)]
        yield


async def charge(context: Context) -> None:
    """Charge what the operation costs, where that is known, to the principal.

    Raises:
        RateLimitedError: Not that much is left.
    """
    await context.limits.rate.charge(context.principal, max(LEAST, context.cost or LEAST))


@cache
def root_operations(schema: BaseSchema) -> Mapping[str, Operation | None]:
    """Return the operation of each root field, or None."""
    kinds = [schema._schema.query_type, schema._schema.mutation_type, schema._schema.subscription_type]  # type: ignore[attr-defined]
    return {name: operation_of_field(field) for kind in kinds if kind for name, field in kind.fields.items()}


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
    """Yield the fields of a selection; valid operations have no cycles of fragments."""
    for selection in selections.selections:
        match selection:
            case FieldNode(name=name):
                yield name.value
            case InlineFragmentNode(selection_set=inside):
                yield from _fields(inside, fragments)
            case FragmentSpreadNode(name=name):
                yield from _fields(fragments[name.value].selection_set, fragments)


# Metrics and traces of operations, by root fields and never by name or text


INTROSPECTION = frozenset({"__typename", "__schema", "__type"})


class Watched(SchemaExtension):
    """Counts and times operations that are done, and is the span of each; refused ones are counted as errors."""

    def on_execute(self) -> Iterator[None]:
        """Let the operation be done."""
        execution, known = self.execution_context, root_operations(self.execution_context.schema).keys() | INTROSPECTION
        kind = execution.operation_type
        fields = [field if field in known else OTHER for field in root_fields(execution)]
        for field in fields:
            metrics.FIELDS.labels(field).inc()
        if kind is OperationType.SUBSCRIPTION:  # lasts as long as its client likes
            yield
            return
        start = time.perf_counter()
        with tracing.span(f"graphql {kind.value}", {tracing.FIELDS: sorted(set(fields))}):
            yield
        metrics.OPERATION_SECONDS.labels(kind.value).observe(time.perf_counter() - start)


# Limits on the form of a query, held before it is validated: how deep, how wide, how often something is repeated.
#
# Validation compares every field with all others at the same position of the answer, and what follows each spread of a
# fragment doubles its time with each that is spread twice. So the query is walked through here as it would be answered,
# fragments filled in once, and the walk ends with the first limit that is exceeded.


MAX_TOKENS = 2000
MAX_DEPTH = 12
"""Levels of fields below a root field, those of introspection aside."""

MAX_NESTING = 60
"""Levels of anything in braces, fragments too: what reckons the cost calls itself that often."""

MAX_FIELDS = 2000
MAX_REPEATS = 20
"""Most repetitions of a field at the same position of the answer, for example by fragments."""

MAX_ALIASES = 15
MAX_ROOT_FIELDS = 20
MAX_DIRECTIVES = 20
MAX_DIRECTIVES_IN_A_PLACE = 3


class Braces(NamedTuple):
    """Content of a pair of braces, and their nesting depth."""

    selected: SelectionSetNode
    nesting: int


def check_form(document: DocumentNode) -> None:
    """Hold a document, valid or not, to the limits.

    Raises:
        GraphQLError: One of them is exceeded.
    """
    walk = _Walk(document)
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            walk.through(node)


class _Walk:
    def __init__(self, document: DocumentNode) -> None:
        self._fragments = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self._counts: Counter[str] = Counter()

    def through(self, operation: OperationDefinitionNode) -> None:
        for part in (operation, *(operation.variable_definitions or ())):
            self._count_directives(part)
        fields = self._fields([Braces(operation.selection_set, 1)])
        _refuse_more("root fields", sum(map(len, fields.values())), MAX_ROOT_FIELDS)
        levels = [(fields, 0)]
        while levels:
            fields, depth = levels.pop()
            _refuse_more("levels of depth", depth, MAX_DEPTH)
            for name, places in fields.items():
                _refuse_more(f"fields {name!r} in one place", len(places), MAX_REPEATS)
                inner = [Braces(node.selection_set, nesting + 1) for node, nesting in places if node.selection_set]
                if inner:
                    is_introspection = places[0][0].name.value.startswith("__")
                    levels.append((self._fields(inner), -MAX_NESTING if is_introspection else depth + 1))

    def _fields(self, pending: Iterable[Braces]) -> dict[str, list[tuple[FieldNode, int]]]:
        """Return the fields that are answered together, by their names there, each with its nesting."""
        pending, spread = list(pending), set[str]()
        found = defaultdict[str, list[tuple[FieldNode, int]]](list)
        while pending:
            selected, nesting = pending.pop()
            _refuse_more("levels of nesting", nesting, MAX_NESTING)
            for node in selected.selections:
                self._count_directives(node)
                if isinstance(node, FieldNode):
                    self._count("fields", 1, MAX_FIELDS)
                    self._count("aliases", int(node.alias is not None), MAX_ALIASES)
                    found[(node.alias or node.name).value].append((node, nesting))
                elif isinstance(node, InlineFragmentNode):
                    pending.append(Braces(node.selection_set, nesting + 1))
                elif isinstance(node, FragmentSpreadNode) and node.name.value not in spread:
                    spread.add(node.name.value)
                    if fragment := self._fragments.get(node.name.value):
                        self._count_directives(fragment)
                        pending.append(Braces(fragment.selection_set, nesting + 1))
        return found

    def _count_directives(self, node: Node) -> None:
        here = len(getattr(node, "directives", None) or ())
        _refuse_more("directives in one place", here, MAX_DIRECTIVES_IN_A_PLACE)
        self._count("directives", here, MAX_DIRECTIVES)

    def _count(self, what: str, n: int, most: int) -> None:
        self._counts[what] += n
        _refuse_more(what, self._counts[what], most)


def _refuse_more(what: str, n: int, most: int) -> None:
    if n > most:
        raise GraphQLError(f"The query has {n} {what} or more; at most {most} are allowed.")


# Validation of a query: lookup by hash, parsing, limits, validation, and cost


MAX_ERRORS = 10
"""Most reported errors of a query; suggestions for wrong names take time."""

MAX_KEPT_CHARS = 4000
"""Longest text whose parsed document is cached; it may have 2000 tokens, which take 1 MB."""

IN_PLACE_OF_A_QUERY = "{ __typename }"
"""Query to parse if the persisted one is unknown; it is not executed."""


class Admission(SchemaExtension):
    """Lets a query be run, or refuses it before any of its fields is resolved."""

    def on_operation(self) -> Iterator[None]:
        """Find the text that is meant."""
        execution, context = self.execution_context, self._context
        execution.parse_options["max_tokens"] = MAX_TOKENS
        if not context.rules.introspection:
            execution.validation_rules += (NoSchemaIntrospectionCustomRule,)
        asked = (execution.operation_extensions or {}).get("persistedQuery")
        self._to_register = execution.query if asked is not None else None
        try:
            execution.query = context.rules.persisted.text_of(execution.query, asked)
        except PapergraphError as error:
            execution.query, execution._provided_operation_name = IN_PLACE_OF_A_QUERY, None
            self._refuse(error)
            if isinstance(error, InputError) and context.response is not None:
                context.response.status_code = 400
        yield

    def on_parse(self) -> Iterator[None]:
        """Take a document that is known already, or hold the parsed one to the limits."""
        execution, valid = self.execution_context, self._context.rules.valid
        if execution.query and execution.pre_execution_errors is None:
            execution.graphql_document = valid.get(execution.query)
        self._is_known = execution.graphql_document is not None
        yield
        if execution.graphql_document is not None and not self._is_known and execution.pre_execution_errors is None:
            try:
                check_form(execution.graphql_document)
            except GraphQLError as error:
                execution.pre_execution_errors = [error]

    def on_validate(self) -> Iterator[None]:
        """Validate the document, which Strawberry does not do again then, and refuse what costs too much."""
        execution, context = self.execution_context, self._context
        if execution.graphql_document is not None and execution.pre_execution_errors is None:
            execution.pre_execution_errors = self._validate(execution.graphql_document)
            if not execution.pre_execution_errors:
                context.cost = cost_of(
                    execution.graphql_document,
                    execution.variables,
                    execution.operation_name,
                    schema=execution.schema._schema,
                    pipelines=context.service.pipelines,
                )
                if context.cost > context.rules.max_cost:
                    self._refuse(too_complex(context.cost, context.rules.max_cost))
        yield

    def _validate(self, document: DocumentNode) -> list[GraphQLError]:
        execution, rules = self.execution_context, self._context.rules
        if self._is_known:
            return []
        checks = (
            *execution.validation_rules,
            MaybeNullValidationRule,
            OneOfInputValidationRule,
        )  # as Strawberry has it
        errors = validate(
            execution.schema._schema, document, checks, MAX_ERRORS, hide_suggestions=not rules.introspection
        )
        if not errors and execution.query and len(execution.query) <= MAX_KEPT_CHARS:
            rules.valid[execution.query] = document
        return errors

    def on_execute(self) -> Iterator[None]:
        """Register the query, which is known to be valid now."""
        if self._to_register:
            self._context.rules.persisted.register(self._to_register)
        yield

    def get_results(self) -> dict[str, Any]:
        """Tell the cost along with the answer."""
        requested, limit = self._context.cost, self._context.rules.max_cost
        if requested is None:
            return {}
        return {"cost": {"requested": requested, "limit": limit, "remaining": max(limit - requested, 0)}}

    @property
    def _context(self) -> Context:
        context: Context = self.execution_context.context
        return context

    def _refuse(self, error: PapergraphError) -> None:
        self.execution_context.pre_execution_errors = [GraphQLError(str(error), original_error=error)]
