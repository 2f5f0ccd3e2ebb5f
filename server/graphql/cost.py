"""Cost of a query, computed from its text before it runs; docs/graphql.md lists the prices.

A field costs 1, and a list the cost of an entry as often as its page is long. The page comes from ``first`` or ``k``,
which stand on the field itself or above it, on a connection or a search. The price of a search or an answer grows
with the collections, pipelines and readers that it names. A fragment is reckoned once, however often it is spread, so
that the time taken grows with the length of the text only.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLCompositeType,
    GraphQLField,
    GraphQLSchema,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Undefined,
    get_named_type,
    get_nullable_type,
    get_operation_ast,
    is_composite_type,
    is_list_type,
)
from graphql.utilities import value_from_ast_untyped
from strawberry.schema.schema_converter import GraphQLCoreConverter

from papergraph.server.auth import operations
from papergraph.server.auth.operations import COUNT, LIST_LENGTH, METADATA, Operation
from papergraph.server.graph.nodes import MAX_PAGE
from papergraph.server.retrieval.pipelines import Pipeline

INTROSPECTION = {"__schema": 3000, "__type": 100}
"""Prices of fields that answer from memory; nothing below them is reckoned. Others declare theirs; or else it is 1."""

RELATED = operations.RELATED.metadata
"""Of ``Paper.related``."""

MOST = 2**31 - 1
"""Upper bound of a reported cost (largest GraphQL Int)."""

LEFT_OUT = (("skip", True), ("include", False))

PAGES = (("ids",), ("first",), ("k",), ("input", "first"), ("input", "k"), ("input", "selection", "k"))
"""Arguments that set the length of lists below a field; the first one given counts."""


SEVERAL = ("collections", "pipelines", "readers")
"""Arguments of an input that raise the price of a field by what they name."""


class Share(NamedTuple):
    """Cost of a part of a query: ``once``, and ``per_entry`` of the enclosing page."""

    once: int
    per_entry: int = 0

    def in_page_of(self, n: int) -> int:
        """Return the whole cost where the page has ``n`` entries."""
        return self.once + n * self.per_entry


def cost_of(
    document: DocumentNode,
    variables: Mapping[str, Any] | None = None,
    operation_name: str | None = None,
    *,
    schema: GraphQLSchema,
    pipelines: Mapping[str, Pipeline] | None = None,
) -> int:
    """Return what an operation of a valid document costs; 0 where the document has no such operation.

    ``pipelines`` say how many hits a search gives that names no number.
    """
    operation = get_operation_ast(document, operation_name)
    root = schema.get_root_type(operation.operation) if operation else None
    if operation is None or root is None:
        return 0
    reckoning = _Reckoning(schema, document, _with_defaults(operation, variables or {}), pipelines or {})
    return min(reckoning.selections(operation.selection_set, root).in_page_of(LIST_LENGTH), MOST)


def operation_of_field(field: GraphQLField) -> Operation | None:
    """Return the operation of a field, if it declares any."""
    definition = field.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
    declared = getattr(definition, "metadata", {}).get(METADATA)
    return declared if isinstance(declared, Operation) else None


class _Reckoning:
    def __init__(
        self,
        schema: GraphQLSchema,
        document: DocumentNode,
        variables: dict[str, Any],
        pipelines: Mapping[str, Pipeline],
    ) -> None:
        self._schema, self._pipelines = schema, pipelines
        self._variables = variables
        self._definitions = {
            node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)
        }
        self._fragments: dict[str, Share] = {}

    def selections(self, selected: SelectionSetNode, parent: GraphQLCompositeType) -> Share:
        shares = [self._selection(node, parent) for node in selected.selections if not self._is_left_out(node)]
        return Share(sum(share.once for share in shares), sum(share.per_entry for share in shares))

    def _selection(self, node: SelectionNode, parent: GraphQLCompositeType) -> Share:
        if isinstance(node, FieldNode):
            return self._field(node, parent)
        if isinstance(node, FragmentSpreadNode):
            return self._fragment(node.name.value)
        on = node.type_condition.name.value if node.type_condition else parent.name  # type: ignore[attr-defined]
        return self.selections(node.selection_set, self._schema.type_map[on])  # type: ignore[attr-defined, arg-type]

    def _fragment(self, name: str) -> Share:
        if name not in self._fragments:
            fragment = self._definitions[name]
            on = self._schema.type_map[fragment.type_condition.name.value]
            self._fragments[name] = self.selections(fragment.selection_set, on)  # type: ignore[arg-type]
        return self._fragments[name]

    def _field(self, node: FieldNode, parent: GraphQLCompositeType) -> Share:
        name = node.name.value
        field = self._schema.get_field(parent, name)
        if name.startswith("__") or field is None:
            return Share(INTROSPECTION.get(name, 1))
        declared = operation_of_field(field)
        page, price = self._page(node, field), 0
        if declared is not None:
            price = declared.price + declared.per_id * (page or 1)
            price = self._of_several(price, node, field) if declared.several else price
        if node.selection_set is None:
            return Share(price or (COUNT if name == "totalCount" else 1))
        inner = get_named_type(field.type)
        below = self.selections(node.selection_set, inner) if is_composite_type(inner) else Share(0)
        price = price or 1
        if is_list_type(get_nullable_type(field.type)):
            entry = below.in_page_of(LIST_LENGTH)
            return Share(price, entry) if page is None else Share(price + page * entry)
        return Share(price + below.once, below.per_entry) if page is None else Share(price + below.in_page_of(page))

    def _given(self, node: FieldNode) -> dict[str, Any]:
        return {
            argument.name.value: value_from_ast_untyped(argument.value, self._variables)
            for argument in node.arguments or ()
        }

    def _of_several(self, price: int, node: FieldNode, field: GraphQLField) -> int:
        """Return the price of a search or an answer, with the collections, pipelines and readers that it names."""
        given = self._given(node)
        found = [_value_at(("input", name), field.args, given) for name in SEVERAL]
        return operations.for_several(price, *(value if isinstance(value, list) else None for value in found))

    def _page(self, node: FieldNode, field: GraphQLField) -> int | None:
        """Return the largest length of lists below a field; None without an argument for it."""
        given = self._given(node)
        found = [value for path in PAGES if (value := _value_at(path, field.args, given)) is not Undefined]
        if not found:
            return None
        told = (len(value) if isinstance(value, list) else value for value in found)
        numbers = (value for value in told if isinstance(value, int | float) and not isinstance(value, bool))
        return int(
            min(max(next(numbers, self._length_of(field, given)), 1), MAX_PAGE)
        )  # the field itself refuses a page beyond the bounds

    def _length_of(self, field: GraphQLField, given: Mapping[str, Any]) -> int:
        """Return how many hits the named pipeline gives; the most where overrides may change that."""
        name, overrides = (_value_at(("input", one), field.args, given) for one in ("pipeline", "overrides"))
        known = self._pipelines.get(name) if isinstance(name, str) and not overrides else None
        return known.k if known else MAX_PAGE

    def _is_left_out(self, node: SelectionNode) -> bool:
        return any(
            (directive.name.value, value_from_ast_untyped(argument.value, self._variables)) in LEFT_OUT
            for directive in node.directives or ()
            for argument in directive.arguments or ()
        )


def _value_at(path: Sequence[str], arguments: Mapping[str, Any], given: Any) -> Any:
    """Return what is given at a path into arguments, else its default; ``Undefined`` where there is no such path."""
    name, *below = path
    if name not in arguments:
        return Undefined
    value = given.get(name, Undefined) if isinstance(given, Mapping) else None
    if value is Undefined:
        value = None if arguments[name].default_value is Undefined else arguments[name].default_value
    inner = getattr(get_named_type(arguments[name].type), "fields", {})
    return _value_at(below, inner, value) if below else value


def _with_defaults(operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {
        node.variable.name.value: value_from_ast_untyped(node.default_value)
        for node in operation.variable_definitions or ()
        if node.default_value is not None
    }
    return defaults | dict(variables)
