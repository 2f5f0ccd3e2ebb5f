"""What the guard reads in the words of a query, without a database."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papergraph.cypher_guard import MAX_QUERY_CHARS, Fence
from papergraph.cypher_guard.text_rules import check_text
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
    "RETURN [x IN range(1, 10000) | [y IN range(1, 10000) | y]]": "lists inside a list",
    "RETURN [x IN $texts | split(x, '')]": "lists inside a list",
    "RETURN reduce(s = 'x', i IN [1, 2] | s + s)": "uses s more than once",
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
    "RETURN " + "+ " * 2000 + "1": "100 operators",
    "RETURN " + "NOT " * 2000 + "true": "100 operators",
    "MATCH (m:Paper) RETURN m" + ".a" * 2000: "100 operators",
    "RETURN $1" + ".a" * 2000: "100 operators",
    "RETURN $x" + "[0]" * 2000: "100 operators",
    "RETURN 1 AS x" + " UNION RETURN 1 AS x" * 900: "1801 clauses",
    "UNWIND $l AS x " * 300 + "RETURN 1": "301 clauses",
    "MATCH (p:Paper) WHERE " + " OR ".join(f"p.a = {n}" for n in range(300)) + " RETURN p": "200 AND, OR and XOR",
    "RETURN " + ("+".join("1" * 60) + "+(") * 50 + "1" + ")" * 50: "100 operators",
    "RETURN " + "CASE WHEN true THEN 1 + " * 150 + "1" + " ELSE 2 END" * 150: "nested more than|100 operators",
    "RETURN " + "CASE WHEN true THEN " * 150 + "1" + " ELSE 2 END" * 150: "nested more than",
    "WITH 1 AS match RETURN " + "+".join(["match"] * 2000): "100 operators",
    "WITH 1 AS `match` RETURN " + "+".join(["`match`"] * 2000): "100 operators",
    "WITH 1 AS end RETURN " + "CASE end WHEN end THEN end + " * 150 + "1" + " ELSE 2 END" * 150: "100 operators|nested",
    "MATCH (p:Paper) RETURN " + "p.xor + " * 300 + "1": "100 operators",
    "RETURN 1 IN [2]" + " STARTS WITH 'a'" * 300: "100 operators",
}

HEAP_BOMBS = {
    "RETURN size([x IN $l | replace($s,'x',$s)+toString(x)]) AS n": "comprehension adds",
    "RETURN size([x IN $l | replace(x, 'a', 'bc')]) AS n": "comprehension adds",
    "RETURN [x IN $l | string . regexReplace($s, 'x', 'yy')] AS n": "comprehension adds",
    "RETURN [x IN $l | string.join($l, 'x')] AS n": "comprehension adds",
    "RETURN [x IN $l | $s + x] AS n": "comprehension adds",
    "RETURN [x IN $l | x || $s] AS n": "comprehension adds",
    "WITH $s AS s RETURN [x IN $l | x + s] AS n": "comprehension adds",
    "RETURN [x IN $l | x + x] AS n": "comprehension adds",
    "RETURN [x IN $l | x + coalesce(x, 'a')] AS n": "comprehension adds",
    "RETURN [x IN [y IN $l | y] | {a: [$s + x.a]}] AS n": "comprehension adds",
    "RETURN [x IN $l WHERE x > 'a' || 'b' | 'a' + $s] AS n": "comprehension adds",
    "RETURN [x IN $l | 1 + CASE WHEN true THEN $s ELSE 0 END] AS n": "comprehension adds",
    "RETURN reduce(s = '', x IN $l | s + $t) AS n": "add texts or lists to s",
    "RETURN reduce(s = 0, x IN $l | s + $t) AS n": "add texts or lists to s",
    "WITH $s AS v RETURN reduce(s = 0, x IN $l | s + v) AS n": "add texts or lists to s",
    "RETURN reduce(s = [], x IN $l | s + x) AS n": "add texts or lists to s",
    "RETURN reduce(s = 'x', x IN $l | replace(s, 'x', 'yy')) AS n": "add texts or lists to s",
    "RETURN replace($s, 'x', $s) AS n": "neither a short string nor a property",
    "RETURN replace($s, 'x', $m.s) AS n": "neither a short string nor a property",
    "WITH $s AS v RETURN replace(v, 'x', v) AS n": "neither a short string nor a property",
    "RETURN replace($s, 'x', toString($s)) AS n": "neither a short string nor a property",
    "RETURN replace($s, 'x', '" + "y" * 14_000 + "') AS n": "neither a short string nor a property",
    "RETURN string.regexReplace($s, 'x', $s) AS n": "neither a short string nor a property",
    "RETURN string.join($l, $s) AS n": "separator",
    "RETURN " + "replace(" * 8 + "$s" + ", 'x', 'xxxxxxxx')" * 8 + " AS n": "8 replacements",
    "WITH $s AS s" + " WITH s+s AS s" * 60 + " RETURN size(s)": "s is added to itself",
    "WITH $s AS v WITH v + '' + v AS w RETURN size(w)": "v is added to itself",
    "WITH $s AS v LET w = v || v RETURN size(w)": "v is added to itself",
    "WITH $m AS v WITH {s: v.s + v.s} AS v RETURN v": r"v\.s is added to itself",
}

ADDED_AND_REPLACED = """
RETURN reduce(sum = 0.0, n IN $l | sum + (1.0 * n / size($l)) * log(1.0 * n / size($l))) / log(2) AS spread
RETURN reduce(total = 0, n IN $counts | total + n) AS total
MATCH w = (:Paper)-[:CITES*1..3]->() RETURN reduce(s = 0, n IN nodes(w) | s + size(n.title)) AS n
RETURN reduce(s = 0, n IN $l | s + CASE WHEN n > 'b' THEN 1 ELSE 0 END) AS n
RETURN reduce(s = 1, n IN $l | s * n) AS n, [i IN range(0, 10) | i + 1] AS next
MATCH (a:Author) RETURN collect(a.name)[..3] AS names, [x IN collect(a) | x.name + ', '] AS more
MATCH (a:Author) WITH collect(a.name) AS names RETURN string.join(names, ', ') AS names
MATCH (p:Paper) RETURN replace(replace(toLower(p.title), '-', ' '), ':', '') AS title
MATCH (p:Paper) RETURN replace(p.title, 'a', p.year) + ' (' + p.year + ')' AS title
MATCH (a:Paper)-[:CITES]->(b:Paper) RETURN a.title + b.title AS both, a.year + b.year AS years, size(a.id) + size(a.id)
WITH 1 AS a, 2 AS b WITH a + b AS a, b RETURN a + 1 AS a, b + a AS b, +a + $x + $x AS c
RETURN [x IN $l WHERE x.a + x.b > 3 | x.a * 2 + x.b / 3] AS sums
MATCH (c:Chunk) WITH c, COUNT { (c)--(:Entity) } + COUNT { (c)--(:Entity) } AS n RETURN n, [1] + [1] AS list
"""

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
    "MATCH (xor:Paper) WHERE " + " AND ".join(f"xor.xor > {n}" for n in range(5)) + " RETURN 'x XOR y XOR z'",
]


@pytest.mark.parametrize(("text", "told"), PLANNER_BOMBS.items(), ids=[text[:60] for text in PLANNER_BOMBS])
def test_what_the_planner_would_not_end_is_refused_before_it_is_asked(text: str, told: str):
    with pytest.raises(UnsafeQueryError, match=told):
        check_text(text)


@pytest.mark.parametrize("text", LARGE_AND_PLAIN, ids=[text[:60] for text in LARGE_AND_PLAIN])
def test_a_large_query_without_depth_passes(text: str):
    check_text(text)


@pytest.mark.parametrize(("text", "told"), HEAP_BOMBS.items(), ids=[text[:60] for text in HEAP_BOMBS])
def test_what_makes_long_texts_of_short_ones_is_refused(text: str, told: str):
    with pytest.raises(UnsafeQueryError, match=told) as caught:
        check_text(text)

    assert caught.value.advice.endswith(".")


@pytest.mark.parametrize("text", ADDED_AND_REPLACED.strip().split("\n"))
def test_sums_and_replacements_of_bounded_length_pass(text: str):
    check_text(text, FENCE)


NAMED_QUERIES = sorted(Path("cypher/explore").glob("*.cypher"))


@pytest.mark.parametrize("file", NAMED_QUERIES, ids=[file.stem for file in NAMED_QUERIES])
def test_named_queries_pass(file: Path):
    check_text(file.read_text(encoding="utf-8"), FENCE)


@pytest.mark.parametrize("text", QUERIES_WITH_OPTIONS)
def test_options_before_a_query_are_refused(text: str):
    with pytest.raises(UnsafeQueryError, match=r"begins with option \w+=") as caught:
        check_text(text)

    assert "Remove the option" in caught.value.advice


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
