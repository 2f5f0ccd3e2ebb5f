"""Questions about the graph, and the citations of papers without an address, over all interfaces."""

import json
from collections.abc import AsyncIterator
from dataclasses import fields, replace
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp import Client
from pydantic.alias_generators import to_camel

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.language_model import LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, AnswerCitation, Mode, Refusal
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.retrieval.filters import parse_filter
from papergraph.server.retrieval.resources import Resources
from tests.support.agents import call
from tests.support.fake_llm import FakeLLM, Reply
from tests.support.flat_settings import settings_of
from tests.support.operations import ANSWER
from tests.support.servers import served

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

BY_AUTHOR = "Which papers did Priya Sandhollow write?"
BY_PASSAGE = "How many data qubits does a rotated surface code of distance d have?"
NAMES = {one.name for one in fields(AnswerCitation)}
"""What every interface calls the parts of a citation."""
UNREAD = "The pen of Sandhollow: which papers, pray, flowed from it?"
"""A question about the graph with too many unknown words for the classifier, so that a model is asked."""
CHOICE = "one of these queries over its metadata"
ASK = "query ($input: AskInput!) { ask(input: $input) { ... on Answer { text namedQuery { query parameters rows } } } }"


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def url(library: Database, embedder: Embedder) -> AsyncIterator[str]:
    async with served(library, embedder) as address:
        yield address


