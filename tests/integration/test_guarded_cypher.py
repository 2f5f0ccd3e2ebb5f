"""Researchers' queries on a real Neo4j: published ways around such guards, thousands drawn at random, and limits.

700 drawn queries by default; PAPERGRAPH_TEST_FUZZ=5000 with --timeout=3000 asks for more.
"""

import asyncio
import os
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import (
    AccessError,
    DatabaseError,
    DeadlineError,
    InputError,
    NotFoundError,
    PapergraphError,
    UnsafeQueryError,
)
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.migrate import prepare
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.auth.keys import create_key
from papergraph.server.operations.cypher import pieces_for, table_for
from papergraph.server.user_cypher.formats import arrow_of, csv_of, graph_of
from papergraph.server.user_cypher.request import CypherRequest
from papergraph.server.user_cypher.runner import CypherRunner, Head, Rows
from papergraph.statement import Statement
from papergraph.store import Address
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.cypher_options import QUERIES_WITH_OPTIONS
from tests.support.ingestion import ingest

N_DRAWN = int(os.environ.get("PAPERGRAPH_TEST_FUZZ", "700"))
SAMPLE = Path("ingest/samples/hnsw-nearest-neighbour-search.md")
KEPT = ["SchemaVersion", "EmbeddingModel"]
SECRET = "a-parameter-of-somebody-else"
RESEARCHER = Principal("researcher", frozenset({KeyScope.CYPHER}), ("main",))
ADMIN = everything("admin")

TRANSACTIONS = Statement("transactions", "SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery")
BUSY = Statement("busy", "UNWIND range(1, 1000000000) AS x WITH x WHERE x <> $secret RETURN x")

