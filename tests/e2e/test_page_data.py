"""What pages of a web interface read beside searches: the caller, the server, suggestions and highlights."""

import json
from typing import Any

import httpx
import pytest

from papergraph import __version__
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import NotFoundError
from papergraph.server.answers.quotes import Highlighter, index_term, index_terms
from papergraph.server.graph.neighbourhood import neighbourhood
from papergraph.server.graph.suggestions import suggest
from papergraph.server.retrieval.lucene import fulltext_query
from papergraph.server.retrieval.scope import Collections
from papergraph.server.retrieval.word_counts import word_counts
from papergraph.statement import Statement, observed
from tests.support.library import MANY

WORDS = "annealing annealers generalizations possibly qubits neighbours similarity analogy relational caresses 1990s"
FOUND = Statement(
    "test/found",
    "CYPHER 25 MATCH (chunk:Chunk) SEARCH chunk IN (FULLTEXT INDEX chunk_text FOR $asked LIMIT 500) "
    "RETURN collect(chunk.text) AS texts",
)
TEXTS = Statement(
    "test/texts",
    "MATCH (chunk:Chunk {collection: 'main'}) WHERE chunk.kind IN ['body', 'abstract'] "
    "RETURN collect(chunk.text) AS texts",
)


async def data(client: httpx.AsyncClient, query: str, **variables: Any) -> dict[str, Any]:
    response = await client.post("/graphql", json={"query": query, "variables": variables})
    answer: dict[str, Any] = response.json()
    assert "errors" not in answer, answer
    found: dict[str, Any] = answer["data"]
    return found


class TestViewer:
    async def test_this_machine_may_do_everything(self, app: httpx.AsyncClient):
        found = await data(app, "{ viewer { name scopes collections expiresAt isLocal limits { name left } } }")

        everything = ["READ", "ASK", "INGEST", "CYPHER", "ADMIN"]
        assert found["viewer"] == {
            "name": "", "scopes": everything, "collections": None, "expiresAt": None, "isLocal": True, "limits": [],
        }  # fmt: skip
        assert (await app.get("/v1/viewer")).json()["scopes"] == [scope.lower() for scope in everything]

    async def test_the_server_tells_what_it_lacks(self, app: httpx.AsyncClient, embedder: Embedder):
        found = await data(
            app, "{ server { version languageModel reranker embeddingModel uploads { maxBytes } hasCypher } }"
        )

        assert found["server"] == {
            "version": __version__, "languageModel": None, "reranker": None, "embeddingModel": embedder.card.name,
            "uploads": None, "hasCypher": False,
        }  # fmt: skip
        assert (await app.get("/v1/server")).json()["embeddingModel"] == embedder.card.name


class TestSuggestions:
    async def test_papers_and_authors_are_found_by_beginnings_of_words(self, library: Database):
        (paper, *_) = await suggest(library, "surface co", collection="main")
        (author, *_) = await suggest(library, "writer 3", collection="many")

        assert (paper.label, paper.text, paper.start, paper.end) == (
            "Paper", "Surface Codes and Their Logical Error Rates", 0, 10,
        )  # fmt: skip
        assert (author.label, author.text) == ("Author", "Writer 3")

    @pytest.mark.parametrize("n", range(1, len("annealing") + 1))
    async def test_each_beginning_of_a_word_is_found(self, library: Database, n: int):
        found = await suggest(library, "annealing"[:n], collection="main", first=20)

        assert any("Annealing" in one.text[one.start :] for one in found), found

    async def test_what_cannot_be_words_of_a_query_is_no_syntax(self, library: Database):
        for text in ('")) OR *:*', "title:(", "~", "", "the", "a" * 200):
            assert all(one.text for one in await suggest(library, text, collection="main"))

    async def test_other_collections_are_not_suggested_from(self, library: Database):
        assert await suggest(library, "surface", collection="many") == []
        assert await suggest(library, "surface", collection="main", collections=("many",)) == []

    async def test_both_interfaces_suggest_the_same(self, app: httpx.AsyncClient):
        found = await data(app, '{ suggest(text: "surface", first: 3) { nodeId label text start end } }')
        rest = await app.get("/v1/suggestions", params={"text": "surface", "first": 3})

        assert [one["text"] for one in found["suggest"]] == [one["text"] for one in rest.json()["data"]]
        assert rest.json()["data"][0]["nodeId"] == found["suggest"][0]["nodeId"]


async def test_a_list_is_not_read_for_its_length_alone(app: httpx.AsyncClient):
    asked = "{ papers(first: 5) { nodes { chunks { totalCount %s } authors { papers { totalCount } } } } }"
    with observed() as lengths:
        shorter = await data(app, asked % "")
    with observed() as entries:
        longer = await data(app, asked % "... on ChunkConnection { pageInfo { hasNextPage } }")

    assert "papers/chunks" not in {call.file for call in lengths}
    assert "papers/chunks" in {call.file for call in entries}
    counted = [[paper["chunks"]["totalCount"] for paper in one["papers"]["nodes"]] for one in (shorter, longer)]
    assert counted[0] == counted[1] and min(counted[0]) > 0