async def events_of(url: str, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the data of server-sent events."""
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        answer = await client.post(path, json=body, headers={"Accept": "text/event-stream"})
    data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in data if one not in ("[DONE]", "")]


async def post(url: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        answer = await client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def over_graphql(url: str, question: str) -> dict[str, Any]:
    told = await events_of(url, "/graphql", {"query": ANSWER, "variables": {"input": {"question": question}}})
    return dict([one["data"]["answer"] for one in told if one.get("data")][-1]["result"])


async def over_rest(url: str, question: str) -> dict[str, Any]:
    return await post(url, "/v1/ask", {"question": question})


async def over_rest_as_a_stream(url: str, question: str) -> dict[str, Any]:
    return (await events_of(url, "/v1/ask", {"question": question, "stream": True}))[-1]


async def over_mcp(url: str, question: str) -> dict[str, Any]:
    async with Client(f"{url}/mcp") as client:
        return dict(await call(client, "ask", question=question))


async def over_chat(url: str, question: str) -> dict[str, Any]:
    body = {"model": "papergraph-retrieval-only", "messages": [{"role": "user", "content": question}]}
    told = await post(url, "/v1/chat/completions", body)
    message = told["choices"][0]["message"]
    return camel(told["papergraph"]) | {"text": message["content"], "annotations": message["annotations"]}


async def over_responses(url: str, question: str) -> dict[str, Any]:
    told = await post(url, "/v1/responses", {"model": "papergraph-retrieval-only", "input": question})
    (content,) = told["output"][0]["content"]
    return camel(told["papergraph"]) | {"text": content["text"], "annotations": content["annotations"]}


def camel(value: Any) -> Any:
    """Return the names of the OpenAI interface as the other interfaces write them."""
    if isinstance(value, list):
        return [camel(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {to_camel(name): camel(one) if name != "parameters" else one for name, one in value.items()}


INTERFACES = [over_graphql, over_rest, over_rest_as_a_stream, over_mcp, over_chat, over_responses]


@pytest.mark.parametrize("ask", INTERFACES)
async def test_every_interface_names_the_query_and_its_rows(url, ask):
    told = await ask(url, BY_AUTHOR)

    named = told["namedQuery"]
    assert (named["query"], named["parameters"]) == ("papers", {"author": "Priya Sandhollow"})
    assert named["columns"] == ["title", "year", "venue", "authors"]
    assert len(named["rows"]) == 3 and all("Priya Sandhollow" in row[-1] for row in named["rows"])
    assert "Dense Passage" in told["text"]
    assert {one["file"] for one in told["citations"]} >= {"dense-retrieval-vs-bm25.md"}


@pytest.mark.parametrize("ask", INTERFACES)
async def test_every_interface_cites_with_the_same_names_and_the_name_of_the_file(url, ask):
    told = await ask(url, BY_PASSAGE)

    assert told["namedQuery"] is None
    cited = told["citations"][0]
    assert set(cited) - {"chunk", "paper"} == {to_camel(name) for name in NAMES}
    assert (cited["url"], cited["file"]) == (None, "surface-code-logical-error-rates.md")
    assert told["text"][cited["answerStart"] : cited["answerEnd"]] == f"[{cited['number']}]"
    for one in told.get("annotations", ()):
        of_chat = one.get("url_citation", {}).get("url", "")
        assert one.get("filename", "").endswith(".md") or (of_chat.startswith("file:") and of_chat.endswith(".md"))


async def test_a_chat_completion_annotates_every_mark_of_papers_without_an_address(url):
    told = await over_chat(url, BY_PASSAGE)

    marks = {(one["answerStart"], one["answerEnd"]) for one in told["citations"]}
    places = {(one["url_citation"]["start_index"], one["url_citation"]["end_index"]) for one in told["annotations"]}
    assert places == marks


async def test_graphql_answers_at_once_too(url):
    told = await post(url, "/graphql", {"query": ASK, "variables": {"input": {"question": BY_AUTHOR}}})

    assert told["data"]["ask"]["namedQuery"]["query"] == "papers"
    assert len(told["data"]["ask"]["namedQuery"]["rows"]) == 3


@pytest.mark.parametrize(
    ("question", "query", "parts"),
    [
        (BY_AUTHOR, "papers", ("Grounded Answers", "Dense Passage")),
        ("Who wrote Knowledge Graphs from Research Papers?", "authors_of_paper", ("Achterholt", "Tarnsworth")),
        ("How many papers are from 2024?", "count_papers", ("1 paper",)),
        ("Who are the coauthors of Davit Kerebian?", "coauthors", ("Veltkamp",)),
        ("What is this collection about?", "overview", ("12 papers",)),
        ("Do we stock works of Rowan Achterholt?", "papers", ("Knowledge Graphs", "Grounded Answers")),
        ("Which scholars stand behind Knowledge Graphs from Research Papers?", "authors_of_paper", ("Tarnsworth",)),
        ("I wonder which people Brindlemor has teamed up with", "coauthors", ("Sandhollow",)),
    ],
)
async def test_a_question_about_the_graph_is_answered_by_a_named_query(library, embedder, question, query, parts):
    result = await answer(Resources.of(library, embedder), AskRequest(question))

    assert isinstance(result, Answer)
    assert result.named_query is not None
    assert result.named_query.query == query
    assert all(part in result.text for part in parts)
    assert result.sources
    for one in result.citations:
        assert result.sources[one.number - 1].hit.paper.id == one.paper_id
        assert result.text[one.answer_start : one.answer_end] == f"[{one.number}]"


@pytest.mark.parametrize(
    "question",
    [
        "Who builds hardware with surface codes?",
        "How many papers were searched?",
        "What is the tabu tenure?",
        "What does Sandhollow say about refusals?",
        "How does Knowledge Graphs from Research Papers rate the direction of relations?",
    ],
)
async def test_a_question_to_passages_is_not_answered_by_the_graph(library, embedder, question):
    result = await answer(Resources.of(library, embedder), AskRequest(question))

    assert not (isinstance(result, Answer) and result.named_query)


async def test_a_question_with_a_filter_and_one_that_only_a_model_may_answer_go_to_passages(library, embedder):
    resources = Resources.of(library, embedder)
    since = parse_filter({"years": {"from": 2020}})

    filtered = await answer(resources, AskRequest(BY_AUTHOR, filter=since))
    generative = await answer(resources, AskRequest(BY_AUTHOR, mode=Mode.GENERATIVE))

    assert not (isinstance(filtered, Answer) and filtered.named_query)
    assert isinstance(generative, Refusal)


@pytest_asyncio.fixture(loop_scope="session")
async def speaking(library: Database, embedder: Embedder, fake_llm: FakeLLM, tmp_path) -> AsyncIterator[Resources]:
    """The library with the scripted model."""
    settings = {"llm_url": fake_llm.url, "llm_model": "scripted", "llm_attempts": 1, "llm_json_mode": "prompt"}
    async with LanguageModel.from_settings(settings_of(settings | {"cache": tmp_path})) as model:
        yield replace(Resources.of(library, embedder), language_model=model)


async def test_the_history_completes_a_question_about_the_graph(speaking, fake_llm):
    fake_llm.when("can be understood by itself", BY_AUTHOR)
    history = (Turn("user", "Who is Priya Sandhollow?"), Turn("assistant", "An author. [1]"))

    result = await answer(speaking, AskRequest("What did she write?", history=history))

    assert isinstance(result, Answer)
    assert result.named_query is not None and result.named_query.query == "papers"
    assert not result.llm_generated


async def test_a_model_chooses_from_the_same_list_by_the_names_of_the_graph(speaking, fake_llm):
    fake_llm.when(CHOICE, Reply(json.dumps({"query": "papers", "author": "Priya Sandhollow"})))

    result = await answer(speaking, AskRequest(UNREAD))

    assert isinstance(result, Answer)
    assert result.named_query is not None
    assert (result.named_query.query, result.named_query.parameters) == ("papers", {"author": "Priya Sandhollow"})
    assert len(result.named_query.rows) == 3


@pytest.mark.parametrize(
    "choice",
    [
        {"query": "papers", "author": "Nobody Known"},
        {"query": "MATCH (n) DETACH DELETE n"},
        {"query": "papers', collection: 'many"},
        {"query": "none"},
    ],
)
async def test_a_choice_of_what_is_not_there_leaves_the_question_to_passages(speaking, fake_llm, choice):
    fake_llm.when(CHOICE, Reply(json.dumps(choice)))
    fake_llm.when("You answer questions", Reply("NO_EVIDENCE"))

    result = await answer(speaking, AskRequest(UNREAD, min_answerability=0.0))

    assert isinstance(result, Refusal) or result.named_query is None
    assert await answer(speaking, AskRequest("List all papers", mode=Mode.EXTRACTIVE))