BYPASSES = """
LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row
LOAD CSV FROM 'http://{canary}/' AS row RETURN row
LOAD CSV WITH HEADERS FROM 'http://{canary}/' AS row FIELDTERMINATOR ';' RETURN row
RETURN COLLECT {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }}
RETURN [x IN [1] | COLLECT {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }}]
RETURN CASE WHEN true THEN COLLECT {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }} ELSE [] END
RETURN reduce(s = 0, x IN [1] | s + COUNT {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }})
RETURN any(x IN [1] WHERE EXISTS {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }})
MATCH (p:Paper) CALL (p) {{ LOAD CSV FROM 'http://{canary}/' AS row RETURN row }} RETURN row
WITH 'http://{canary}/' AS url LOAD CSV FROM url AS row RETURN row
CYPHER 5 LOAD CSV FROM 'http://{canary}/' AS row RETURN row
LOAD/**/CSV FROM 'http://{canary}/' AS row RETURN row
\uff2c\uff2f\uff21\uff24 CSV FROM 'http://{canary}/' AS row RETURN row
LO\u200bAD CSV FROM 'http://{canary}/' AS row RETURN row
TERMINATE TRANSACTIONS 'neo4j-transaction-1'
SHOW TRANSACTIONS YIELD transactionId AS id TERMINATE TRANSACTIONS id YIELD message RETURN message
SHOW TRANSACTIONS
SHOW TRANSACTIONS YIELD currentQuery, parameters RETURN *
RETURN [x IN [1] | COLLECT {{ SHOW TRANSACTIONS YIELD parameters RETURN parameters }}]
SHOW SETTINGS
SHOW USERS
SHOW CURRENT USER
SHOW DATABASES
SHOW PROCEDURES
SHOW FUNCTIONS
SHOW INDEXES
SHOW CONSTRAINTS
SHOW SERVERS
USE system SHOW USERS
USE system CALL dbms.listConfig() YIELD name RETURN name
CREATE USER someone SET PASSWORD 'something-long'
ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'something-long'
CALL dbms.listConfig()
CALL dbms.listConfig() YIELD name, value RETURN name, value
CALL /* here */ dbms.listConfig()
CALL // here
CALL `dbms`.`listConfig`()
CALL dbms.listConnections()
CALL dbms.killConnection('bolt-1')
CALL dbms.killConnections(['bolt-1', 'bolt-2'])
CALL dbms.queryJmx('*:*')
CALL dbms.components()
CALL dbms.info()
CALL dbms.showCurrentUser()
CALL db.clearQueryCaches()
CALL db.prepareForReplanning()
CALL db.resampleOutdatedIndexes()
CALL db.awaitIndexes(300)
CALL db.stats.collect('QUERIES')
CALL db.stats.retrieve('QUERIES')
CALL db.createLabel('Broken')
CALL db.create.setNodeVectorProperty(null, 'a', [1.0])
CALL db.info()
CALL tx.setMetaData({{a: 1}})
CALL tx.getMetaData()
MATCH (p:Paper) CALL db.create.setNodeVectorProperty(p, 'embedding', [1.0]) RETURN p
MATCH (p:Paper) WITH p CALL dbms.killConnection(p.id) YIELD message RETURN message
RETURN [x IN [1] | COLLECT {{ CALL dbms.listConfig() YIELD value RETURN value }}]
CALL gds.graph.project('canary', '*', '*')
CALL gds.graph.list()
CALL gds.graph.drop('canary', false)
CALL gds.pageRank.stream('canary')
CALL gds.pageRank.write('canary', {{writeProperty: 'broken'}})
MATCH (a)-->(b) RETURN gds.graph.project('canary', a, b)
MATCH (a:Paper)-->(b:Chunk) WITH gds.graph.project('canary', a, b) AS g RETURN g
RETURN gds.version()
RETURN {{value: gds.version()}}
RETURN [x IN [1] | gds.version()]
MATCH (a:Paper)-->(b:Chunk) RETURN {{graph: gds.graph.project('canary', a, b)}}
RETURN [i IN range(0, size($label.`)`) + 300000000) | i]
CALL apoc.load.json('http://{canary}/')
CALL apoc.cypher.doIt('CREATE (:Broken)', {{}})
RETURN apoc.version()
CREATE (:Broken)
INSERT (:Broken)
MERGE (:Broken {{id: 1}})
MATCH (p:Paper) SET p.title = 'broken'
MATCH (p:Paper) SET p += {{broken: true}}
MATCH (p:Paper) SET p:Broken
MATCH (p:Paper) REMOVE p.title
MATCH (p:Paper) DETACH DELETE p
MATCH (p:Paper) NODETACH DELETE p
FOREACH (x IN [1] | CREATE (:Broken))
MATCH (p:Paper) FOREACH (x IN [p] | SET x.title = 'broken')
CALL () {{ CREATE (b:Broken) RETURN b }} RETURN b
CALL {{ CREATE (b:Broken) RETURN b }} RETURN b
MATCH (p:Paper) CALL (p) {{ SET p.title = 'broken' }} RETURN p
UNWIND [1, 2] AS x CALL (x) {{ CREATE (:Broken {{x: x}}) }} IN TRANSACTIONS OF 1 ROWS
UNWIND [1, 2] AS x CALL (x) {{ RETURN x AS y }} IN TRANSACTIONS RETURN y
CREATE INDEX broken FOR (n:Paper) ON (n.title)
DROP INDEX chunk_text
CREATE CONSTRAINT broken FOR (n:Paper) REQUIRE n.title IS UNIQUE
DROP CONSTRAINT paper_id
STOP DATABASE neo4j
CREATE DATABASE broken
DROP DATABASE neo4j
EXPLAIN CREATE (:Broken)
PROFILE MATCH (p:Paper) SET p.title = 'broken'
PROFILE MATCH (p:Paper) RETURN p
EXPLAIN EXPLAIN MATCH (p:Paper) RETURN p
CYPHER runtime=slotted MATCH (p:Paper) RETURN p
CYPHER planner=dp CREATE (:Broken)
MATCH (p:Paper) RETURN p; CREATE (:Broken)
MATCH (p:Paper) RETURN p UNION CREATE (p:Broken) RETURN p
MATCH (p:Paper) RETURN p NEXT CREATE (:Broken)
WHEN true THEN CREATE (:Broken)
MATCH (n:$label) RETURN n
MATCH (n:$($label)) RETURN n
MATCH ()-[r:$($label)]->() RETURN r
CREATE (:$($label))
MATCH (n:ApiKey) RETURN n
MATCH (n:`ApiKey`) RETURN n
MATCH (n) RETURN n
MATCH (n {{id: 'x'}}) RETURN n
MATCH (n:!Paper) RETURN n
MATCH (n:%) RETURN n
MATCH (n:Paper|ApiKey) RETURN n
MATCH (n) WHERE n:ApiKey RETURN n
MATCH (n) WHERE elementId(n) STARTS WITH '4:' RETURN n
MATCH (n) WHERE id(n) = 1 RETURN n
MATCH ()-[r]->() RETURN r
MATCH (p:Paper) MATCH (n) WHERE n.hash IS NOT NULL RETURN n
RETURN COUNT {{ (:ApiKey) }}
RETURN EXISTS {{ (:ApiKey) }}
MATCH (a:Chunk), (b:Chunk), (c:Chunk) WHERE a.ordinal < b.ordinal + c.ordinal RETURN count(*)
MATCH (a:Paper)-[*]-(b) RETURN count(*)
MATCH (a:Paper)-[*1..]-(b) RETURN count(*)
MATCH (a:Paper)-[*1..40]-(b) RETURN count(*)
MATCH (a:Paper) ((x)--(y))+ (b) RETURN count(*)
MATCH (a:Paper) ((x)-[:HAS_CHUNK]->(y)<-[:HAS_CHUNK]-(z))* (b) RETURN count(*)
MATCH p = shortestPath((a:Paper)-[*]-(b:Chunk)) RETURN p
MATCH p = ANY SHORTEST (a:Paper)-[]-+(b:Chunk) RETURN p
MATCH (a:Paper), (b:Chunk) RETURN shortestPath((a)-[*]-(b))
MATCH (a:Paper) WHERE (a)-[*]-(:Chunk) RETURN a
RETURN range(1, 100000000)
RETURN size([x IN range(1, 300000000) | x])
RETURN reduce(s = 'x', i IN range(1, 30) | s + s)
"""