class TestHighlights:
    QUERY = """query ($q: String!) { search(input: {query: $q, pipeline: "fulltext"}) {
        hits { passage highlights { start end kind } } } }"""

    async def test_hits_of_words_have_marked_words_in_their_best_sentence(self, app: httpx.AsyncClient):
        found = await data(app, self.QUERY, q="physical qubits of a patch")
        best = found["search"]["hits"][0]
        spans = [(one["kind"], best["passage"][one["start"] : one["end"]]) for one in best["highlights"]]

        assert ("TERM", "qubits") in spans
        (sentence,) = [text for kind, text in spans if kind == "BEST_SENTENCE"]
        assert "qubits" in sentence

    async def test_words_are_counted_once(self, app: httpx.AsyncClient, library: Database):
        word_counts(library).forget()
        with observed() as calls:
            await data(app, self.QUERY, q="physical qubits of a patch")

        assert [call.file for call in calls].count("retrieval/chunks_with_words") == 1

    async def test_they_begin_before_the_search_where_they_are_asked_for(
        self, app: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
    ):
        begun: list[Collections] = []
        monkeypatch.setattr(Highlighter, "begin", lambda highlighter, collections: begun.append(collections))
        body = {"query": "physical qubits", "pipeline": "fulltext", "collections": ["main", "many"]}

        await data(app, self.QUERY, q="physical qubits of a patch")
        await data(app, '{ search(input: {query: "qubits", pipeline: "fulltext"}) { hits { passage } } }')
        await app.post("/v1/search", json=body | {"include": ["highlights"]})
        await app.post("/v1/search", json=body)

        assert begun == [("main",), ("main", "many")]

    async def test_rest_has_them_where_they_are_included(self, app: httpx.AsyncClient):
        body = {"query": "physical qubits of a patch", "pipeline": "fulltext", "include": ["highlights"]}
        marked = (await app.post("/v1/search", json=body)).json()["hits"]
        plain = (await app.post("/v1/search", json=body | {"include": []})).json()["hits"]

        assert {one["kind"] for one in marked[0]["highlights"]} == {"term", "best_sentence"}
        assert plain[0]["highlights"] is None

    @pytest.mark.parametrize("word", WORDS.split())
    async def test_a_word_is_marked_where_the_index_finds_it(self, library: Database, word: str):
        (all_of,) = await library.read(TEXTS)
        asked = fulltext_query(word, collections=["main"], kinds=["body", "abstract"])
        (found,) = await library.read(FOUND, asked=asked)

        marked = {text for text in all_of["texts"] if index_term(word) in {term for _, _, term in index_terms(text)}}
        assert marked <= set(found["texts"])
        assert {text for text in found["texts"] if word in text.lower()} <= marked


class TestLists:
    async def test_papers_pass_a_filter_have_words_and_stand_in_an_order(self, app: httpx.AsyncClient):
        found = await data(
            app,
            '{ papers(collection: "many", filter: {authors: ["Writer 3"]}, text: "paper", sort: INGESTED, first: 100)'
            " { totalCount nodes { title ingestedAt authors { name } } } }",
        )

        papers = found["papers"]["nodes"]
        assert len(papers) == found["papers"]["totalCount"] == len(range(3, MANY, 7))
        assert all("Writer 3" in {author["name"] for author in paper["authors"]} for paper in papers)
        assert [paper["ingestedAt"] for paper in papers] == sorted((p["ingestedAt"] for p in papers), reverse=True)

    @pytest.mark.parametrize("sort", ["title", "year", "ingested", "cited"])
    async def test_pages_of_each_order_hold_every_paper_once(self, app: httpx.AsyncClient, sort: str):
        seen: list[str] = []
        after: str | None = None
        while True:
            asked = {"collection": "many", "sort": sort, "first": 40, "text": "PAPER"} | (
                {"after": after} if after else {}
            )
            page = (await app.get("/v1/papers", params=asked)).json()
            seen += [paper["id"] for paper in page["data"]]
            after = page["next"]
            if after is None:
                break

        assert len(seen) == len(set(seen)) == MANY

    async def test_a_cursor_is_of_no_use_in_another_order(self, app: httpx.AsyncClient):
        page = (await app.get("/v1/papers", params={"collection": "many", "first": 1, "sort": "year"})).json()
        other = await app.get("/v1/papers", params={"collection": "many", "first": 1, "after": page["next"]})

        assert (other.status_code, other.json()["code"]) == (400, "BAD_USER_INPUT")

    async def test_facets_count_the_papers_that_pass(self, app: httpx.AsyncClient):
        asked: dict[str, Any] = {"collection": "many", "facet": ["author", "format", "year"]}
        facets = {
            one["facet"]: one["values"] for one in (await app.get("/v1/papers/facets", params=asked)).json()["data"]
        }
        one = json.dumps({"authors": ["Writer 3"]})
        narrow = (await app.get("/v1/papers/facets", params=asked | {"facet": "author", "filter": one})).json()["data"]

        assert facets["format"] == [{"value": "markdown", "nodeId": None, "n": MANY}]
        assert {value["value"]: value["n"] for value in facets["author"]}["Writer 3"] == len(range(3, MANY, 7))
        assert facets["year"] == []
        assert narrow[0]["values"][0]["value"] == "Writer 3"

    @pytest.mark.parametrize("filter", ["[", "[]", '{"kinds": ["table"]}', '{"nothing": 1}'])
    async def test_a_filter_that_no_list_of_papers_takes_is_refused(self, app: httpx.AsyncClient, filter: str):
        refused = await app.get("/v1/papers", params={"filter": filter})

        assert (refused.status_code, refused.json()["code"]) == (400, "BAD_USER_INPUT")


