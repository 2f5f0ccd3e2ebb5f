"""Whatever query changes what an archive has of a paper, the paper's revision is another one afterwards."""

import asyncio
from typing import Any

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.neo4j_errors import Transaction
from papergraph.revisions import MARK, UNSETTLE, WRITES, settle_ended
from papergraph.schema.archive.backup import _parts_of
from papergraph.statement import Statement

PARTS = """
CYPHER 25
CREATE (a:Paper {id: 'a1', collection: 'main', key: 'file:/a.md', keys: ['file:/a.md'], sources: ['/a.md'], nKeys: 1,
  title: 'Tides', year: 2000, contentHash: 'ab', configHash: 'cd', enrichments: ['questions=ab'], revision: '1'})
CREATE (z:Paper {id: 'z1', collection: 'main', key: 'file:/z.md', keys: ['file:/z.md'], sources: ['/z.md'], nKeys: 1,
  title: 'Waves', contentHash: 'z', configHash: 'cd', revision: '1'})
CREATE (a)-[:HAS_SECTION]->(s:Section {id: 's1', collection: 'main', paperId: 'a1', ordinal: 0})
CREATE (z)-[:HAS_SECTION]->(y:Section {id: 'y1', collection: 'main', paperId: 'z1', ordinal: 0})
CREATE (s)-[:HAS_CHUNK]->(c:Chunk {id: 'c1', collection: 'main', paperId: 'a1', ordinal: 0, year: 1999})
CREATE (s)-[:HAS_CHUNK]->(n:Chunk {id: 'c2', collection: 'main', paperId: 'a1', ordinal: 1})
CREATE (s)-[:HAS_CHUNK]->(p:Chunk {id: 'c9', collection: 'main', paperId: 'a1', ordinal: 2, kind: 'parent'})
CREATE (y)-[:HAS_CHUNK]->(d:Chunk {id: 'd1', collection: 'main', paperId: 'z1', ordinal: 0})
CREATE (a)-[:HAS_REFERENCE]->(r:Reference {id: 'r1', collection: 'main', paperId: 'a1', ordinal: 0})
CREATE (q:Question {id: 'q1', collection: 'main', paperId: 'a1', groupId: 'g', text: 'Why?'})
CREATE (o:Question {id: 'q2', collection: 'main', paperId: 'z1', groupId: 'g', text: 'How?'})
CREATE (own:Question {id: 'q3', collection: 'main', paperId: 'a1', text: 'What?', comparisonConfigHash: 'x'})
CREATE (of:Question {id: 'q4', collection: 'main', paperId: 'z1', text: 'What then?', comparisonConfigHash: 'x'})
CREATE (e:Entity {id: 'e1', collection: 'main', name: 'Words'}), (f:Entity {id: 'f1', collection: 'main', name: 'Sea'})
CREATE (k:Cluster {id: 'k1', collection: 'main', kind: 'topic'})
CREATE (m:Cluster {id: 'm1', collection: 'main', kind: 'metadata'})
CREATE (t:Prototype {id: 'o1', collection: 'main'})
CREATE (u:Source {id: 'u1', collection: 'main', name: '/a.md', kind: 'text'})
CREATE (w:Author {id: 'p2', collection: 'main', name: 'Ada'}), (v:Venue {id: 'v2', collection: 'main', name: 'Notes'})
CREATE (l:Name {id: 'n1', collection: 'main', key: 'waves'})
"""
"""Two papers with their parts, under the ids that the examples of queries name, and nodes that papers share."""

