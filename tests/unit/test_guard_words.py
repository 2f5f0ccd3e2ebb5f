"""What the guard reads in the words of a query, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.errors import UnsafeQueryError
from papergraph.guard import MAX_QUERY_CHARS, Fence
from papergraph.guard.words import check_text

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
RETURN n.value[0], $list[1..2], [1, 2, 3] // range(1, 100000000)
MATCH (cypher:Paper) RETURN cypher
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
    "CALL dbms.listConfig()": r"procedure dbms\.listConfig",
    "CALL/**/dbms.killConnection('bolt-1')": "killConnection",
    "CALL//\ndb.clearQueryCaches()": "clearQueryCaches",
    "CALL gds.graph.project('g', '*', '*')": r"gds\.graph\.project",
    "RETURN \\u0067ds.version()": "written|writes a character",
    "MATCH (n) RETURN n.\u200bid": r"U\+200B",
    "\ufeffMATCH (n) RETURN n": r"U\+FEFF",
    "MATCH (n)\u2028RETURN n": r"U\+2028",
    "EXPLAIN MATCH (n:Paper) RETURN n": "EXPLAIN",
    "profile MATCH (n:Paper) RETURN n": "PROFILE",
    "CYPHER 25 PROFILE MATCH (n:Paper) RETURN n": "PROFILE",
    "CYPHER planner=dp MATCH (n:Paper) RETURN n": "CYPHER",
    "/* */ USE system SHOW USERS": "USE",
    "": "nothing",
    "// nothing": "nothing",
    "CREATE (n:Paper)": "CREATE, which writes",
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
    "RETURN " + "(" * 200 + "1" + ")" * 200: "within each other",
    "RETURN [x IN range(1, 10000) | [y IN range(1, 10000) | y]]": "lists within a list",
    "RETURN [x IN $texts | split(x, '')]": "lists within a list",
    "RETURN reduce(s = 'x', i IN [1, 2] | s + s)": "adds s to itself",
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


def test_what_is_kept_from_others_is_open_where_there_is_no_fence():
    check_text("MATCH (n:ApiKey) RETURN n")


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
