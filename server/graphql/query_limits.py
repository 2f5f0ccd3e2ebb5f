"""Limits on the form of a query, held before it is validated: how deep, how wide, how often something is repeated.

Validation compares every field with all others that stand in the same place of the answer, and what follows each spread
of a fragment doubles its time with each that is spread twice. So the query is walked through here as it would be
answered, fragments filled in once, and the walk ends with the first limit that is exceeded.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

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
)

MAX_TOKENS = 2000
MAX_DEPTH = 12
"""Levels of fields below a root field, those of introspection aside."""

MAX_NESTING = 60
"""Levels of anything in braces, fragments too: what reckons the cost calls itself that often."""

MAX_FIELDS = 2000
MAX_REPEATS = 20
"""How often a field may stand in the same place of the answer, by fragments that ask for the same, for example."""

MAX_ALIASES = 15
MAX_ROOT_FIELDS = 20
MAX_DIRECTIVES = 20
MAX_DIRECTIVES_IN_A_PLACE = 3


class Braces(NamedTuple):
    """What stands in a pair of braces, and within how many others."""

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
