"""What the guard reads in the words of a query, without a database."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph import cypher
from papergraph.cypher_guard import MAX_QUERY_CHARS, Fence
from papergraph.cypher_guard.text_rules import check_text
from papergraph.cypher_guard.tokens import tokens_of
from papergraph.errors import UnsafeQueryError
from tests.support.cypher_options import QUERIES_WITH_OPTIONS

FENCE = Fence(frozenset({"ApiKey"}), frozenset({"HAS_TASK"}))

PASS = """
MATCH (p:Paper) RETURN p.title ORDER BY p.year DESC LIMIT 3
CYPHER 25 MATCH (p:Paper) WHERE p.title CONTAINS 'gds.version()' RETURN count(*) AS n
CYPHER 5 RETURN toUpper("LOAD CSV"), coll.sort([2, 1]), date.truncate('month', date())
MATCH (p:`Paper`)-[r:CITES*1..3]->(q) RETURN [x IN nodes(p) WHERE x.year > 2000 | x.title]
MATCH w = SHORTEST 1 (a:Paper {id: $a})-[:CITES]-{1,5}(b:Paper {id: $b}) RETURN nodes(w)
CALL db.labels() YIELD label RETURN label
CALL /* a comment */ db.index.fulltext.queryNodes('chunk_text', $words) YIELD node RETURN node
MATCH (p:Paper) CALL (p) { MATCH (p)-[:HAS_CHUNK]->(c) RETURN count(c) AS n } RETURN p.title, n
RETURN 'gds.graph.drop(' + "dbms.listConfig(" AS `apoc.load.json(`
UNWIND range(1, 100000000) AS x RETURN count(x)
FOR x IN range(1, 100000000) RETURN count(x)
MATCH p = (:Paper)-[:CITES*1..3]->() RETURN [i IN range(0, size(nodes(p)) - 1) | nodes(p)[i].id]
RETURN reduce(total = 0, r IN relationships($p) | total + r.weight)
RETURN [] IN [[]] AS found, {a: 1}.a + [2][0] AS n
RETURN n.value[0], $list[1..2], [1, 2, 3] // range(1, 100000000)
MATCH (cypher:Paper) RETURN cypher
CYPHER 25 LET debug = 1 RETURN debug
MATCH (p:Paper) USING INDEX p:Paper(id) WHERE p.id > 'a' RETURN p.title
MATCH (p:Paper) USING INDEX SEEK p:Paper(id) WHERE p.id > 'a' RETURN {title: p.title, n: size(p.title)}
"""

REFUSED = {
    "RETURN gds.version()": r"gds\.version",
    "RETURN gds . /* here */ version ( )": r"gds\.version",
    "RETURN `gds`.`version`()": r"gds\.version",
    "RETURN apoc.cypher.runFirstColumnSingle('CREATE (n)', {})": "apoc",
    "RETURN graph.byName('system')": r"graph\.byName",
    "RETURN {value: gds.version()}": r"gds\.version",
    "RETURN [x IN [1] | gds.version()]": r"gds\.version",
    "RETURN !gds.version()": r"gds\.version",
    "RETURN {index: 1, a: gds.version()}": r"gds\.version",
    "RETURN file()": "file",
    "CALL dbms.listConfig()": r"Procedure dbms\.listConfig",
    "CALL/**/dbms.killConnection('bolt-1')": "killConnection",
    "CALL//\ndb.clearQueryCaches()": "clearQueryCaches",
    "CALL gds.graph.project('g', '*', '*')": r"gds\.graph\.project",
    "RETURN \\u0067ds.version()": "escapes are not allowed",
    "MATCH (n) RETURN n.\u200bid": r"U\+200B",
    "\ufeffMATCH (n) RETURN n": r"U\+FEFF",
    "MATCH (n)\u2028RETURN n": r"U\+2028",
    "EXPLAIN MATCH (n:Paper) RETURN n": "EXPLAIN",
    "profile MATCH (n:Paper) RETURN n": "PROFILE",
    "CYPHER 25 PROFILE MATCH (n:Paper) RETURN n": "PROFILE",
    "CYPHER planner=dp MATCH (n:Paper) RETURN n": "CYPHER",
    "/* */ USE system SHOW USERS": "USE",
    "": "empty",
    "// nothing": "empty",
    "CREATE (n:Paper)": "CREATE writes",
    "MATCH (n:ApiKey) RETURN n": "ApiKey",
    "MATCH (n:`ApiKey`) RETURN n": "ApiKey",
    "MATCH ()-[r:HAS_TASK]->() RETURN r": "HAS_TASK",
    "RETURN range(1, 100000000)": "range",
    "RETURN size([x IN range(1, 300000000) | x])": "range",
    "WITH range(0, $n) AS r RETURN r": "range",
    "RETURN range(1, size(range(1, 1000000)))": "range",
    "RETURN [i IN range(0, size(a.`)`) + 300000000) | i]": "range",
    "RETURN `range`(1, 100000000)": "range",
    "RETURN 'a text": "has no end",
    "RETURN 1 /* a comment": "has no end",
    "RETURN `a name": "has no end",
    "RETURN " + "(" * 200 + "1" + ")" * 200: "nested more than",
    "RETURN 1 //" + "x" * MAX_QUERY_CHARS: "characters",
}


@pytest.mark.parametrize("text", PASS.strip().split("\n"))
def test_what_only_reads_passes(text: str):
    check_text(text, FENCE)


@pytest.mark.parametrize(("text", "told"), REFUSED.items(), ids=[text[:40] for text in REFUSED])
def test_what_may_do_more_is_refused_and_named_with_what_to_do(text: str, told: str):
    with pytest.raises(UnsafeQueryError, match=told) as caught:
        check_text(text, FENCE)

    assert caught.value.advice in str(caught.value)


PLANNER_BOMBS = {
    "MATCH (p:Paper) WHERE " + " XOR ".join(f"p.a{n}=1" for n in range(30)) + " RETURN p.id": "29 XOR, more than 8",
    "MATCH (p:Paper) WHERE " + " XOR ".join(f"p.a{n}" for n in range(10)) + " RETURN p.id": "9 XOR, more than 8",
    "RETURN " + "+".join("1" * 2000): "100 operators",
    "RETURN " + ", ".join("1" * 2600): "4,100 words and signs",
    "RETURN " + "+ " * 2000 + "1": "100 operators",
    "RETURN " + "NOT " * 2000 + "true": "100 operators",
    "MATCH (m:Paper) RETURN m" + ".a" * 2000: "100 operators",
    "RETURN $1" + ".a" * 2000: "100 operators",
    "RETURN $x" + "[0]" * 1300: "100 operators",
    "RETURN 1 AS x" + " UNION RETURN 1 AS x" * 600: "1201 clauses",
    "UNWIND $l AS x " * 300 + "RETURN 1": "301 clauses",
    "MATCH (p:Paper) WHERE " + " OR ".join(f"p.a = {n}" for n in range(300)) + " RETURN p": "200 AND, OR and XOR",
    "RETURN " + ("+".join("1" * 60) + "+(") * 30 + "1" + ")" * 30: "100 operators",
    "RETURN " + "CASE WHEN true THEN 1 + " * 150 + "1" + " ELSE 2 END" * 150: "nested more than|100 operators",
    "RETURN " + "CASE WHEN true THEN " * 150 + "1" + " ELSE 2 END" * 150: "nested more than",
    "WITH 1 AS match RETURN " + "+".join(["match"] * 2000): "100 operators",
    "WITH 1 AS `match` RETURN " + "+".join(["`match`"] * 2000): "100 operators",
    "WITH 1 AS end RETURN " + "CASE end WHEN end THEN end + " * 150 + "1" + " ELSE 2 END" * 150: "100 operators|nested",
    "MATCH (p:Paper) RETURN " + "p.xor + " * 300 + "1": "100 operators",
    "RETURN 1 IN [2]" + " STARTS WITH 'a'" * 300: "100 operators",
}

AND, OR, COMMA, N = " AND ", " OR ", ", ", range(24)
GRID = [f"(n{i}x{j})-[:CITES]->(n{i + 1}x{j})" for i in range(5) for j in range(5)] + [
    f"(n{i}x{j})-[:CITES]->(n{i}x{j + 1})" for i in range(5) for j in range(5)
]

LABEL_BOMBS = [
    "MATCH (p:" + "&".join(f"(A{n}|B{n})" for n in N) + ") RETURN p.id",
    "MATCH (p:" + "|".join(f"(A{n}&B{n})" for n in N) + ") RETURN p.id",
    "MATCH (p:" + "&".join(f"(A{n}|B{n}|C{n})" for n in N) + ") RETURN p.id",
    "MATCH (p:" + "&".join(f"!(A{n}&B{n})" for n in N) + ") RETURN p.id",
    "MATCH (p:" + "&".join(f"A{n}" for n in range(60)) + ") RETURN p.id",
    "MATCH (p" + "".join(f":A{n}" for n in range(60)) + ") RETURN p.id",
    "MATCH (p) WHERE " + AND.join(f"p:A{n}|B{n}" for n in N) + " RETURN p.id",
    "MATCH (p) WHERE " + AND.join(f"(p:A{n} OR p:B{n})" for n in N) + " RETURN p.id",
    "MATCH (p) WHERE " + AND.join(f"((p:A{n}) OR (p:B{n}))" for n in N) + " RETURN p.id",
    "MATCH (p) WHERE " + AND.join(f"(((p:A{n})) OR ((p:B{n})))" for n in N) + " RETURN p.id",
    "MATCH (p) WHERE " + AND.join(f"((p:A{n}) = true OR true = (p:B{n}))" for n in N) + " RETURN p.id",
    "MATCH (p WHERE " + AND.join(f"(p:A{n} OR p:B{n})" for n in N) + ") RETURN p.id",
    "MATCH (p) WHERE NOT (" + OR.join(f"(p:A{n} AND p:B{n})" for n in N) + ") RETURN p.id",
    "CALL () { MATCH (p) WHERE " + AND.join(f"p:A{n}|B{n}" for n in N) + " RETURN p } RETURN p.id",
    "RETURN COUNT { (p) WHERE " + AND.join(f"p:A{n}|B{n}" for n in N) + " } AS n",
    "MATCH (p:(" + ")&(".join(f"`A{n}`|`B{n}`" for n in N) + ")) RETURN p.id",
    " ".join(f"MATCH (p) WHERE (p:A{n} OR p:B{n})" for n in N) + " RETURN p.id",
    " ".join(f"MATCH (p:A{n}|B{n})" for n in N) + " RETURN p.id",
    "MATCH (p) " + " ".join(f"WITH p WHERE (p:A{n} OR p:B{n})" for n in N) + " RETURN p.id",
    "MATCH (p) " + " ".join(f"WITH p MATCH (p) WHERE (p:A{n} OR p:B{n})" for n in N) + " RETURN p.id",
]

PATTERN_BOMBS = [
    "MATCH " + COMMA.join(GRID) + " RETURN n0x0",
    "MATCH " + " MATCH ".join(GRID) + " RETURN n0x0",
    "MATCH " + COMMA.join(f"(n{i})-->(n{j})" for i in range(9) for j in range(i)) + " RETURN n0",
    "MATCH " + COMMA.join(f"(n{i})<--(n{j})" for i in range(9) for j in range(i)) + " RETURN n0",
    "MATCH " + COMMA.join(f"(n{i})--(n{j})" for i in range(9) for j in range(i)) + " RETURN n0",
    "MATCH " + COMMA.join(f"(n{i})<-[:CITES]-(n{j})" for i in range(9) for j in range(i)) + " RETURN n0",
    "MATCH (n0:Paper)" + "".join(f"-[:CITES]->(n{n})" for n in range(1, 24)) + " RETURN n0",
    "MATCH " + COMMA.join(f"(c)-[:CITES]->(n{n})" for n in range(40)) + " RETURN c",
    "MATCH (c:Paper)" + "".join(f" OPTIONAL MATCH (c)-[:CITES]->(n{n})" for n in range(80)) + " RETURN c",
    "MATCH (c:Paper)" + "".join(f" WITH c MATCH (c)-[:CITES]->(n{n})" for n in range(80)) + " RETURN c",
    "MATCH (c:Paper) WHERE " + AND.join(f"EXISTS {{ (c)-[:CITES]->(:A{n}) }}" for n in range(40)) + " RETURN c",
    "MATCH (c:Paper) RETURN " + COMMA.join(f"[(c)-[:CITES]->(p) | p.a{n}] AS a{n}" for n in range(40)),
    "MATCH (p:Paper) RETURN " + COMMA.join(f"p.a{n} AS a{n}" for n in range(600)),
    "WITH " + COMMA.join(f"1 AS a{n}" for n in range(600)) + " RETURN a1",
]

LARGE_AND_PLAIN = [
    "MATCH (p:Paper) WHERE " + " OR ".join(f"p.id = 'a{n}'" for n in range(100)) + " RETURN p.title",
    "RETURN [" + ", ".join(f"{n}.5" for n in range(2000)) + "] AS vector",
    "RETURN {" + ", ".join(f"a{n}: -{n} * 2" for n in range(500)) + "} AS map",
    "MATCH (p:Paper) RETURN CASE " + "".join(f"WHEN p.year < {n} THEN 'a' " for n in range(200)) + "ELSE 'b' END AS x",
    "MATCH (p:Paper) WHERE p.a=1" + " XOR p.b=2" * 8 + " RETURN p",
    "MATCH (p:Paper)" + "<-[:WROTE]-(:Author)-[:WROTE]->(:Paper)" * 8 + " RETURN count(*) AS n",
    "RETURN 1 AS x" + " UNION RETURN 1 AS x" * 50,
    "MATCH (p:Paper) RETURN " + ", ".join(f"p.a{n} + p.b{n} AS c{n}" for n in range(300)),
    "MATCH (p:Paper) WITH * " * 60 + "RETURN *",
    "MATCH (p:" + "|".join(f"A{n}" for n in range(20)) + ") RETURN p.id",
    "MATCH (p:Paper) WHERE " + AND.join(f"(p.a = {n} OR p.b = {n})" for n in range(30)) + " RETURN p.id",
    "MATCH (p:Paper) RETURN " + " || ".join(f"p.a{n}" for n in range(25)) + " AS text",
    "MATCH (p:Paper)-[:" + "|".join(f"TYPE_{n}" for n in range(40)) + "]->(q) RETURN q.id",
    "MATCH (c:Paper)" + "".join(f" OPTIONAL MATCH (c)-[:CITES]->(n{n})" for n in range(12)) + " RETURN c",
    " UNION ".join(f"MATCH (p:A{n} {{id: $id}})-[:CITES]->(q:B{n}) RETURN q.id AS id" for n in range(30)),
    "MATCH (xor:Paper) WHERE " + " AND ".join(f"xor.xor > {n}" for n in range(5)) + " RETURN 'x XOR y XOR z'",
]


@pytest.mark.parametrize(("text", "told"), PLANNER_BOMBS.items(), ids=[text[:60] for text in PLANNER_BOMBS])
def test_what_the_planner_would_not_end_is_refused_before_it_is_asked(text: str, told: str):
    with pytest.raises(UnsafeQueryError, match=told):
        check_text(text)


@pytest.mark.parametrize("text", LABEL_BOMBS, ids=[text[:60] for text in LABEL_BOMBS])
def test_labels_that_the_planner_would_write_out_are_refused(text: str):
    with pytest.raises(UnsafeQueryError, match="labels without UNION, more than 24") as caught:
        check_text(text)

    assert "labels(n)" in caught.value.advice


@pytest.mark.parametrize("text", PATTERN_BOMBS, ids=[text[:60] for text in PATTERN_BOMBS])
def test_more_patterns_and_columns_than_the_planner_can_order_are_refused(text: str):
    with pytest.raises(UnsafeQueryError, match=r"\d+ (relationships|names with AS).*, more than \d+"):
        check_text(text)


@pytest.mark.parametrize("text", LARGE_AND_PLAIN, ids=[text[:60] for text in LARGE_AND_PLAIN])
def test_a_large_query_without_depth_passes(text: str):
    check_text(text)


WRITES = {"CREATE", "MERGE", "SET", "DELETE", "REMOVE", "FOREACH"}
PROCEDURES = re.compile(r"CALL (?:gds|db\.create)|gds\.graph\.project|^(?:DROP|SHOW|CREATE) ", re.MULTILINE)

REFUSED = {
    "graph_questions/named_entities",
    "graph_questions/papers",
    "jobs/list",
    "papers/facets",
}
"""Queries with a subquery within a loop, which a plan does not show, or with one list in many subqueries."""


def readings() -> dict[str, str]:
    """Return the product's queries that only read, and those of the documentation."""
    texts = {name: cypher.load(name).text for name in cypher.names()}
    for page in [Path("README.md"), *Path("docs").rglob("*.md")]:
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"```cypher\n(.*?)```", text, re.DOTALL)
        shown += [quoted[1:-1] for quoted in re.findall(r"papergraph cypher (\"[^\"]+\"|'[^']+')", text)]
        texts |= {f"{page}, {number}": query for number, query in enumerate(shown)}
    return {
        name: text
        for name, text in texts.items()
        if not (WRITES.intersection(tokens_of(text)) or PROCEDURES.search(text))
    }