RELATED = (
    PARTS
    + """
CREATE (a)-[:CITES]->(z), (z)-[:CITES]->(a), (c)-[:SIMILAR]->(d), (d)-[:SIMILAR]->(c), (c)-[:CITES_REFERENCE]->(r)
CREATE (c)-[:NEXT_CHUNK]->(n), (c)-[:CHILD_OF]->(p), (a)-[:HAS_SOURCE]->(u), (z)-[:HAS_SOURCE]->(u)
CREATE (c)-[:MENTIONS {names: ['Words'], type: 'Term', extractor: 'x'}]->(e)
CREATE (d)-[:MENTIONS {names: ['Words'], type: 'Term'}]->(e)
CREATE (a)-[:TITLED]->(l), (c)-[:NAMES]->(l), (d)-[:REFERS_TO]->(l), (e)-[:RELATED_TO {paperId: 'a1'}]->(f)
CREATE (c)-[:IN_CLUSTER]->(k), (d)-[:IN_CLUSTER]->(k), (a)-[:IN_CLUSTER]->(m), (z)-[:IN_CLUSTER]->(m)
CREATE (t)-[:STANDS_FOR]->(q), (t)-[:STANDS_FOR]->(c), (t)-[:STANDS_FOR]->(d)
CREATE (q)-[:ANSWERED_BY]->(c), (o)-[:ANSWERED_BY]->(d), (o)-[:ANSWERED_BY]->(c), (o)-[:ANSWERED_BY]->(a)
CREATE (own)-[:ANSWERED_BY]->(c), (of)-[:ANSWERED_BY]->(d), (o)-[:DUPLICATE_OF]->(q), (of)-[:DUPLICATE_OF]->(own)
CREATE (w)-[:WROTE {position: 0, name: 'Ada'}]->(a), (w)-[:WROTE {position: 0, name: 'Ada'}]->(z)
CREATE (a)-[:PUBLISHED_IN {name: 'Notes'}]->(v), (z)-[:PUBLISHED_IN {name: 'Notes'}]->(v)
SET a += {linksConfigHash: 'x', pageRank: 1.0, mapPlace: [0.0, 1.0], placedBy: 'umap'}, c.nSimilar = 1
"""
)
TITLED = PARTS + "CREATE (z)-[:TITLED]->(l)"
GRAPHS = tuple(Statement("test/graph", text) for text in (RELATED, TITLED))
"""With what enrichments and records relate, and without."""

RELATING = PARTS + (
    "CREATE (:Paper {id: 'm1', collection: 'main', key: 'file:/m.md', revision: '1'}), "
    "(:Question {id: 'q5', collection: 'main', paperId: 'm1', text: 'How, then?', comparisonConfigHash: 'x'})"
)
"""A third paper, whose question is about to be related to one across papers."""

CITING = """
CYPHER 25
UNWIND [['a1', 'z1'], ['m1', 'a1']] AS pair
MERGE (citing:Paper {id: pair[0]}) MERGE (cited:Paper {id: pair[1]})
SET citing.collection = 'main', cited += {collection: 'main', doi: '10.1000/' + pair[1]}
CREATE (cited)-[:HAS_SOURCE]->(:Source {id: 's ' + pair[1], collection: 'main', key: pair[1], doi: cited.doi})
CREATE (citing)-[:HAS_REFERENCE]->(:Reference {id: 'r ' + pair[0], collection: 'main', paperId: pair[0], ordinal: 0,
  doi: cited.doi})
SET citing.revision = '1', cited.revision = '1'
"""
"""A paper that cites one and is cited by another."""

WAITING = Statement(
    "test/waiting",
    "SHOW TRANSACTIONS YIELD currentQuery, status "
    "WHERE status STARTS WITH 'Blocked' AND currentQuery CONTAINS 'DETACH DELETE' RETURN status",
)
EMPTY = Statement(
    "test/empty",
    "CYPHER 25 MATCH (n) WHERE CASE WHEN n:SchemaVersion THEN n.version IS NULL AND n.id <> 'fulltext' "
    "WHEN n:EmbeddingModel THEN n.id = 'second' ELSE true END DETACH DELETE n",
)
OTHER_EXAMPLES: dict[str, dict[str, Any]] = {
    "enrichments/write_metadata": {"rows": [{"id": "k2", "properties": {"kind": "metadata"}, "membership": {}}]},
    "enrichments/write_relations": {
        "rows": [
            {"start_id": "e1", "end_id": "f1", "properties": {"type": "uses", "paperId": "a1", "extractor": "given"}}
        ]
    },
    "ingest/delete_sources": {"ids": ["u1"]},
    "ingest/rekey_paper": {
        "rows": [{"old": "s1", "new": "t1", "section": None}, {"old": "c1", "new": "x1", "section": "t1"}]
    },
    "ingest/write_chunks": {
        "rows": [
            {"id": "c1", "section_id": "s1", "vector": [1.0], "properties": {"id": "c1", "paperId": "a1", "ordinal": 0}}
        ]
    },
}
"""Where the example of a query is about nothing of these papers."""

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow]
Read = dict[str, tuple[str | None, bytes, bytes]]


