"""Validation of a query: lookup by hash, parsing, limits, validation, and cost."""

from collections.abc import Iterator
from typing import Any

from graphql import DocumentNode, GraphQLError, validate
from graphql.validation import NoSchemaIntrospectionCustomRule
from strawberry.extensions import SchemaExtension
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from papergraph.errors import InputError, PapergraphError, QueryTooComplexError
from server.graphql.context import Context
from server.graphql.cost import cost_of
from server.graphql.query_limits import MAX_TOKENS, check_form

MAX_ERRORS = 10
"""How many errors of one query are told; to look for names that are near to a wrong one takes a while."""

MAX_KEPT_CHARS = 4000
"""Longest text whose document is kept: 2000 tokens may stand in it, which take 1 MB."""

IN_PLACE_OF_A_QUERY = "{ __typename }"
"""Parsed where there is nothing to parse, because no query is known by the hash; it is not run."""


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
            execution.query = IN_PLACE_OF_A_QUERY
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
                    self._refuse(QueryTooComplexError(context.cost, context.rules.max_cost))
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
