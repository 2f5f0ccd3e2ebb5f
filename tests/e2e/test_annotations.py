"""Tags, notes, stars, states and highlights: who sees and changes them, and what becomes of them with their papers."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph import cypher_guard
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import PapergraphError
from papergraph.ingest.doctor import examine
from papergraph.ingest.graph.edits import merge_papers
from papergraph.ingest.ingestor import Ingestor
from papergraph.schema.checksum import graph_checksum
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.cypher import SERVICE
from papergraph.server.operations.service import Service
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.files import write

FORGET = Statement("test/forget", "MATCH (key:ApiKey) DELETE key")
CUT_OFF = Statement("test/cut_off", "MATCH (:Annotation|PrivateAnnotation)-[r]->(:Source) DELETE r")
COUNT = Statement("test/count", "MATCH (one:Annotation|PrivateAnnotation) RETURN count(one) AS n")
TIDES = "# On tides\n\nThe tide rises twice a day. We measure the tide at noon. The tide falls at night.\n"
WAVES = "# On waves\n\nWaves are higher in winter than in summer, as all sailors know.\n"
SHARED = "MATCH (a:Annotation)-[:ANNOTATES]->(:Source)<-[:HAS_SOURCE]-(:Paper) RETURN a.text AS text LIMIT 9"
PRIVATE = "MATCH (a:PrivateAnnotation) RETURN a.text AS text LIMIT 9"
UNSEEN = "MATCH (:Source)<--(a) RETURN a.text AS text LIMIT 9"
MAKE = """mutation ($annotation: NewAnnotationInput!) { annotate(annotation: $annotation) {
  ... on Annotations { annotations { id kind text shared isMine startChar } } ... on UserError { code message field }
} }"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "papers" / "tides.md", TIDES)
    write(tmp_path / "papers" / "waves.md", WAVES)
    return tmp_path / "papers"


@pytest_asyncio.fixture
async def quick(database: Database, embedder: Embedder, folder: Path) -> Embedder:
    model = QuickEmbedder(embedder)
    await Ingestor(database, model).ingest([folder])
    return model


@pytest_asyncio.fixture
async def client(database: Database, quick: Embedder) -> AsyncIterator[httpx.AsyncClient]:
    async with of(database, quick) as client:
        yield client


def of(database: Database, model: Embedder, key: str | None = None) -> httpx.AsyncClient:
    application = create_app(Service(database, model), *([ServerLimits(keys_required=True)] if key else []))
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    transport = httpx.ASGITransport(application)
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


async def papers(client: httpx.AsyncClient) -> list[str]:
    return [one["id"] for one in (await client.get("/v1/papers")).raise_for_status().json()["data"]]


async def listed(client: httpx.AsyncClient, **wanted: Any) -> list[dict[str, Any]]:
    return list((await client.get("/v1/annotations", params=wanted)).raise_for_status().json()["data"])


async def made(client: httpx.AsyncClient, *papers: str, **values: Any) -> list[dict[str, Any]]:
    answer = await client.post("/v1/annotations", json={"papers": papers, **values})
    return list(answer.raise_for_status().json()["data"])


@pytest.mark.writes_by_hand
async def test_the_doctor_finds_annotations_without_a_source(client, database):
    tides, _ = await papers(client)
    await made(client, tides, kind="star")
    await made(client, tides, kind="note", text="Shared.", shared=True)
    await database.run_alone(CUT_OFF)

    report = await examine(database)

    assert [(one.check, one.n) for one in report.findings] == [("annotation_astray", 2)]