class TestNeighbourhood:
    QUERY = """query ($ids: [ID!]!, $perType: Int!) { neighbourhood(ids: $ids, perType: $perType) {
        truncated links { fromId toId type }
        nodes { nodeId label name degree more { type n } } } }"""

    async def test_nodes_have_names_and_counts_of_what_is_left_out(self, app: httpx.AsyncClient):
        paper = (await data(app, "{ papers(first: 1) { nodes { id title sections { totalCount } } } }"))["papers"][
            "nodes"
        ][0]
        found = (await data(app, self.QUERY, ids=[paper["id"]], perType=1))["neighbourhood"]
        asked, *others = found["nodes"]

        assert (asked["nodeId"], asked["label"], asked["name"]) == (paper["id"], "Paper", paper["title"])
        assert {"type": "HAS_SECTION", "n": paper["sections"]["totalCount"] - 1} in asked["more"]
        assert found["truncated"] is True
        assert {one["toId"] for one in found["links"] if one["type"] == "HAS_SECTION"} <= {
            one["nodeId"] for one in others
        }
        assert all(paper["id"] in (one["fromId"], one["toId"]) for one in found["links"])

    async def test_both_interfaces_draw_the_same(self, app: httpx.AsyncClient):
        paper = (await data(app, "{ papers(first: 1) { nodes { id } } }"))["papers"]["nodes"][0]["id"]
        found = (await data(app, self.QUERY, ids=[paper], perType=5))["neighbourhood"]
        rest = (await app.get("/v1/neighbourhood", params={"id": paper, "perType": 5})).json()

        assert [one["nodeId"] for one in rest["nodes"]] == [one["nodeId"] for one in found["nodes"]]

    async def test_other_collections_are_not_drawn(self, library: Database, app: httpx.AsyncClient):
        paper = (await data(app, "{ papers(first: 1) { nodes { id } } }"))["papers"]["nodes"][0]["id"]

        with pytest.raises(NotFoundError, match=paper):
            await neighbourhood(library, [paper], collections=("many",))

    async def test_an_unknown_node_is_not_found_in_any_interface(self, app: httpx.AsyncClient):
        paper = (await data(app, "{ papers(first: 1) { nodes { id } } }"))["papers"]["nodes"][0]["id"]
        asked = {"query": self.QUERY, "variables": {"ids": ["0" * 64], "perType": 5}}
        response = await app.post("/graphql", json=asked)
        rest = await app.get("/v1/neighbourhood", params={"id": "0" * 64})

        (error,) = response.json()["errors"]
        assert response.json()["data"] == {"neighbourhood": None}
        assert (error["extensions"]["code"], error["extensions"]["field"]) == ("NOT_FOUND", "ids")
        assert (rest.status_code, rest.json()["code"]) == (404, "NOT_FOUND")
        found = (await data(app, self.QUERY, ids=["0" * 64, paper], perType=5))["neighbourhood"]
        assert found["nodes"][0]["nodeId"] == paper

    async def test_too_many_nodes_are_refused(self, app: httpx.AsyncClient):
        response = await app.post("/graphql", json={"query": self.QUERY, "variables": {"ids": [], "perType": 5}})

        assert response.json()["errors"][0]["extensions"]["field"] == "ids"


class TestRegions:
    QUERY = """{ search(input: {query: "qubits", k: 1, pipeline: "fulltext"}) {
        hits { chunk { id regions { page } } } } }"""

    async def test_a_text_without_pages_has_none(self, app: httpx.AsyncClient):
        chunk = (await data(app, self.QUERY))["search"]["hits"][0]["chunk"]

        assert chunk["regions"] == []
        assert (await app.get(f"/v1/chunks/{chunk['id']}/regions")).json()["data"] == []
        beyond = await app.get(f"/v1/chunks/{chunk['id']}/regions", params={"start": 5, "end": 2})
        assert (beyond.status_code, beyond.json()["code"]) == (400, "BAD_USER_INPUT")
