"""Which papers get a revision with a statement: what headers of queries say, and what transactions make of it."""

import re
from typing import Any

import pytest

from papergraph import cypher
from papergraph.revisions import ALL, WRITES, Revisions, revised_by
from papergraph.statement import Revises, Statement
from tests.support.for_each import for_each

OF_PAPERS = Statement("test/papers", "")
CHANGING_ALL = {
    *(name for name in cypher.names() if name.startswith("doctor/repair/")),
    *("archive/delete_nodes", "archive/write_nodes", "archive/write_relationships", "collections/delete_rest"),
    *("reembed/copy_vectors", "reembed/delete_vectors", "reembed/write_vectors"),
}
"""Queries that may change all papers: of these it is not worth finding out which."""

SETS_REVISION = re.compile(r"\.(?:revision|touched) = randomUUID\(\)")


class Ran:
    """Stands for a transaction, and notes what runs in it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def run(self, statement: Statement, **parameters: Any) -> None:
        self.calls.append((statement.name, {name: value for name, value in parameters.items() if value}))


@for_each(name=[name for name in cypher.names() if WRITES.search(cypher.body(cypher.load(name)))])
def test_the_header_of_a_writing_query_says_which_papers_it_changes(name: str):
    statement = cypher.load(name)
    said, body = cypher.describe(statement).revises, cypher.body(statement)

    assert bool(said) == (name not in CHANGING_ALL)
    if said:
        assert (cypher.ITSELF in said) == bool(SETS_REVISION.search(body))
    named = {path[0] for _, path in statement.revises.paths} if statement.revises else set()
    assert named <= cypher.parameters_used(statement)


def test_a_header_that_cannot_be_read_is_refused():
    header = "// Parameters  none\n// Returns     nothing\n// Revises     {}\n// Try it      paste as it is\nCREATE ()"

    for said in ("papers", "chunk $id", "papers $ids or chunks $ids"):
        with pytest.raises(ValueError, match="under Revises"):
            cypher._revises(Statement("test/said", header.format(said)))
    assert cypher._revises(Statement("test/said", header.format("nothing"))) is None
    assert cypher._revises(Statement("test/said", header.replace("// Revises     {}\n", ""))) is ALL


def test_a_header_of_which_only_this_line_is_there_is_read_and_counts_for_procedures_too():
    procedure = "CALL gds.pageRank.write('papers', {writeProperty: 'rank'})"

    assert cypher._revises(Statement("test/bare", "CREATE ()")) is ALL
    assert cypher._revises(Statement("test/bare", procedure)) is ALL
    assert cypher._revises(Statement("test/bare", f"// Revises     nothing\n{procedure}")) is None
    named = cypher._revises(Statement("test/bare", f"// Revises     papers $ids\n{procedure}"))
    assert named is not None and named.paths == (("papers", ("ids",)),)


async def test_papers_are_given_a_revision_before_a_statement_and_again_at_the_end():
    ran = Ran()
    revisions = Revisions(ran.run)
    writing = Statement("test/write", "", revises=Revises(OF_PAPERS, (("papers", ("rows", "id")),)))

    await revisions.before(writing, {"rows": [{"id": "b"}, {"id": "a"}, {"id": None}, {}]})
    await revisions.before(writing, {"rows": ({"id": "b"}, {"id": "c"})})
    await revisions.before(writing, {"rows": [{"id": "a"}]})
    await revisions.at_the_end()

    assert ran.calls == [
        ("test/papers", {"papers": ["a", "b"]}),
        ("test/papers", {"papers": ["c"]}),
        ("test/papers", {"papers": ["a", "b", "c"]}),
    ]


async def test_papers_are_found_by_lists_and_lists_of_lists_of_their_chunks():
    ran = Ran()
    revisions = Revisions(ran.run)
    paths = (("chunks", ("papers",)), ("chunks", ("rows", "chunk_ids")), ("questions", ("id",)))

    await revisions.before(
        Statement("test/write", "", revises=Revises(OF_PAPERS, paths)),
        {"papers": [["a"], ["b", "a"]], "rows": [{"chunk_ids": ["c"]}, {"chunk_ids": []}], "id": "q"},
    )
    await revisions.at_the_end()

    given = {"chunks": ["a", "b", "c"], "questions": ["q"]}
    assert ran.calls == [("test/papers", given)] * 2  # at the end too: some may have been written only meanwhile


async def test_a_statement_that_may_change_all_papers_revises_all_once_at_the_end():
    ran = Ran()
    revisions = Revisions(ran.run)

    for _ in range(2):
        await revisions.before(Statement("test/write", "", revises=ALL), {"ids": ["a"]})
    await revisions.before(Statement("test/read", ""), {})
    await revisions.at_the_end()

    assert ran.calls == [(ALL.setting.name, {})]


@for_each(
    text=[
        "CREATE (:Paper {id: $id})",
        "match (paper:Paper) set paper.title = 'x'",
        "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10 ROWS",
        "CREATE index = (:Paper)-[:CITES]->(:Paper)",
        "CALL gds.pageRank.write('papers', {writeProperty: 'rank'}) YIELD ranIterations RETURN ranIterations",
        "MATCH (paper:Paper) CALL `apoc` . refactor.rename(paper) RETURN 1",
        "MATCH (paper:Paper) CALL db.create.setNodeVectorProperty(paper, 'embedding', [1.0])",
    ]
)
def test_a_statement_that_is_no_file_and_writes_may_change_all_papers(text: str):
    assert revised_by(Statement("test/write", text)) is ALL
    assert revised_by(Statement("test/write", text, is_file=True)) is None


@for_each(
    text=[
        "MATCH (paper:Paper) RETURN paper.id AS id",
        "CREATE INDEX some IF NOT EXISTS FOR (n:Paper) ON (n.created)",
        "CYPHER 25\nCREATE VECTOR INDEX some IF NOT EXISTS FOR (n:Paper) ON n.embedding",
        "CREATE CONSTRAINT some IF NOT EXISTS FOR (n:Paper) REQUIRE n.id IS UNIQUE",
        "drop constraint some",
        "CALL db.createProperty('revision')",
        "CALL db.index.fulltext.queryNodes('chunk_text', 'words') YIELD node RETURN node",
        "CALL dbms.components() YIELD name CALL (name) { RETURN 1 AS one } RETURN one",
    ]
)
def test_reading_and_what_makes_constraints_and_indexes_change_no_paper(text: str):
    assert revised_by(Statement("test/other", text)) is None