@pytest_asyncio.fixture(scope="module")
async def explored(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """A store with one paper and one key."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEPT)
        await ingest(database, embedder, [SAMPLE])
        await create_key(database, name="somebody", scopes=[KeyScope.READ])
        yield database
        await wipe(database.driver, database=database.name, keep=KEPT)


@pytest_asyncio.fixture(scope="module")
async def desk(explored: Database) -> AsyncIterator[CypherRunner]:
    """A desk on that store."""
    login = explored.login
    assert login is not None
    address = Address(login.uri, login.user, login.password, login.database, 8.0)
    async with CypherRunner(address, at_once=2, deadline_s=5.0) as made:
        yield made


@pytest.fixture(scope="module")
def canary() -> Iterator["Canary"]:
    """A port of loopback that nobody has any business with."""
    with Canary() as listening:
        yield listening


class Canary:
    """Counts who connects."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.at = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.n_seen = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> "Canary":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._thread.join(timeout=5)

    def _listen(self) -> None:
        try:
            while True:
                connection, _ = self._listener.accept()
                self.n_seen += 1
                connection.close()
        except OSError:  # closed
            return


class Somebody:
    """A query of somebody else's that goes on all the while, with a parameter that is nobody's business."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> "Somebody":
        going_on = self._database.streamed(BUSY, {"secret": SECRET}, deadline_s=3600)
        self._result = await self._stack.enter_async_context(going_on)
        assert (await anext(self._result))["x"] == 1
        return self

    async def __aexit__(self, *_: object) -> None:
        for _row in range(1000):  # more than have come already: Neo4j is asked for the next ones
            await anext(self._result)
        await self._stack.aclose()


async def ask(
    desk: CypherRunner, text: str, *, principal: Principal = RESEARCHER, **parameters: Any
) -> list[list[Any]]:
    table = await table_for(principal, desk, CypherRequest(text, parameters))
    return [row.values for row in table.rows]


async def running(database: Database) -> list[str]:
    """Return the beginnings of all running queries but those of the query library, which the server runs by itself."""
    library = {statement.text[:60] for statement in map(cypher.load, cypher.names())}
    beginnings = [(record["currentQuery"] or "")[:60] for record in await database.read(TRANSACTIONS)]
    return sorted(beginning for beginning in beginnings if beginning not in library)


def bypasses(canary: Canary) -> list[str]:
    lines = [line.format(canary=canary.at) for line in BYPASSES.encode().decode("unicode_escape").strip().split("\n")]
    lines = [line.replace("// here", "// here\ndbms.listConfig()") for line in lines]
    return [*lines, *QUERIES_WITH_OPTIONS]


@pytest.mark.slow
async def test_no_published_way_around_such_a_guard_gets_through(
    explored: Database, desk: CypherRunner, canary: Canary
):
    before = await graph_checksum(explored)
    async with Somebody(explored):
        transactions = await running(explored)
        for text in bypasses(canary):
            with pytest.raises(InputError) as caught:
                await ask(desk, text, label="Paper")
            assert SECRET not in str(caught.value), text
        assert await running(explored) == transactions

    assert (await graph_checksum(explored)).sha256 == before.sha256
    assert canary.n_seen == 0


names = st.sampled_from(
    [
        "Paper",
        "Chunk",
        "Section",
        "ApiKey",
        "IngestJob",
        "`Paper`",
        "$($label)",
        "%",
        "!Paper",
        "Paper|Chunk",
        "Nothing",
    ]
)
variables = st.sampled_from(["a", "b", "c"])
reach = st.sampled_from(["", "*1..3", "*", "*..2", "*2..", "*1..99"])
values = st.recursive(
    st.sampled_from(["1", "-1", "null", "'x'", "$label", "[1, 2]", "a.id", "a", "rand()", "{a: 1}", "'it\\'s'", '"`"']),
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format, inner, st.sampled_from(["+", "=", "<", "AND", "IN", "STARTS WITH", "=~"]), inner
        ),
        st.builds(
            "{}({})".format,
            st.sampled_from(
                ["toString", "size", "keys", "gds.util.NaN", "apoc.text.join", "dbms.x", "file", "coll.sort", "labels"]
            ),
            inner,
        ),
        st.builds("[x IN {} | {}]".format, inner, inner),
        st.builds("reduce(s = 0, x IN {} | s + {})".format, inner, inner),
        st.builds("CASE WHEN {} THEN {} END".format, inner, inner),
        st.builds(
            "{} {{ {} }}".format, st.sampled_from(["COLLECT", "COUNT", "EXISTS"]), st.deferred(lambda: statements)
        ),
    ),
    max_leaves=4,
)
patterns = st.builds(
    "({}:{})-[{}{}]-({})".format,
    variables,
    names,
    st.sampled_from(["", ":CITES", ":HAS_CHUNK", ":HAS_TASK"]),
    reach,
    variables,
)
writes = st.builds(
    "{} {}".format,
    st.sampled_from(
        ["CREATE (:Broken)", "MERGE (:Broken)", "SET a.title = 1", "DETACH DELETE a", "REMOVE a.id", "SET a:Broken"]
    ),
    st.sampled_from(["", "RETURN 1 AS r", "// end", "/* end */"]),
)
clauses = st.one_of(
    st.builds("MATCH {} RETURN {} AS r LIMIT 3".format, patterns, values),
    st.builds("MATCH {}, {} WHERE {} RETURN count(*) AS r".format, patterns, patterns, values),
    st.builds("OPTIONAL MATCH {} WITH a LIMIT 2 RETURN {} AS r".format, patterns, values),
    st.builds("UNWIND {} AS a RETURN {} AS r LIMIT 3".format, values, values),
    st.builds("MATCH {} {}".format, patterns, writes),
    st.builds(
        "CALL {} YIELD * RETURN 1 AS r".format,
        st.sampled_from(["db.labels()", "dbms.listConfig()", "gds.graph.list()"]),
    ),
    st.builds(
        "CALL {} RETURN 1 AS r".format,
        st.sampled_from(["() { CREATE (:Broken) }", "() { RETURN 1 AS x }", "db.createLabel('B')"]),
    ),
    st.builds("LOAD CSV FROM {} AS a RETURN a AS r".format, values),
    st.sampled_from(
        ["SHOW TRANSACTIONS", "SHOW SETTINGS", "TERMINATE TRANSACTIONS 'neo4j-transaction-2'", "SHOW USERS"]
    ),
    st.builds("FOREACH (a IN {} | CREATE (:Broken))".format, values),
    writes,
)
prefixes = st.sampled_from(
    ["", "", "", "", "CYPHER 25 ", "CYPHER 5 ", "EXPLAIN ", "PROFILE ", "/* x */ ", "USE neo4j ", "\u200b"]
)
statements = st.one_of(
    clauses,
    st.builds("{}{}".format, prefixes, clauses),
    st.builds("{} UNION {}".format, clauses, clauses),
    st.builds("CALL () {{ {} }} RETURN r".format, clauses),
    st.builds("{} NEXT {}".format, clauses, clauses),
)


@pytest.mark.slow
async def test_thousands_of_drawn_queries_change_and_show_nothing(
    explored: Database, desk: CypherRunner, canary: Canary
):
    """Each is refused, or answered; those that read may fail at what they are given."""
    drawn: list[str] = []

    @settings(
        max_examples=N_DRAWN, database=None, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(statements)
    def draw(text: str) -> None:
        drawn.append(text.replace("'x'", f"'http://{canary.at}/'"))

    draw()
    before, answered, refused = await graph_checksum(explored), 0, 0
    async with Somebody(explored):
        transactions = await running(explored)
        for text in drawn:
            try:
                rows = await ask(desk, text, label="Paper")
                assert SECRET not in str(rows), text
                answered += 1
            except (InputError, DeadlineError) as error:
                assert SECRET not in str(error), text
                refused += isinstance(error, UnsafeQueryError)
            except DatabaseError as error:  # a fault of Neo4j's, as of a comparison that it does not know
                assert "Neo.DatabaseError" in getattr(error, "status", ""), text
        assert await running(explored) == transactions

    assert (await graph_checksum(explored)).sha256 == before.sha256
    assert canary.n_seen == 0
    assert answered > len(drawn) / 100
    assert refused > len(drawn) / 5


@pytest.mark.slow
class TestLimits:
    @pytest.mark.parametrize(
        "text",
        [
            "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b UNWIND range(1, 10000) AS c RETURN sum(a * b * c)",
            "UNWIND range(1, 100000000) AS x WITH x WHERE x < 0 RETURN count(x)",
            "MATCH p = (a:Chunk)-[*1..15]-(b:Chunk) RETURN count(p)",
        ],
    )
    async def test_what_takes_too_long_is_ended_here_and_in_neo4j(
        self, explored: Database, desk: CypherRunner, text: str
    ):
        with pytest.raises(DeadlineError):
            await table_for(RESEARCHER, desk, CypherRequest(text, deadline_ms=500))

        for _ in range(100):
            if not any(text[:40] in query for query in await running(explored)):
                break
            await asyncio.sleep(0.1)
        assert not any(text[:40] in query for query in await running(explored))
        assert await ask(desk, "RETURN 1 AS n") == [[1]]

    async def test_rows_beyond_what_was_asked_for_are_left(self, desk: CypherRunner):
        table = await table_for(RESEARCHER, desk, CypherRequest("UNWIND range(1, 100000) AS n RETURN n", rows=120))

        assert [row.values for row in table.rows] == [[n] for n in range(1, 121)]
        assert (table.end.n_rows, table.end.cut) == (120, "rows")

    async def test_as_many_rows_as_there_are_are_not_cut(self, desk: CypherRunner):
        table = await table_for(RESEARCHER, desk, CypherRequest("UNWIND range(1, 120) AS n RETURN n", rows=120))

        assert (table.end.n_rows, table.end.cut) == (120, None)

    async def test_rows_beyond_what_may_be_sent_are_left(self, desk: CypherRunner):
        text = "UNWIND range(1, 1000) AS n RETURN n, $text + $text AS long"
        table = await table_for(RESEARCHER, desk, CypherRequest(text, {"text": "x" * 50_000}))

        assert table.end.cut == "bytes"
        assert 70 < table.end.n_rows < 90

    async def test_a_value_too_large_to_be_sent_ends_the_query_and_nothing_else(self, desk: CypherRunner):
        text = "UNWIND range(1, 3000000) AS n RETURN collect(n * 1000000000) AS numbers"
        with pytest.raises(InputError, match="more than 4,194,304 bytes"):
            await table_for(RESEARCHER, desk, CypherRequest(text))

        assert await ask(desk, "RETURN 1 AS n") == [[1]]

    async def test_leaving_ends_the_query(self, explored: Database, desk: CypherRunner):
        text = "UNWIND range(1, 10000000) AS left RETURN left"
        async with aclosing(pieces_for(RESEARCHER, desk, CypherRequest(text, rows=10_000))) as pieces:
            assert isinstance(await anext(pieces), Head)
            assert isinstance(await anext(pieces), Rows)

        for _ in range(100):
            if not any("left" in query for query in await running(explored)):
                break
            await asyncio.sleep(0.1)
        assert not any("left" in query for query in await running(explored))

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"rows": 0}, "rows"),
            ({"rows": 10_001}, "rows"),
            ({"deadline_ms": 0}, "deadline_ms"),
            ({"parameters": {"x": object()}}, "parameters"),
            ({"parameters": {"x": float("nan")}}, "parameters"),
            ({"parameters": {"x": "y" * 300_000}}, "parameters"),
        ],
    )
    def test_a_query_out_of_bounds_is_refused(self, fields: dict[str, Any], field: str):
        with pytest.raises(InputError) as caught:
            CypherRequest("RETURN 1", **fields)

        assert caught.value.field == field


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("MATCH (n:Paper RETURN n", r'column 16 \(offset: 15\)\)\n"MATCH \(n:Paper RETURN n"\n {16}\^$'),
            ("MATCH (n:Paper)\nRETRUN n", r"line 2, column 1 \(offset: 16\)"),
            ("RETURN 1 / 0", "/ by zero"),
            ("RETURN $missing", "missing"),
            ("RETURN date('2024-02-30')", "FEBRUARY 30"),
            ("RETURN duration('P99999999999999999999Y')", "For input string"),
            ("RETURN duration($long)", "For input string: .9{100,1000}…$"),
            ("RETURN range(coalesce(1, 2))", "no upper bound"),
            (f"UNWIND range(1, 1000000) AS n RETURN size(collect('{'x' * 8000}' + toString(n)))", "memory"),
        ],
    )
    async def test_neo4j_s_words_are_told_with_places_as_they_were_written(
        self, desk: CypherRunner, text: str, told: str
    ):
        with pytest.raises(InputError, match=told):
            await ask(desk, text, **({"long": f"P{'9' * 100_000}Y"} if "$long" in text else {}))


class TestRights:
    async def test_a_key_without_the_scope_is_refused(self, desk: CypherRunner):
        with pytest.raises(AccessError, match="cypher"):
            await ask(
                desk, "RETURN 1", principal=Principal("x", frozenset(set(KeyScope) - {KeyScope.CYPHER, KeyScope.ADMIN}))
            )

    async def test_a_server_without_a_desk_takes_no_queries(self):
        with pytest.raises(NotFoundError):
            await table_for(ADMIN, None, CypherRequest("RETURN 1"))

    async def test_an_admin_reads_all_there_is(self, desk: CypherRunner):
        assert await ask(desk, "MATCH (k:ApiKey) RETURN k.name", principal=ADMIN) == [["somebody"]]
        assert await ask(desk, "MATCH (n) RETURN count(n) > 3", principal=ADMIN) == [[True]]

    async def test_a_key_for_another_collection_is_refused(self, desk: CypherRunner):
        with pytest.raises(AccessError, match="collection"):
            await ask(desk, "RETURN 1", principal=Principal("x", frozenset({KeyScope.CYPHER}), ("other",)))

    async def test_several_collections_take_an_admin(
        self, explored: Database, embedder: Embedder, desk: CypherRunner, tmp_path: Path
    ):
        other = tmp_path / "other.md"
        other.write_text("# Another paper\n\nIt stands in another collection.\n")
        await ingest(explored, embedder, [other], collection="other")
        try:
            with pytest.raises(AccessError, match="replica"):
                await ask(desk, "RETURN 1", principal=Principal("x", frozenset({KeyScope.CYPHER})))
            rows = await ask(desk, "MATCH (p:Paper) RETURN DISTINCT p.collection AS c ORDER BY c", principal=ADMIN)
            assert rows == [["main"], ["other"]]
        finally:
            await explored.run_alone(Statement("forget", "MATCH (n) WHERE n.collection = 'other' DETACH DELETE n"))


class TestForms:
    async def test_nodes_relationships_and_paths_come_without_vectors(self, desk: CypherRunner):
        text = "MATCH w = (p:Section)-[r:HAS_CHUNK]->(c:Chunk) RETURN p, r, w, c.embedding[0..2] AS v LIMIT 1"
        ((section, step, path, vector),) = await ask(desk, text)

        assert section["labels"] == ["Section"]
        assert "embedding" not in section["properties"]
        assert step == {
            "id": step["id"],
            "type": "HAS_CHUNK",
            "start": section["id"],
            "end": path["nodes"][1]["id"],
            "properties": {},
        }
        assert [path["nodes"][0]["id"], path["relationships"][0]["id"]] == [section["id"], step["id"]]
        assert "embedding" not in path["nodes"][1]["properties"]
        assert all(isinstance(number, float) for number in vector)

    async def test_values_that_json_lacks_are_texts(self, desk: CypherRunner):
        text = "RETURN date('2024-02-29') AS d, duration('P1D') AS s, point({x: 1, y: 2}) AS p, 0.0 / 0.0 AS n"

        assert await ask(desk, text) == [["2024-02-29", "P1D", {"srid": 7203, "coordinates": [1.0, 2.0]}, "nan"]]

    async def test_csv_has_texts_as_they_are(self, desk: CypherRunner):
        table = await table_for(
            RESEARCHER, desk, CypherRequest("RETURN 'a, \"b\"' AS text, null AS none, [1, 2] AS list")
        )

        assert csv_of(table) == 'text,none,list\r\n"a, ""b""",,"[1, 2]"\r\n'

    async def test_arrow_has_types(self, desk: CypherRunner):
        pyarrow = pytest.importorskip("pyarrow")
        text = "UNWIND [1, null, 3] AS n RETURN n, n / 2.0 AS half, toString(n) AS text, [n] AS list, {a: n} AS map"
        table = await table_for(RESEARCHER, desk, CypherRequest(text))

        found = pyarrow.ipc.open_stream(arrow_of(table)).read_all()
        assert [str(column.type) for column in found.columns] == [
            "int64",
            "double",
            "string",
            "list<item: int64>",
            "string",
        ]
        assert found.column("n").to_pylist() == [1, None, 3]
        assert found.column("map").to_pylist() == ['{"a": 1}', '{"a": null}', '{"a": 3}']

    async def test_the_graph_has_each_part_once(self, desk: CypherRunner):
        matched = "MATCH (s:Section)-[r:HAS_CHUNK]->(c:Chunk) WITH s, collect({step: r, to: c})[..2] AS steps "
        text = f"{matched} WHERE size(steps) = 2 RETURN s, steps LIMIT 1"
        graph = graph_of(await table_for(RESEARCHER, desk, CypherRequest(text)))

        assert [node["labels"] for node in graph["nodes"]].count(["Section"]) == 1
        assert len({node["id"] for node in graph["nodes"]}) == len(graph["nodes"]) == 3
        assert len(graph["relationships"]) == 2


async def test_nothing_answers_where_there_is_no_neo4j():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and not listened on
        address = Address(f"bolt://127.0.0.1:{taken.getsockname()[1]}", "neo4j", "x", "neo4j", 8.0)
        async with CypherRunner(address, at_once=1, deadline_s=3.0) as nowhere:
            with pytest.raises(PapergraphError) as caught:
                await table_for(ADMIN, nowhere, CypherRequest("RETURN 1"))

    assert isinstance(caught.value, DatabaseError)
