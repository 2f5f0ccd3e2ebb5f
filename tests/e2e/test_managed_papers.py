"""Papers edited and exported, and authors merged, split and taken apart again, over GraphQL and REST."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.ingestor import Ingestor
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.service import Service
from tests.support.embedders import QuickEmbedder
from tests.support.files import write

PROBLEM = "... on UserError { code field }"
EDIT = f"""mutation ($id: ID!, $fields: PaperFieldsInput, $clear: [String!]! = [], $undo: [String!]! = []) {{
  editPaper(id: $id, fields: $fields, clear: $clear, undo: $undo) {{
    ... on EditedPaper {{ paperId fields {{ name values provider source }} }} {PROBLEM}
  }}
}}"""
EXPORT = """query ($ids: [ID!]!, $format: ExportFormat!) {
  exportPapers(ids: $ids, format: $format) { format nPapers files { name text } }
}"""
AUTHOR = f"... on DecidedAuthor {{ authorId name key aliases paperIds }} {PROBLEM}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers of one person with two spellings."""
    for name, author in (("tides", "D. Bates"), ("waves", "Douglas Bates")):
        text = (
            f"---\ntitle: On {name}\nauthors: [{author}]\nyear: 2014\n---\n\n# On {name}\n\nWe measure {name} daily.\n"
        )
        write(tmp_path / "papers" / f"{name}.md", text)
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


def of(database: Database, model: Embedder, limits: ServerLimits | None = None) -> httpx.AsyncClient:
    application = create_app(Service(database, model), *filter(None, (limits,)))
    return httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost")


async def papers(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return list((await client.get("/v1/papers")).raise_for_status().json()["data"])


async def graphql(client: httpx.AsyncClient, query: str, **variables: object) -> dict[str, Any]:
    return dict((await client.post("/graphql", json={"query": query, "variables": variables})).json())


async def test_an_edit_wins_survives_a_new_ingestion_and_is_taken_back(client, database, quick, folder):
    tides, _ = await papers(client)

    edited = (await client.patch(f"/v1/papers/{tides['id']}", json={"fields": {"year": 2015}})).json()
    write(folder / "tides.md", (folder / "tides.md").read_text() + "\nThey rise.\n")
    await Ingestor(database, quick).ingest([folder])
    after = (await papers(client))[0]
    fields = (await client.get(f"/v1/papers/{after['id']}/fields")).json()["data"]
    undone = (await graphql(client, EDIT, id=after["id"], undo=["year"]))["data"]["editPaper"]

    stated = {"name": "year", "values": ["2015"], "provider": "person", "source": ""}
    assert edited == {"paperId": tides["id"], "fields": [stated]}
    assert after["year"] == 2015 and stated in fields
    assert {one["source"] for one in fields} == {"", "tides.md"}
    assert undone["fields"] == [{"name": "year", "values": ["2014"], "provider": "DOCUMENT", "source": "tides.md"}]
    assert (await papers(client))[0]["year"] == 2014


async def test_a_field_is_emptied_and_a_doi_keeps_the_paper(client):
    tides, _ = await papers(client)

    emptied = (await graphql(client, EDIT, id=tides["id"], clear=["year"]))["data"]["editPaper"]
    identified = (await graphql(client, EDIT, id=emptied["paperId"], fields={"doi": "10.1000/182"}))["data"][
        "editPaper"
    ]
    now = (await client.get(f"/v1/papers/{identified['paperId']}")).json()

    assert emptied["fields"] == [{"name": "year", "values": [], "provider": "PERSON", "source": ""}]
    assert (now["title"], now["year"], now["doi"]) == ("On tides", None, "10.1000/182")
    assert len(await papers(client)) == 2


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        ({}, "fields"),
        ({"fields": {"year": 99}}, "year"),
        ({"fields": {"doi": "none"}}, "doi"),
        ({"clear": ["chunks"]}, "fields"),
        ({"fields": {"year": 2015}, "clear": ["year"]}, "fields"),
    ],
    ids=["nothing", "no year", "no doi", "no field", "twice"],
)
async def test_an_edit_that_cannot_be_is_told_on_both_interfaces(client, edit: dict, field: str):
    tides, _ = await papers(client)

    over_graphql = (await graphql(client, EDIT, id=tides["id"], **edit))["data"]["editPaper"]
    over_rest = await client.patch(f"/v1/papers/{tides['id']}", json=edit)

    assert over_graphql == {"code": "BAD_USER_INPUT", "field": field}
    assert (over_rest.status_code, over_rest.json()["errors"][0]["field"]) == (400, field)


@pytest.mark.parametrize(
    ("format", "name", "words"),
    [
        ("bibtex", "papers.bib", "author = {Bates, D.}"),
        ("csl-json", "papers.json", '"family": "Bates"'),
        ("ris", "papers.ris", "AU  - Bates, D."),
        ("md", "bates2014tides.md", "We measure tides daily."),
    ],
)
async def test_papers_are_exported_alike_on_both_interfaces(client, format: str, name: str, words: str):
    ids = [one["id"] for one in await papers(client)]
    enum = {"md": "MARKDOWN"}.get(format, format.upper().replace("-", "_"))

    over_rest = (await client.get("/v1/papers/export", params={"id": ids, "format": format})).raise_for_status().json()
    over_graphql = (await graphql(client, EXPORT, ids=ids, format=enum))["data"]["exportPapers"]

    assert over_rest == over_graphql
    assert (over_rest["format"], over_rest["nPapers"], len(over_rest["files"])) == (format, 2, 1 + (format == "md"))
    assert over_rest["files"][0]["name"] == name and words in over_rest["files"][0]["text"]


