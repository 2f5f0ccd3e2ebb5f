"""Stored answers: read again by their id on GraphQL and REST, rated, deleted, kept within collections and a limit."""

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.server.answers import stored
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from tests.support.servers import RunningServer, served

QUESTION = "How many physical qubits does a distance-7 patch need?"
ASK = """query ($store: Boolean!, $question: String!) {
  ask(input: {question: $question, store: $store}) {
    ... on Answered { id question answerability }
    ... on Answer { text citations { quote chunkId start end } }
    ... on Refusal { message nearestEvidence { hit { chunk { id } } } }
  }
}"""
STORED = """query ($id: ID!) {
  storedAnswer(id: $id) {
    id collection asked question text message answerability isMine
    citations { quote chunkId start end chunk { text } }
    sources { chunkId chunk { id } }
    ratings { verdict comment isMine }
  }
}"""
RATE = """mutation ($id: ID!, $verdict: AnswerVerdict!, $comment: String! = "") {
  rateAnswer(id: $id, verdict: $verdict, comment: $comment) {
    __typename
    ... on StoredAnswer { ratings { verdict comment isMine } }
    ... on UserError { code field }
  }
}"""
DELETE = "mutation ($id: ID!) { deleteAnswer(id: $id) { __typename ... on UserError { code } } }"


def asked(server: RunningServer, question: str = QUESTION, *, store: bool = True) -> dict:
    return server.ask(ASK, question=question, store=store)["ask"]


def test_a_stored_answer_is_read_again_as_it_was_given(server, library):
    given = asked(server)
    found = server.ask(STORED, id=given["id"])["storedAnswer"]
    over_rest = server.client.get(f"/v1/answers/{given['id']}").raise_for_status().json()

    assert found["asked"] == QUESTION
    assert found["collection"] == "main"
    assert (found["text"], found["question"], found["answerability"]) == (
        given["text"],
        given["question"],
        pytest.approx(given["answerability"]),
    )
    quotes = [{key: one[key] for key in ("quote", "chunkId", "start", "end")} for one in found["citations"]]
    assert quotes == given["citations"]
    assert all(one["chunk"]["text"][one["start"] : one["end"]] == one["quote"] for one in found["citations"])
    assert found["sources"] and all(one["chunk"]["id"] == one["chunkId"] for one in found["sources"])
    assert found["isMine"]
    assert (over_rest["text"], len(over_rest["citations"])) == (given["text"], len(given["citations"]))
    listed = server.client.get("/v1/stored-answers").raise_for_status().json()["data"][0]
    assert (listed["id"], listed["nLost"], listed["isRefusal"], listed["statuses"]) == (given["id"], 0, False, [])
    assert listed["nQuotes"] == len({one["quote"] for one in given["citations"]})


def test_a_refusal_is_stored_too(server, library):
    given = asked(server, "Which football team won the cup in 1974?")
    found = server.ask(STORED, id=given["id"])["storedAnswer"]
    assert (found["text"], found["message"], found["citations"]) == (None, given["message"], [])
    nearest = [one["hit"]["chunk"]["id"] for one in given["nearestEvidence"]]
    assert [one["chunkId"] for one in found["sources"]] == nearest != []


def test_a_stored_answer_of_the_graph_has_its_query_and_rows(server, library):
    id = asked(server, "How many papers are there?")["id"]
    found = server.ask("query ($id: ID!) { storedAnswer(id: $id) { namedQuery { query columns rows } } }", id=id)
    over_rest = server.client.get(f"/v1/answers/{id}").raise_for_status().json()

    named = found["storedAnswer"]["namedQuery"]
    assert (named["query"], len(named["rows"])) == ("count_papers", 1)
    assert over_rest["namedQuery"]["rows"] == named["rows"]


def test_nothing_is_stored_unless_it_is_asked_for(server, library):
    given = asked(server, store=False)
    assert server.error(STORED, id=given["id"])["extensions"]["code"] == "NOT_FOUND"
    assert server.client.get(f"/v1/answers/{given['id']}").status_code == 404
    assert server.ask(RATE, id=given["id"], verdict="UP")["rateAnswer"]["code"] == "NOT_FOUND"


