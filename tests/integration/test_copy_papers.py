"""Papers copied to another collection, on a real Neo4j."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, NotFoundError
from papergraph.ingest.graph.edits import edit_paper
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.ids import paper_id
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope, everything
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations import papers
from papergraph.server.operations.annotations import (
    AnnotationChange,
    NewAnnotation,
    annotate,
    change_annotation,
    copy_annotations,
    list_annotations,
)
from papergraph.server.operations.collections import delete_collection
from papergraph.server.operations.papers import copy_papers
from papergraph.server.operations.service import Service
from papergraph.server.papers.annotations import AnnotationKind, AnnotationQuery
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import search
from papergraph.statement import Statement
from tests.support.files import write
from tests.support.graphs import assert_healthy
from tests.support.ingestion import empty, ingest, paper

pytestmark = pytest.mark.slow

SAMPLES = Path("ingest/samples")
CODES = SAMPLES / "surface-code-logical-error-rates.md"
ANNEALING = SAMPLES / "annealing-and-tabu-search.txt"
FOUND = Statement("test/papers", "MATCH (p:Paper {collection: $name}) RETURN p.id AS id, p.key AS key ORDER BY p.key")
PARTS = Statement(
    "test/parts",
    "MATCH (n) WHERE n.collection = $name AND (n:Chunk OR n:Section OR n:Reference OR n:Author OR n:Source) "
    "RETURN labels(n) AS labels, n.id AS id, n.text AS text, n.embedding AS embedding ORDER BY id",
)
FORGET = Statement("test/forget", "MATCH (key:ApiKey) DELETE key")
MARK = Statement("test/mark", "MATCH (p:Paper) SET p.mapPlace = [0.1, 0.2], p.placedBy = 'pca', p.mapTopic = 't'")

MAPPED = Statement("test/mapped", "MATCH (p:Paper) WHERE p.mapPlace IS NOT NULL RETURN DISTINCT p.collection AS name")


async def _ids(database: Database, name: str) -> list[str]:
    return [record["id"] for record in await database.read(FOUND, name=name)]


async def _parts(database: Database, name: str) -> list[list[object]]:
    return [record.values() for record in await database.read(PARTS, name=name)]


async def test_a_copy_is_what_ingestion_gives_and_a_second_call_changes_nothing(
    database: Database, embedder: Embedder, tmp_path: Path
):
    bibliography = write(
        tmp_path / "a.bib",
        "@article{a, title = {Tides of the sea}, year = 1843, doi = {10.1000/182}, author = {A. Ada}}",
    )
    text = write(tmp_path / "tides.md", paper("Tides", extra="doi: 10.1000/182\n", authors="A. Ada, B. Bo"))
    sources = [CODES, ANNEALING, bibliography, text]
    await ingest(database, embedder, sources, collection="reading")
    await edit_paper(database, "doi:10.1000/182", {"comment": "Good"}, collection="reading")
    expected, expected_parts = await graph_checksum(database), await _parts(database, "reading")
    await empty(database)
    await ingest(database, embedder, sources)
    await edit_paper(database, "doi:10.1000/182", {"comment": "Good"}, collection="main")
    before, ids = await _parts(database, "main"), await _ids(database, "main")
    await database.run_alone(MARK)

    done = await copy_papers(
        database,
        [*ids[1:], "10.1000/182", ids[1]],
        from_collection="main",
        to_collection="reading",
        principal=everything(),
    )
    copied = await graph_checksum(database)
    again = await copy_papers(database, ids, from_collection="main", to_collection="reading", principal=everything())
    after = await graph_checksum(database)

    assert (done.collection, done.n_copied, again.n_copied) == ("reading", 3, 0)
    assert [one.copy_id for one in again.papers] == await _ids(database, "reading")
    assert paper_id("reading", "doi:10.1000/182") in {one.copy_id for one in done.papers}
    assert await _parts(database, "reading") == expected_parts
    assert await _parts(database, "main") == before
    assert after.same_graph(copied)
    assert [record["name"] for record in await database.read(MAPPED)] == ["main"]
    await assert_healthy(database)
    resources = Resources.of(database, embedder)
    found = await search(resources, SearchRequest("How many physical qubits does a patch need?", collection="reading"))
    assert found.hits and {hit.paper.collection for hit in found.hits} == {"reading"}
    await delete_collection(database, "main")
    assert (await graph_checksum(database)).same_graph(expected)


async def test_a_paper_that_the_collection_has_stays_as_it_is(database: Database, embedder: Embedder, tmp_path: Path):
    mine = write(tmp_path / "a" / "tides.md", paper("Tides", extra="doi: 10.1000/182\n"))
    other = write(tmp_path / "b" / "tides.md", paper("Tides, a draft", extra="doi: 10.1000/182\n"))
    await ingest(database, embedder, [mine])
    await ingest(database, embedder, [other], collection="reading")
    before, (there,) = await graph_checksum(database), await _ids(database, "reading")

    done = await copy_papers(
        database, ["10.1000/182"], from_collection="main", to_collection="reading", principal=everything()
    )

    assert (done.n_copied, [(one.copy_id, one.copied) for one in done.papers]) == (0, [(there, False)])
    assert (await graph_checksum(database)).same_graph(before)


async def test_annotations_that_the_caller_sees_go_with_a_paper_and_are_copied_once(
    database: Database, embedder: Embedder
):
    await ingest(database, embedder, [CODES])
    (id,) = await _ids(database, "main")
    mine, other = replace(everything("mine"), has_key=True), replace(everything("other"), has_key=True)
    quote = {"kind": AnnotationKind.HIGHLIGHT, "quote": "surface code"}
    for owner, wanted in (
        (mine, {"kind": AnnotationKind.NOTE, "text": "Mine"}),
        (mine, quote | {"shared": True}),
        (other, {"kind": AnnotationKind.NOTE, "text": "Private of another"}),
        (other, {"kind": AnnotationKind.TAG, "text": "codes", "shared": True}),
    ):
        await annotate(database, owner, NewAnnotation(papers=[id], **wanted))
    copying = {"from_collection": "main", "to_collection": "reading", "principal": mine}

    (copy,) = (await copy_papers(database, [id], **copying)).papers
    query = AnnotationQuery("reading", [copy.copy_id])
    (note,) = [one for one in await list_annotations(database, mine, query) if one.kind is AnnotationKind.NOTE]
    await change_annotation(database, mine, note.id, AnnotationChange(text="Mine, changed"))
    await copy_papers(database, [id], **copying)

    found = await list_annotations(database, everything(), query)
    assert sorted((one.kind.value, one.text, one.shared) for one in found) == [
        ("highlight", "", True),
        ("note", "Mine, changed", False),
        ("tag", "codes", True),
    ]
    (highlight,) = [one for one in found if one.kind is AnnotationKind.HIGHLIGHT]
    assert highlight.quote == "surface code" and highlight.start_char is not None and not highlight.is_orphan
    assert len(await list_annotations(database, everything(), AnnotationQuery("main", [id]))) == 4
    await assert_healthy(database)


async def test_a_moved_paper_takes_the_annotations_of_all_with_it(database: Database, embedder: Embedder):
    await ingest(database, embedder, [CODES])
    (id,) = await _ids(database, "main")
    mine, other = replace(everything("mine"), has_key=True), replace(everything("other"), has_key=True)
    for owner, text in ((mine, "Mine"), (other, "Private of another")):
        await annotate(database, owner, NewAnnotation(papers=[id], kind=AnnotationKind.NOTE, text=text))

    moving = {"from_collection": "main", "to_collection": "reading", "principal": mine, "move": True}
    (moved,) = (await copy_papers(database, [id], **moving)).papers

    query = AnnotationQuery("reading", [moved.copy_id])
    assert [[one.text for one in await list_annotations(database, who, query)] for who in (mine, other)] == [
        ["Mine"],
        ["Private of another"],
    ]
    assert await _ids(database, "main") == []
    await assert_healthy(database)


async def test_a_note_that_is_written_while_its_paper_is_moved_is_moved_too(
    database: Database, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
):
    await ingest(database, embedder, [CODES])
    (id,) = await _ids(database, "main")
    early = NewAnnotation(papers=[id], kind=AnnotationKind.NOTE, text="Early")
    await annotate(database, everything(), early)

    async def copy_and_annotate(*given: Any, **options: Any) -> None:
        await copy_annotations(*given, **options)
        await annotate(database, everything("other"), replace(early, text="Late"))

    monkeypatch.setattr(papers, "copy_annotations", copy_and_annotate)
    moving = {"from_collection": "main", "to_collection": "reading", "principal": everything(), "move": True}
    (moved,) = (await copy_papers(database, [id], **moving)).papers
    found = await list_annotations(database, everything(), AnnotationQuery("reading", [moved.copy_id]))

    assert sorted((one.kind.value, one.text) for one in found) == [("note", "Early"), ("note", "Late")]
    with pytest.raises(NotFoundError):
        await annotate(database, everything(), early)
    await assert_healthy(database)


async def test_a_paper_stays_where_its_edits_are_unless_the_other_collection_has_them_too(
    database: Database, embedder: Embedder
):
    for name in ("main", "reading"):
        await ingest(database, embedder, [CODES], collection=name)
    (id,), (there,) = await _ids(database, "main"), await _ids(database, "reading")
    moving = {"from_collection": "main", "to_collection": "reading", "principal": everything(), "move": True}
    await edit_paper(database, id, {"comment": "Good"}, collection="main")

    (kept,) = (await copy_papers(database, [id], **moving)).papers
    stayed = await _ids(database, "main")
    await edit_paper(database, there, {"comment": "Good"}, collection="reading")
    (moved,) = (await copy_papers(database, [id], **moving)).papers

    assert (kept.copied, kept.moved, stayed) == (False, False, [id])
    assert (moved.copied, moved.moved, await _ids(database, "main")) == (False, True, [])
    await assert_healthy(database)


async def test_nothing_is_copied_if_a_paper_or_collection_is_refused(database: Database, embedder: Embedder):
    await ingest(database, embedder, [CODES])
    (id,) = await _ids(database, "main")
    before = await graph_checksum(database)

    async def refused(
        names: list[str], source: str = "main", target: str = "reading", *, reached: str | None = None
    ) -> None:
        principal = everything() if reached is None else replace(everything(), collections=frozenset([reached]))
        await copy_papers(database, names, from_collection=source, to_collection=target, principal=principal)

    with pytest.raises(InputError, match="1 to 100"):
        await refused([])
    with pytest.raises(InputError, match="1 to 100"):
        await refused([id] * 101)
    with pytest.raises(InputError, match="already"):
        await refused([id], target="main")
    with pytest.raises(InputError, match="not a collection"):
        await refused([id], target="No")
    with pytest.raises(NotFoundError):
        await refused([id, "10.1000/nothing"])
    with pytest.raises(NotFoundError):
        await refused(["10.1000/182"], source="nowhere")
    with pytest.raises(NotFoundError):
        await refused([id], reached="main")
    with pytest.raises(NotFoundError):
        await refused([id], reached="reading")
    assert (await graph_checksum(database)).same_graph(before)


async def test_a_key_needs_both_collections_over_rest_and_graphql(database: Database, embedder: Embedder):
    await ingest(database, embedder, [CODES])
    (id,) = await _ids(database, "main")
    body = {"ids": [id], "fromCollection": "main", "toCollection": "reading"}
    query = (
        'mutation ($ids: [String!]!) { copyPapers(ids: $ids, fromCollection: "main", toCollection: "reading") '
        "{ ... on CopiedPapers { nCopied papers { copyId copied } } ... on UserError { code } } }"
    )
    application = create_app(Service(database, embedder), ServerLimits(keys_required=True))
    answers = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        for collections in (["main"], ["reading"], ["main", "reading"]):
            _, key = await create_key(
                database, name="k", scopes=[KeyScope.INGEST], collections=collections, expires=timedelta(days=1)
            )
            client.headers["Authorization"] = f"Bearer {key}"
            over_rest = await client.post("/v1/papers/copy", json=body)
            over_graphql = await client.post("/graphql", json={"query": query, "variables": {"ids": [id]}})
            answers.append((over_rest, over_graphql.json()["data"]["copyPapers"]))
    await database.run_alone(FORGET)
    (first, refused), (second, too), (rest, done) = answers

    assert [first.status_code, second.status_code, rest.status_code] == [404, 404, 200]
    assert (refused, too) == ({"code": "NOT_FOUND"}, {"code": "NOT_FOUND"})
    assert rest.json()["papers"][0]["copied"] and rest.json()["papers"][0]["paperId"] == id
    assert done == {"nCopied": 0, "papers": [{"copyId": rest.json()["papers"][0]["copyId"], "copied": False}]}