async def test_too_many_texts_and_unknown_papers_are_no_export(client):
    ids = [one["id"] for one in await papers(client)]

    unknown = await client.get("/v1/papers/export", params={"id": [*ids, "0" * 64]})
    too_many = await client.get("/v1/papers/export", params={"id": [f"{n:064}" for n in range(21)], "format": "md"})

    assert (unknown.status_code, unknown.json()["code"]) == (404, "NOT_FOUND")
    assert (too_many.status_code, too_many.json()["code"]) == (400, "BAD_USER_INPUT")


async def test_authors_are_merged_split_and_as_they_were(client):
    tides, waves = await papers(client)
    first, second = tides["authors"][0]["id"], waves["authors"][0]["id"]

    merged = (await client.post(f"/v1/authors/{first}/merge", json={"into": second})).raise_for_status().json()
    again = await client.post(f"/v1/authors/{second}/merge", json={"into": second})
    split = f'mutation {{ splitAuthor(id: "{second}", papers: ["{tides["id"]}"]) {{ {AUTHOR} }} }}'
    parted = (await graphql(client, split))["data"]["splitAuthor"]
    one, other = await papers(client)
    undone = (await client.post(f"/v1/authors/{parted['authorId']}/undo")).raise_for_status().json()
    back = (await client.post(f"/v1/authors/{second}/undo")).raise_for_status().json()

    assert (merged["authorId"], merged["paperIds"]) == (second, [tides["id"], waves["id"]])
    assert (again.status_code, again.json()["errors"][0]["field"]) == (400, "author")
    assert parted["paperIds"] == [tides["id"]] and parted["authorId"] not in (first, second)
    assert [one["authors"][0]["id"], other["authors"][0]["id"]] == [parted["authorId"], second]
    assert undone["nUndone"] > 0 and back == {"authorId": second, "nUndone": 1}
    assert [paper["authors"][0]["id"] for paper in await papers(client)] == [first, second]


async def test_a_key_for_another_collection_changes_and_reads_nothing(client, database, quick):
    tides, waves = await papers(client)
    author = tides["authors"][0]["id"]
    scopes = [KeyScope.INGEST, KeyScope.READ]
    _, key = await create_key(database, name="e", scopes=scopes, collections=["elsewhere"], expires=timedelta(days=1))
    headers = {"Authorization": f"Bearer {key}"}

    async with of(database, quick, ServerLimits(keys_required=True)) as locked:
        locked.headers.update(headers)
        answers = [
            await locked.patch(f"/v1/papers/{tides['id']}", json={"fields": {"year": 1}}),
            await locked.get(f"/v1/papers/{tides['id']}/fields"),
            await locked.get("/v1/papers/export", params={"id": tides["id"]}),
            await locked.post(f"/v1/authors/{author}/merge", json={"into": waves["authors"][0]["id"]}),
            await locked.post(f"/v1/authors/{author}/split", json={"papers": [tides["id"]]}),
            await locked.post(f"/v1/authors/{author}/undo"),
        ]

    assert [(one.status_code, one.json()["code"]) for one in answers] == [(404, "NOT_FOUND")] * 6


async def test_papers_are_merged_split_and_told_apart_over_rest_and_graphql(client):
    one, other = [paper["id"] for paper in await papers(client)]
    decided = f"... on DecidedPaper {{ paperId sources nUndone }} {PROBLEM}"
    merge = f"mutation ($id: ID!, $other: ID!) {{ mergePapers(id: $id, other: $other) {{ {decided} }} }}"
    split = f"mutation ($id: ID!, $sources: [String!]!) {{ splitPaper(id: $id, sources: $sources) {{ {decided} }} }}"

    merged = (await client.post(f"/v1/papers/{one}/merge", json={"other": other})).json()
    assert sorted(merged["sources"]) == ["tides.md", "waves.md"]
    assert [paper["id"] for paper in await papers(client)] == [merged["paperId"]]
    parted = (await graphql(client, split, id=merged["paperId"], sources=["tides.md"]))["data"]["splitPaper"]
    assert parted["sources"] == ["tides.md"]
    assert {paper["id"] for paper in await papers(client)} == {one, other}
    merged = (await graphql(client, merge, id=one, other=other))["data"]["mergePapers"]
    undone = (await client.post(f"/v1/papers/{merged['paperId']}/undo")).json()
    assert undone["nUndone"] == 1 and len(await papers(client)) == 2

    for id in (one, other):
        (await client.patch(f"/v1/papers/{id}", json={"fields": {"title": "On tides and waves of May"}})).json()
    listed = {"collection": "main"}
    (pair,) = (await client.get("/v1/papers/pairs", params=listed)).json()["data"]
    assert pair["common"] == "title" and {paper["paperId"] for paper in pair["papers"]} == {one, other}
    for undo, left in ((False, 0), (True, 1)):
        (await client.post(f"/v1/papers/{one}/different", json={"other": other, "undo": undo})).raise_for_status()
        assert len((await client.get("/v1/papers/pairs", params=listed)).json()["data"]) == left
    refused = await client.get(f"/v1/papers/{one}/corrections")
    assert refused.status_code >= 400, "a service without ingestion asks nobody"