def test_the_last_rating_of_a_reader_counts(server, library):
    id = asked(server)["id"]
    first = server.ask(RATE, id=id, verdict="DOWN", comment="too long")["rateAnswer"]
    assert first["ratings"] == [{"verdict": "DOWN", "comment": "too long", "isMine": True}]
    body = {"verdict": "up", "comment": " it names both kinds of qubits "}
    response = server.client.put(f"/v1/answers/{id}/rating", json=body).raise_for_status()
    assert [(one["verdict"], one["comment"]) for one in response.json()["ratings"]] == [
        ("up", "it names both kinds of qubits")
    ]
    refused = server.ask(RATE, id=id, verdict="UP", comment="x" * 1001)["rateAnswer"]
    assert (refused["code"], refused["field"]) == ("BAD_USER_INPUT", "comment")


def test_a_deleted_answer_is_gone_with_its_ratings(server, library):
    id = asked(server)["id"]
    server.ask(RATE, id=id, verdict="UP")
    assert server.ask(DELETE, id=id)["deleteAnswer"] == {"__typename": "DeletedAnswer"}
    assert server.error(STORED, id=id)["extensions"]["code"] == "NOT_FOUND"
    assert server.client.delete(f"/v1/answers/{id}").status_code == 404
    left = server.papergraph("cypher", f"MATCH (n) WHERE n.id STARTS WITH '{id}' RETURN count(n) AS n", "--json")
    assert '"n": 0' in left.stdout or "0" in left.stdout, left.stderr


@pytest.mark.slow
async def test_the_oldest_of_an_asker_goes_beyond_the_limit(library: Database, embedder: Embedder, monkeypatch):
    monkeypatch.setattr(stored, "MOST_STORED", 2)
    async with served(library, embedder) as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        ids = []
        for _ in range(3):
            answer = (await client.post("/v1/ask", json={"question": QUESTION, "store": True})).json()
            ids.append(answer["id"])
            await client.put(f"/v1/answers/{ids[-1]}/rating", json={"verdict": "up"})
        found = [(await client.get(f"/v1/answers/{id}")).status_code for id in ids]
    assert found == [404, 200, 200]


@pytest.mark.slow
async def test_answers_are_kept_within_collections_and_deleted_by_their_askers(library: Database, embedder: Embedder):
    async def key(name: str, *scopes: KeyScope, collection: str | None = "main") -> dict[str, str]:
        chosen = None if collection is None else [collection]
        _, text = await create_key(library, name=name, scopes=scopes, collections=chosen)
        return {"authorization": f"Bearer {text}"}

    principal = await key("asker", KeyScope.READ, KeyScope.ASK)
    reader = await key("reader", KeyScope.READ)
    colleague = await key("colleague", KeyScope.READ, KeyScope.ASK)
    stranger = await key("stranger", KeyScope.READ, KeyScope.ASK, collection="many")
    admin = await key("admin", KeyScope.ADMIN, collection=None)
    async with (
        served(library, embedder, server_require_api_key=True) as url,
        httpx.AsyncClient(base_url=url, timeout=30) as client,
    ):
        id = (await client.post("/v1/ask", json={"question": QUESTION, "store": True}, headers=principal)).json()["id"]
        path, rating = f"/v1/answers/{id}", {"verdict": "down"}
        read = [(await client.get(path, headers=who)).status_code for who in (principal, reader, stranger)]
        rated = [
            (await client.put(f"{path}/rating", json=rating, headers=who)).status_code
            for who in (principal, colleague, reader, stranger)
        ]
        deleted = [
            (await client.delete(path, headers=who)).status_code
            for who in (reader, stranger, colleague, admin, principal)
        ]

    assert read == [200, 200, 404]
    assert rated == [200, 200, 403, 404]
    assert deleted == [403, 404, 404, 200, 404]