async def read_papers(database: Database) -> Read:
    """Return the revision of each paper, and what an archive has of it."""
    found = await database.read(cypher.load("archive/paper_ids"), after="", limit=10)
    revisions = {record["id"]: record["revision"] for record in found}
    return {id: (revisions[id], part.lines(), part.numbers()) async for id, part in _parts_of(database, [*revisions])}


async def example_of(database: Database, name: str) -> dict[str, Any]:
    """Return the parameters of a query's example."""
    parameters: dict[str, Any] = {}
    if (trying := cypher.to_try(cypher.load(name))) is not None:
        (record,) = await database.read(trying)
        parameters = cypher.tried(record)
    return parameters | OTHER_EXAMPLES.get(name, {})


async def test_a_query_that_changes_a_paper_gives_it_another_revision(database: Database):
    names = [name for name in cypher.names() if WRITES.search(cypher.body(cypher.load(name)))]
    telling = {name for name in names if cypher.describe(cypher.load(name)).revises not in ("", cypher.NOTHING)}
    changing: set[str] = set()
    silent: list[str] = []
    for graph in GRAPHS:
        before: Read | None = None
        for name in names:
            if before is None:
                await database.run_alone(EMPTY)
                await database.run_alone(graph)
                before = await read_papers(database)

            await database.run_alone(cypher.load(name), **await example_of(database, name))

            after = await read_papers(database)
            for id in before.keys() & after.keys():
                if before[id][1:] != after[id][1:]:
                    changing.add(name)
                    if before[id][0] == after[id][0]:
                        silent.append(f"{name} of {id}")
            if before != after or name.partition("/")[0] in ("schema", "archive", "reembed"):
                before = None
    await database.run_alone(EMPTY)

    assert silent == []
    assert telling - changing == {"archive/revise_papers", "ingest/delete_paper"} - changing


@pytest.mark.parametrize(
    ("relating", "row", "deleting", "id", "type"),
    [
        ("write_duplicates", {"id": "q5", "leader": "q2", "score": 0.97}, "clear_questions", "a1", b"DUPLICATE_OF"),
        ("assign_prototypes", {"id": "q5", "prototype": "o1"}, "delete_prototypes", "o1", b"STANDS_FOR"),
    ],
)
async def test_who_deletes_something_sees_what_was_related_to_it_until_it_could_be_locked(
    database: Database, relating: str, row: dict[str, Any], deleting: str, id: str, type: bytes
):
    await database.run_alone(EMPTY)
    await database.run_alone(Statement("test/graph", RELATING))
    clearing: list[asyncio.Task[Any]] = []

    async def work(transaction: Transaction) -> str:
        await transaction.run(cypher.load(f"enrichments/{relating}"), rows=[row])
        clearing.append(asyncio.create_task(database.run_alone(cypher.load(f"enrichments/{deleting}"), ids=[id])))
        while not await database.read(WAITING):
            assert not clearing[0].done()
            await asyncio.sleep(0.02)
        (related,) = await transaction.run(cypher.load("archive/paper_ids"), after="a1", limit=1)
        return str(related["revision"])

    between = await database.transact("test/relate", work)
    await asyncio.gather(*clearing)

    after = await read_papers(database)
    await database.run_alone(EMPTY)
    assert after["m1"][0] != between
    assert type not in after["m1"][1]