@pytest.mark.parametrize(("name", "text"), readings().items(), ids=readings())
def test_the_product_s_own_queries_and_those_of_the_documentation_pass(name: str, text: str):
    if name in REFUSED:
        with pytest.raises(UnsafeQueryError):
            check_text(text)
        return
    check_text(text)


def test_named_queries_pass_with_a_fence():
    for file in Path("cypher/explore").glob("*.cypher"):
        check_text(file.read_text(encoding="utf-8"), FENCE)


@pytest.mark.parametrize("text", QUERIES_WITH_OPTIONS)
def test_options_before_a_query_are_refused(text: str):
    with pytest.raises(UnsafeQueryError, match=r"begins with option \w+=") as caught:
        check_text(text)

    assert "Remove the option" in caught.value.advice


def test_what_is_kept_from_others_is_open_where_there_is_no_fence():
    check_text("MATCH (n:ApiKey) RETURN n")


@pytest.mark.slow
@given(st.text(max_size=80))
def test_any_text_passes_or_is_refused(text: str):
    try:
        check_text(text)
    except UnsafeQueryError as error:
        assert error.problem


@given(st.text(alphabet="'\"`\\/*n \nx", max_size=30))
def test_no_text_hides_a_call(noise: str):
    """Whatever stands before it, a call that stands outside of texts, names and comments is seen."""
    closed = f"RETURN 1 /* {noise.replace('*', '')} */ + gds.version()"
    with pytest.raises(UnsafeQueryError):
        check_text(closed)
