"""Hostile queries of several kinds, which may end or stop a Neo4j that runs them without limits."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

LONG, TEXT, NUMBERS = "range(0, 9999)", {"s": "x" * 190_000}, {"l": list(range(30_000))}
MANY = "UNWIND range(1, 1000000000) AS x"


class HostileQuery(NamedTuple):
    """A query with its kind and its parameters."""

    kind: str
    query: str
    parameters: Mapping[str, Any] = {}


def _memory(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"RETURN size(string.join([x IN range(0, {9999 - n}) | $s], '')) AS n", TEXT
    yield f"RETURN size([x IN range(0, {9999 - n}) | toUpper($s)]) AS n", TEXT
    yield f"RETURN size(coll.flatten([x IN $l | $l])) + {n} AS n", NUMBERS
    yield f"WITH {LONG} AS r RETURN size(coll.flatten([x IN r | r])) + {n} AS n", {}
    yield f"RETURN size(replace($s, 'x', left($s, {1000 + n}))) AS n", TEXT


def _doubling(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for doubled in ("s + s", "string.join([s, s], '')", "[s, s]", "coll.insert([s], 0, s)", "{a: s, b: s}"):
        yield "WITH 'xx' AS s " + f"WITH {doubled} AS s " * (20 + n) + "RETURN s", {}


def _folds(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"RETURN size(reduce(t = '', x IN range(0, {9000 + n}) | t + $s)) AS n", TEXT
    yield f"RETURN size(reduce(t = [], x IN range(0, {9000 + n}) | t + [$s])) AS n", TEXT
    yield f"RETURN reduce(t = 'x', x IN range(0, {40 + n}) | t + t) AS n", {}
    yield f"RETURN size([x IN $l WHERE any(y IN $l WHERE y = x + {n})]) AS n", NUMBERS


def _rows(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"{MANY} WITH x WHERE x < {-n} RETURN x", {}
    yield f"{MANY} RETURN collect(x + {n}) AS n", {}
    yield f"{MANY} WITH x ORDER BY x DESC RETURN x LIMIT {n + 1}", {}
    yield f"{MANY} RETURN DISTINCT x % {10**8 + n} AS n", {}
    yield f"MATCH (a), (b), (c), (d), (e) RETURN count(*) + {n} AS n", {}


def _planner(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "MATCH (p:Paper) WHERE " + " XOR ".join(f"p.a{i} = {n}" for i in range(8 + n)) + " RETURN p.id", {}
    alternatives = " AND ".join(f"(p:A{i} OR p:B{i})" for i in range(6 + n))
    yield f"MATCH (p) WHERE {alternatives} RETURN p.id", {}
    yield "RETURN " + "+".join(["1"] * (100 + 50 * n)) + " AS n", {}
    yield "RETURN " + "NOT " * (100 + 50 * n) + "true AS n", {}
    yield " UNION ".join([f"RETURN {n} AS n"] * (50 + 20 * n)), {}
    yield "RETURN " + "[" * (40 + 5 * n) + "1" + "]" * (40 + 5 * n) + " AS n", {}


def _labels(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"MATCH (p:{'&'.join(f'(A{i}|B{i})' for i in range(6 + n))}) RETURN p.id", {}
    yield f"MATCH (p:{'|'.join(f'(A{i}&B{i})' for i in range(6 + n))}) RETURN p.id", {}
    yield f"MATCH (p:{'&'.join(f'!(A{i}&!B{i})' for i in range(6 + n))}) RETURN p.id", {}
    yield f"MATCH (p) WHERE p:{'&'.join(f'(A{i}|%)' for i in range(6 + n))} RETURN p.id", {}


def _patterns(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    texts = [
        "(a|b)*",
        "(a|aa)+$b",
        r"(a*)*\\1c",
        r"(.*)(.*)(.*)(.*)(.*)(.*)\\1\\2x",
        "((a|b)|(c|d))*",
        ".*a.*b.*c.*d.*",
    ]
    for text in texts:
        yield f"RETURN $s =~ '{text}{'x' * n}' AS n", {"s": "a" * 2000}
        yield f"RETURN size(string.regexReplace($s, '{text}{'x' * n}', '')) AS n", {"s": "a" * 2000}


def _scans(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    texts = {"s": "a" * 95_000, "t": "a" * 47_000 + "b", "c": "a" + "\u0301" * 20_000 + "\u0316" * 20_000}
    for scan in ("$s CONTAINS $t", "normalize($c)", "split($s, $t)", "btrim($s, 'b' + $t)", "$c IS NFC NORMALIZED"):
        yield "RETURN " + ", ".join(f"{scan} AS a{i}" for i in range(5 + n)), texts


def _paths(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield f"MATCH w = (a)-[*1..{20 + n}]-(b) RETURN count(w) AS n", {}
    yield f"MATCH w = (a)-[*]-(b) WHERE length(w) > {n} RETURN count(w) AS n", {}
    yield f"MATCH w = allShortestPaths((a)-[*..{15 + n}]-(b)) WHERE a <> b RETURN count(w) AS n", {}
    yield f"MATCH (a) (()-[r]-()){{1,{15 + n}}} (b) RETURN count(*) AS n", {}
    yield f"MATCH w = SHORTEST {n + 1} (a)-[]-+(b) RETURN count(w) AS n", {}


def _cliques(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    nodes = range(6 + n)
    yield f"MATCH {', '.join(f'(a{i})--(a{j})' for i, j in combinations(nodes, 2))} RETURN count(*) AS n", {}
    grid = [f"(g{i}_{j})--(g{i}_{j + 1})" for i in range(3 + n) for j in range(3)]
    yield f"MATCH {', '.join(grid)} RETURN count(*) AS n", {}
    yield f"MATCH {', '.join(f'(b{i})-->(b{i + 1})' for i in range(20 + n))} RETURN count(*) AS n", {}


def _procedures(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for call in (
        "dbms.listConfig()",
        "db.clearQueryCaches()",
        "gds.graph.list()",
        "db.ping()",
        "apoc.util.sleep(10000)",
    ):
        yield f"CALL {call} YIELD * RETURN {n}", {}
    yield f"SHOW TRANSACTIONS YIELD * RETURN {n}", {}
    yield f"LOAD CSV FROM 'file:///{n}' AS line RETURN line", {}


def _subqueries(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "MATCH (p) WHERE " + "EXISTS { MATCH (p)--(q) WHERE " * (3 + n) + "true" + " }" * (3 + n) + " RETURN p", {}
    yield (
        "".join(f"CALL () {{ UNWIND range(0, 9999) AS x{i} RETURN x{i} }} " for i in range(3 + n)) + "RETURN count(*)",
        {},
    )
    yield "RETURN " + ", ".join(f"COUNT {{ (a{i})--(b{i})--(c{i}) }} AS n{i}" for i in range(5 + n)), {}


def _values(n: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "RETURN duration($s) AS n", {"s": "P" + "1" * (100 + 1000 * n) + "Y"}
    yield f"RETURN range(coalesce({n}, 2)) AS n", {}
    yield f"RETURN range([{n}, 2]) AS n", {}
    yield f"RETURN {n} / 0 AS n", {}
    yield f"RETURN 10 ^ (300 + {n}) * 10 ^ 300, 9223372036854775807 + {n} + 1 AS n", {}
    yield "RETURN datetime($s), date($s), point({x: $s}) AS n", {"s": "x" * (n + 1)}


KINDS = {
    "memory": _memory,
    "doubling": _doubling,
    "folds": _folds,
    "rows": _rows,
    "planner": _planner,
    "labels": _labels,
    "regular expressions": _patterns,
    "searches in texts": _scans,
    "paths": _paths,
    "cliques": _cliques,
    "procedures": _procedures,
    "subqueries": _subqueries,
    "values": _values,
}
N_OF_EACH = 9


def hostile_queries(n_of_each: int = N_OF_EACH) -> Sequence[HostileQuery]:
    """Return queries of all kinds, those of one kind far from each other."""
    return [
        HostileQuery(kind, query, parameters)
        for n in range(n_of_each)
        for kind, made in KINDS.items()
        for query, parameters in made(n)
    ]
