"""Rules on the plan of a query: allowed operators, unbounded paths, and products of lists."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from neo4j import ResultSummary

from papergraph.cypher_guard.text_rules import NO_FENCE, Fence, check_called, kept
from papergraph.cypher_guard.tokens import words_of
from papergraph.errors import UnsafeQueryError

LONGEST_PATH = 15
"""Most relationships of a path of varying length."""

READS = "r"

CALLED = re.compile(r"(?<![\w.`])[^\W\d]\w*(?:\.\w+)+(?=\()")
"""Functions with dots in their names, such as those of plugins, as Neo4j writes them in a plan."""

SAFE_OPERATORS = words_of(
    """
    AllNodesScan AntiConditionalApply AntiSemiApply Apply Argument AssertSameNode AssertSameRelationship
    AssertingMultiNodeIndexSeek AssertingMultiRelationshipIndexSeek BFSPruningVarLengthExpand CacheProperties
    CartesianProduct ConditionalApply DirectedAllRelationshipsScan DirectedRelationshipByElementIdSeek
    DirectedRelationshipByIdSeek DirectedRelationshipIndexContainsScan DirectedRelationshipIndexEndsWithScan
    DirectedRelationshipIndexScan DirectedRelationshipIndexSeek DirectedRelationshipIndexSeekByRange
    DirectedRelationshipTypeScan DirectedUnionRelationshipTypesScan Distinct DynamicDirectedRelationshipTypeLookup
    DynamicLabelNodeLookup DynamicUndirectedRelationshipTypeLookup Eager EagerAggregation EmptyRow ExhaustiveLimit
    Expand Filter IntersectionNodeByLabelsScan LeftOuterHashJoin LetAntiSemiApply LetSelectOrAntiSemiApply
    LetSelectOrSemiApply LetSemiApply Limit MultiNodeIndexSeek NodeByElementIdSeek NodeByIdSeek NodeByLabelScan
    NodeCountFromCountStore NodeFulltextIndexSearch NodeHashJoin NodeIndexContainsScan NodeIndexEndsWithScan
    NodeIndexScan NodeIndexSeek NodeIndexSeekByRange NodeLeftOuterHashJoin NodeRightOuterHashJoin
    NodeUniqueIndexSeek NodeUniqueIndexSeekByRange NodeVectorIndexSearch Optional OptionalExpand OrderedAggregation
    OrderedDistinct OrderedUnion PartialSort PartialTop PathPropagatingBFS ProcedureCall ProduceResults
    ProjectEndpoints Projection PruningVarLengthExpand RelationshipCountFromCountStore Repeat RightOuterHashJoin
    RollUpApply SelectOrAntiSemiApply SelectOrSemiApply SemiApply ShortestPath Skip Sort StatefulShortestPath
    SubtractionNodeByLabelsScan Top Top1WithTies TriadicBuild TriadicFilter TriadicSelection
    UndirectedAllRelationshipsScan UndirectedRelationshipByElementIdSeek UndirectedRelationshipByIdSeek
    UndirectedRelationshipIndexContainsScan UndirectedRelationshipIndexEndsWithScan UndirectedRelationshipIndexScan
    UndirectedRelationshipIndexSeek UndirectedRelationshipIndexSeekByRange UndirectedRelationshipTypeScan
    UndirectedUnionRelationshipTypesScan Union UnionNodeByLabelsScan Unwind ValueHashJoin VarLengthExpand
    """
)
"""Operators that only read the graph, without what some of them add in brackets."""

ANYWHERE = re.compile(r"All(?:Nodes|Relationships)Scan|By(?:Element)?IdSeek|^Dynamic")
"""Operators that can reach nodes of any label or relationships of any type."""

SINGLE_ROW = frozenset({"Argument", "EmptyRow", "NodeCountFromCountStore", "RelationshipCountFromCountStore"})

AS_MANY_ROWS = frozenset({"Projection", "Filter", "CacheProperties", "Optional", "CartesianProduct", "Apply"})
"""Operators that give no more rows than they are given, or than those of their parts together."""

NAMES_AND_TEXTS = re.compile(r"`(?:[^`]|``)*`|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")

SUBQUERY = re.compile(r"\b(?:COLLECT|COUNT|EXISTS)\s*\{|\bshortestPath\(|\ballShortestPaths\(")

REACH = re.compile(r"(?<=[\w\[`])\*(?P<exactly>\d+)?(?:\.\.(?P<most>\d+)?)?(?=[\]\s{])|\{\d+, ?(?P<times>\d+)?\}")

KEY_LOOKUP = re.compile(r"UNIQUE [^(]*\((?P<properties>[^)]*)\) WHERE (?P<predicates>.*?)(?:, cache\[.*)?")


def check_plan(summary: ResultSummary, fence: Fence = NO_FENCE) -> None:
    """Check the plan of a query by Neo4j.

    Raises:
        UnsafeQueryError: The plan has a forbidden or unbounded operator.
    """
    if summary.query_type != READS or not summary.plan:
        raise UnsafeQueryError(
            "Only read queries are allowed.", "Remove each clause that writes, and each call that inspects the server."
        )
    for part in _parts(summary.plan):
        _check_operator(part, fence)


def _check_operator(part: Mapping[str, Any], fence: Fence) -> None:
    operator, details = _name(part), _details(part)
    if operator not in SAFE_OPERATORS:
        raise UnsafeQueryError(f"The plan has operator {operator}.", "Only operators that read the graph are allowed.")
    bare = NAMES_AND_TEXTS.sub("``", details)
    expressions = bare
    if operator == "ProcedureCall":
        procedure, _, expressions = bare.partition("(")
        check_called(procedure, is_procedure=True)
    elif operator != "ShortestPath" and SUBQUERY.search(bare):
        raise UnsafeQueryError(
            f"The plan hides a subquery in an expression of {operator}.",
            "Move it into CALL (…) {…}, or collect its results with MATCH and collect() before.",
        )
    for called in CALLED.findall(expressions):
        check_called(called, is_procedure=False)
    if operator != "ProduceResults" and (names := fence.names.intersection(re.findall(r"\w+", details))):
        raise kept(min(names))
    if fence.labels and ANYWHERE.search(operator):
        raise UnsafeQueryError(
            f"The plan has {operator}, which reads all nodes, also those of the service.",
            "Add labels to nodes, such as (n:Paper) or (n:Paper|Chunk), and types to relationships.",
        )
    if operator in ("VarLengthExpand", "PruningVarLengthExpand", "BFSPruningVarLengthExpand", "ShortestPath", "Repeat"):
        _check_reach(operator, bare)
    elif operator in ("StatefulShortestPath", "PathPropagatingBFS"):
        _check_reach(operator, bare.partition("\n")[0])
    elif operator in ("CartesianProduct", "MultiNodeIndexSeek", "AssertingMultiNodeIndexSeek"):
        _check_product(part)


def _check_reach(operator: str, details: str) -> None:
    """Refuse paths without an end, and those that may be longer than :data:`LONGEST_PATH`."""
    reaches = [found["most"] or found["times"] or _exactly(found) for found in REACH.finditer(details)]
    if not reaches or any(reach is None or int(reach) > LONGEST_PATH for reach in reaches):
        raise UnsafeQueryError(
            f"The plan has {operator} over paths of any length.",
            f"Bound the length of paths, at most {LONGEST_PATH}: -[*1..4]- or -[]-{{1,4}}, in shortest paths too.",
        )


def _exactly(found: re.Match[str]) -> str | None:
    return found["exactly"] if ".." not in found[0] else None


def _check_product(part: Mapping[str, Any]) -> None:
    """Refuse a product of two lists; a single node by its key is allowed."""
    children = part.get("children", [])
    if sum(not _is_single(child) for child in children) > 1 or not children:
        raise UnsafeQueryError(
            f"The plan has {_name(part)}, which combines every node of one list with every node of another.",
            "Join them by a relationship or an equal property, or look one of them up by its id.",
        )


def _is_single(part: Mapping[str, Any]) -> bool:
    """Say whether a part of a plan gives one row at most, for each row that it is given."""
    operator, children = _name(part), part.get("children", [])
    if operator in SINGLE_ROW or (operator == "Projection" and not children):
        return True
    if operator == "NodeUniqueIndexSeek" and (found := KEY_LOOKUP.fullmatch(_details(part))):
        predicates = found["predicates"].split(" AND ")
        return all(
            any(predicate.startswith(f"{name} = ") for predicate in predicates)
            for name in found["properties"].split(", ")
        )
    return operator in AS_MANY_ROWS and bool(children) and all(_is_single(child) for child in children)


def _parts(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield each operator of a plan."""
    waiting = [plan]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += part.get("children", [])


def _name(part: Mapping[str, Any]) -> str:
    return str(part.get("operatorType", "")).partition("@")[0].partition("(")[0]


def _details(part: Mapping[str, Any]) -> str:
    return str(part.get("args", {}).get("Details", ""))
