"""What pages of a web interface read beside searches: the caller, the server, suggestions and highlights."""

from typing import Any

import httpx
import pytest

from papergraph import __version__
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.statement import Statement
from server.answers.highlights import index_term, index_terms
from server.graph.suggestions import suggest
from server.retrieval.lucene import fulltext_query

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

    async def test_rest_has_them_where_they_are_included(self, app: httpx.AsyncClient):
        body = {"query": "physical qubits of a patch", "pipeline": "fulltext", "include": ["highlights"]}
        marked = (await app.post("/v1/search", json=body)).json()["hits"]
        plain = (await app.post("/v1/search", json=body | {"include": []})).json()["hits"]

        assert {one["kind"] for one in marked[0]["highlights"]} == {"term", "best_sentence"}
        assert plain[0]["highlights"] is None

    @pytest.mark.parametrize("word", WORDS.split())
    async def test_a_word_is_marked_where_the_index_finds_it(self, library: Database, word: str):
        (all_of,) = await library.read(TEXTS)
        asked = fulltext_query(word, collection="main", kinds=["body", "abstract"])
        (found,) = await library.read(FOUND, asked=asked)

        marked = {text for text in all_of["texts"] if index_term(word) in {term for _, _, term in index_terms(text)}}
        assert marked <= set(found["texts"])
        assert {text for text in found["texts"] if word in text.lower()} <= marked