async def revisions_of(database: Database) -> dict[str, str | None]:
    return {id: revision for id, (revision, _, _) in (await read_papers(database)).items()}


async def test_papers_whose_citations_stay_as_they_are_get_no_revision_when_a_neighbour_is_written_again(
    database: Database,
):
    await database.run_alone(EMPTY)
    await database.run_alone(Statement("test/graph", CITING))

    revisions = []
    for text in ("RETURN 1", "RETURN 1", "MATCH (r:Reference {id: 'r m1'}) SET r.doi = null"):
        await database.driver.execute_query(text, database_=database.name)
        await database.run_alone(cypher.load("ingest/cite_papers"), ids=["a1"])
        revisions.append(await revisions_of(database))
    cited = [b'"CITES"' in lines for _, lines, _ in (await read_papers(database)).values()]
    await database.run_alone(EMPTY)

    first, again, gone = revisions
    assert [id for id in first if first[id] != again[id]] == ["a1"]
    assert [id for id in again if again[id] != gone[id]] == ["a1", "m1"]
    assert (len({one["z1"] for one in revisions}), cited) == (1, [True, False, False])


async def test_a_statement_that_the_server_does_not_run_any_more_is_not_waited_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    await database.run_alone(EMPTY)
    await database.run_alone(Statement("test/graph", PARTS))

    async def settled() -> str | None:
        await settle_ended(database.run_alone)
        return (await revisions_of(database))["a1"]

    before = await settled()
    for token in ("x", "y"):
        await database.run_alone(UNSETTLE, token=token, within_s=60)
    async with database.driver.session(database=database.name) as session:
        transaction = await session.begin_transaction(metadata={MARK: "y"})
        await (await transaction.run("RETURN 1")).consume()
        at_once = await settled()
        monkeypatch.setattr("papergraph.revisions.SENT_WITHIN_S", 0.0)
        running = await settled()
        await transaction.rollback()
    ended = await settled()
    again = await settled()
    await database.run_alone(EMPTY)

    assert (at_once, running) == (None, None)
    assert None not in (before, ended) and before != ended == again


async def test_a_statement_of_several_transactions_is_marked_as_one_during_which_no_paper_has_a_revision(
    database: Database,
):
    text = (
        "CALL tx.getMetaData() YIELD metadata UNWIND [1, 2] AS n CALL (n) { CREATE (:Note {n: n}) } "
        "IN TRANSACTIONS OF 1 ROW WITH DISTINCT metadata MATCH (whole:SchemaVersion {id: 'revision'}) "
        "RETURN metadata, whole.waiting AS waiting"
    )

    (during,) = await database.run_alone(Statement("test/batched", text))
    await database.run_alone(EMPTY)

    assert [one.split()[1] for one in during["waiting"]] == [during["metadata"][MARK]]


async def test_no_paper_has_a_revision_until_all_have_ended_that_write_or_must_have(database: Database):
    await database.run_alone(EMPTY)
    await database.run_alone(Statement("test/graph", PARTS))

    async def unsettled(token: str, within_s: float) -> str | None:
        await database.driver.execute_query(
            UNSETTLE.text, {"token": token, "within_s": within_s}, database_=database.name
        )
        return (await revisions_of(database))["a1"]

    before = (await revisions_of(database))["a1"]
    during = [await unsettled(token, within_s) for token, within_s in (("x", 60), ("y", 60), ("x", 60), ("x", 0))]
    after = await unsettled("y", 0)
    cut_off = await unsettled("z", 0.3)
    await asyncio.sleep(0.4)
    later = (await revisions_of(database))["a1"]
    await database.run_alone(EMPTY)

    assert (during, cut_off) == ([None] * 4, None)
    assert None not in (before, after, later) and len({before, after, later}) == 3