async def test_a_reader_keeps_a_library(client, database):
    tides, waves = await papers(client)

    await made(client, tides, waves, kind="tag", text="sea")
    await made(client, tides, kind="tag", text="Sea")  # the same tag
    await made(client, tides, kind="star")
    await made(client, tides, kind="state", text="reading")
    (state,) = await made(client, tides, kind="state", text="read")  # a paper has one state
    (note,) = await made(client, tides, kind="note", text="Check the tables.")
    quote = {"quote": "We  measure the\ntide", "prefix": "twice a day.", "suffix": " at noon", "text": "when?"}
    (mark,) = await made(client, tides, kind="highlight", colour="green", **quote)
    repeated = [
        *await made(client, tides, kind="note", text="Check the tables."),
        *await made(client, tides, kind="highlight", colour="green", **quote),
    ]
    changed = (await client.patch(f"/v1/annotations/{note['id']}", json={"text": "Done."})).json()
    stale = await client.patch(f"/v1/annotations/{note['id']}", json={"text": "?", "seen": note["changedAt"]})
    of_paper = await listed(client, papers=tides)
    tags = (await client.get("/v1/tags")).json()["data"]
    markdown = (await client.get("/v1/annotations/export", params={"paper": tides})).json()["data"][0]["text"]

    assert [(one["kind"], one["text"]) for one in of_paper[:4] if one["kind"] != "highlight"].count(("tag", "Sea")) == 1
    assert sorted(one["kind"] for one in of_paper) == ["highlight", "note", "star", "state", "tag"]
    assert state["text"] == "read" and tags == [{"name": "Sea", "nPapers": 2}]
    assert TIDES[mark["startChar"] :].startswith("We measure the tide") and not mark["isOrphan"]
    assert [one["id"] for one in repeated] == [note["id"], mark["id"]]
    assert changed["text"] == "Done." and changed["changedAt"] > note["changedAt"] and stale.status_code == 409
    assert [one["id"] for one in await listed(client, text="MEASURE")] == [mark["id"]]
    assert [one["kind"] for one in await listed(client, kinds="note", text="done")] == ["note"]
    assert "## On tides\n\nStarred. State: read. Tags: Sea.\n\nDone.\n\n> We measure the tide\n\nwhen?" in markdown
    gone = await client.delete("/v1/annotations", params={"id": [mark["id"], note["id"]]})
    assert gone.status_code == 200 and len(await listed(client, papers=tides)) == 3


async def test_highlights_follow_their_words_and_stay_when_these_are_gone(client, database, quick, folder):
    tides, waves = await papers(client)
    (falls,) = await made(client, tides, kind="highlight", quote="The tide falls", shared=True)
    (measure,) = await made(client, tides, kind="highlight", quote="We measure the tide")
    before = await graph_checksum(database)

    changed = TIDES.replace("The tide rises", "On most coasts the tide rises").replace("measure", "see")
    write(folder / "tides.md", changed)
    await Ingestor(database, quick).ingest([folder])
    by_id = {one["id"]: one for one in await listed(client, papers=tides)}
    merged = await merge_papers(database, tides, waves, collection="main")
    after_merge = {one["id"] for one in await listed(client, papers=merged)}
    (tagged,) = await made(client, merged, kind="tag", text="sea")
    write(folder / "tides.md", TIDES)
    await Ingestor(database, quick).ingest([folder])

    assert by_id[falls["id"]]["startChar"] > falls["startChar"] and not by_id[falls["id"]]["isOrphan"]
    assert by_id[measure["id"]]["isOrphan"] and by_id[measure["id"]]["quote"] == "We measure the tide"
    assert after_merge == by_id.keys()
    (paper,) = await papers(client)
    assert {one["id"] for one in await listed(client, papers=paper)} == {*by_id, tagged["id"]}
    assert (await graph_checksum(database)).sha256 != before.sha256
    await client.delete(f"/v1/papers/{paper}")
    assert (await database.read(COUNT))[0]["n"] == 0


async def test_private_ones_are_seen_and_changed_by_their_owner_only(database, quick):
    ask = [KeyScope.READ, KeyScope.ASK]
    named = {"Ada": ask, "Bob": ask, "root": [KeyScope.ADMIN], "guest": [KeyScope.READ]}
    ada, bob, admin, reader = [
        (await create_key(database, name=name, scopes=scopes))[1] for name, scopes in named.items()
    ]
    try:
        async with of(database, quick, ada) as at_ada, of(database, quick, bob) as at_bob:
            tides, _ = await papers(at_ada)
            (private,) = await made(at_ada, tides, kind="note", text="secret")
            (shared,) = await made(at_ada, tides, kind="note", text="open", shared=True)
            at_bobs = await listed(at_bob)
            refused = await at_bob.patch(f"/v1/annotations/{shared['id']}", json={"text": "mine"})
            hidden = await at_bob.delete("/v1/annotations", params={"id": private["id"]})
        reading = await cypher_guard.checked(database, SHARED, {}, name="test", fence=SERVICE)
        rows = await database.read(reading)
        for query in (PRIVATE, UNSEEN):
            with pytest.raises(PapergraphError, match=r"PrivateAnnotation|types to relationships"):
                await cypher_guard.checked(database, query, {}, name="test", fence=SERVICE)
        async with of(database, quick, admin) as at_admin, of(database, quick, reader) as at_reader:
            seen = await listed(at_admin)
            deleted = await at_admin.delete("/v1/annotations", params={"id": [shared["id"]]})
            read_only = await at_reader.post("/v1/annotations", json={"papers": [tides], "kind": "star"})
    finally:
        await database.run_alone(FORGET)

    assert [(one["text"], one["author"], one["isMine"], one["canChange"]) for one in at_bobs] == [
        ("open", "Ada", False, False)
    ]
    assert (refused.status_code, hidden.status_code, read_only.status_code) == (403, 404, 403)
    assert [row["text"] for row in rows] == ["open"]
    assert [(one["text"], one["isMine"], one["canChange"]) for one in seen] == [("open", False, True)]
    assert deleted.status_code == 200


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"kind": "tag", "text": " , "}, "text"),
        ({"kind": "note"}, "text"),
        ({"kind": "state", "text": "skimmed"}, "text"),
        ({"kind": "highlight"}, "quote"),
        ({"kind": "highlight", "quote": "no such words"}, "quote"),
        ({"kind": "highlight", "quote": "tide", "boxes": [[0, 0, 0, 1, 1]]}, "boxes"),
        ({"kind": "star", "papers": ["0" * 64]}, "papers"),
    ],
)
async def test_what_cannot_be_kept_is_told_on_both_interfaces(client, values: dict, field: str):
    tides, _ = await papers(client)
    wanted = {"papers": [tides], **values}

    over_rest = await client.post("/v1/annotations", json=wanted)
    given = {**wanted, "kind": wanted["kind"].upper()}
    over_graphql = (await client.post("/graphql", json={"query": MAKE, "variables": {"annotation": given}})).json()

    assert over_rest.status_code in (400, 404) and over_rest.json()["errors"][0]["field"] == field
    assert over_graphql["data"]["annotate"]["field"] == field
    assert await listed(client) == []


async def test_filters_see_the_annotations_of_the_caller(database, quick, client):
    tides, waves = await papers(client)
    mine, theirs = [
        (await create_key(database, name=name, scopes=[KeyScope.ASK, KeyScope.READ]))[1] for name in ("me", "other")
    ]
    async with of(database, quick, mine) as me, of(database, quick, theirs) as other:
        await made(me, waves, kind="tag", text="Sea")
        await made(me, waves, kind="state", text="to-read")
        await made(me, tides, kind="star")
        await made(me, tides, kind="highlight", quote="The tide falls at night")
        await made(me, tides, kind="note", text="Read.", shared=True)

        async def found(reader: httpx.AsyncClient, **filter: Any) -> list[str]:
            listed = await reader.get("/v1/papers", params={"filter": json.dumps(filter)})
            searched = await reader.post("/v1/search", json={"query": "tide", "filter": filter})
            hits = {hit["paper"]["id"] for hit in searched.raise_for_status().json()["hits"]}
            ids = [one["id"] for one in listed.raise_for_status().json()["data"]]
            assert hits == set(ids)
            return ids

        assert await found(me, tags=["sea"]) == [waves]
        assert await found(me, states=["to-read", "read"]) == [waves]
        assert await found(me, marked=["star"]) == await found(me, marked=["highlight"]) == [tides]
        assert await found(me, any=[{"marked": ["highlight", "note"]}, {"tags": ["sea"]}]) == [tides, waves]
        assert await found(me, **{"not": {"marked": ["star"]}}) == [waves]
        assert await found(other, tags=["sea"]) == await found(other, marked=["star", "highlight"]) == []
        assert await found(other, marked=["note"]) == [tides]
        wrong = await me.post("/v1/search", json={"query": "tide", "filter": {"marked": ["stars"]}})
        assert "did you mean star?" in wrong.text
        asked = await me.post(
            "/v1/ask", json={"question": "When does the tide fall?", "filter": {"marked": ["highlight"]}}
        )
        assert "at night" in asked.text
    await database.run_alone(FORGET)
