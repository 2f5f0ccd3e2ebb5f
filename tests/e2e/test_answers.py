"""Answers over every face: cited, checked, streamed, refused; with a scripted model, and with none."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError
from papergraph.language_model import Budget, LanguageModel
from papergraph.server.answers.answer import answer
from papergraph.server.answers.follow_up import set_subject
from papergraph.server.answers.records import (
    Answer,
    CitationEvent,
    DeltaEvent,
    DoneEvent,
    Event,
    Fault,
    Mode,
    Reason,
    Refusal,
    SourcesEvent,
)
from papergraph.server.answers.request import AskRequest, Turn
from papergraph.server.app import create_app
from papergraph.server.auth.access import everything
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.operations.ask import events_for
from papergraph.server.operations.service import Service
from papergraph.server.process.sockets import listen, url_of
from papergraph.server.process.uvicorn_server import serving
from papergraph.server.retrieval.pipelines import Reader, shipped
from papergraph.server.retrieval.resources import Resources
from papergraph.settings.groups import AnswerSettings
from papergraph.statement import Statement
from tests.support.fake_llm import FAULTS, FakeLLM, Reply, Request, cut, dripping, failing
from tests.support.flat_settings import settings_of
from tests.support.ingestion import ingest
from tests.support.injections import CANARY, EVIL, INJECTIONS, obedient

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUESTION = "How does the logical error rate of a surface code depend on its distance?"
QUOTE = "Below the threshold, the surface code suppresses logical errors exponentially in the distance."
SEARCH = "query ($input: SearchInput!) { search(input: $input) { hits { rank } } }"
ASK = """query ($input: AskInput!) { ask(input: $input) {
  __typename
  ... on Answered { id warnings usage { requests outputTokens } search { hits { rank } } }
  ... on Answer { text grounded llmGenerated citations { number quote start end answerStart answerEnd chunk { text } } }
  ... on Refusal { reason message nearestEvidence { number } }
} }"""
FOLLOW = "subscription ($input: AskInput!) { answer(input: $input) { __typename } }"
TEXT = Statement("test/text", "MATCH (chunk:Chunk {id: $id}) RETURN chunk.text AS text")
Make = Callable[..., Resources]


@pytest_asyncio.fixture(loop_scope="session")
async def make(library: Database, embedder: Embedder, fake_llm: FakeLLM, tmp_path) -> AsyncIterator[Make]:
    """Return resources with the scripted model, and other settings where they are named."""
    models: list[LanguageModel] = []

    def made(**chosen: object) -> Resources:
        base = {"llm_url": fake_llm.url, "llm_model": "scripted", "llm_attempts": 1, "llm_json_mode": "prompt"}
        model = LanguageModel.from_settings(settings_of(base | {"cache": tmp_path} | chosen))
        models.append(model)
        return replace(Resources.of(library, embedder), language_model=model)

    yield made
    for model in models:
        await model.__aexit__(None, None, None)


@asynccontextmanager
async def client_of(resources: Resources, *policy: ServerLimits) -> AsyncIterator[httpx.AsyncClient]:
    service = Service(resources.database, resources.model.searched.embedder, shared_resources=resources)
    transport = httpx.ASGITransport(create_app(service, *policy))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def best(resources: Resources, asking: AskRequest, **more: object) -> Answer | Refusal:
    pieces: list[Event] = []
    result = await answer(resources, asking, emit=pieces.append, **more)
    said = "".join(one.text for one in pieces if isinstance(one, DeltaEvent))
    assert said == (result.text if isinstance(result, Answer) else "")
    return result


def numbered(request) -> Reply:
    """Cite the source that holds the quote, whichever number it has."""
    for number, part in enumerate(request.prompt.split(' n="')[1:], start=0):
        if QUOTE in " ".join(part.split()):
            return Reply(f'Below the threshold, it suppresses logical errors exponentially. [{number}: "{QUOTE}"]')
    return Reply("NO_EVIDENCE")


async def check(library: Database, result: Answer) -> None:
    """Every citation stands where it says, in the stored chunk, and its mark in the text."""
    assert result.citations
    for one in result.citations:
        (record,) = await library.read(TEXT, id=one.chunk_id)
        assert record["text"][one.start : one.end] == one.quote
        assert result.text[one.answer_start : one.answer_end] == f"[{one.number}]"
        assert result.text[one.claim_start : one.claim_end].strip()
        assert result.sources[one.number - 1].number == one.number


async def test_without_a_model_the_papers_own_sentences_answer(library, embedder):
    result = await answer(Resources.of(library, embedder), AskRequest(QUESTION))

    assert isinstance(result, Answer)
    assert not result.llm_generated
    assert result.model is None
    assert result.usage.requests == 0
    await check(library, result)


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("How do tabu search and simulated annealing differ?", ("tabu search: ", "simulated annealing: ")),
        (
            "Compare “Surface Codes and Their Logical Error Rates” with “Grounded Answers with Citations That Can Be "
            "Checked”",
            ("Surface Codes", "Grounded Answers"),
        ),
    ],
)
async def test_things_compared_by_name_stand_side_by_side(library, embedder, question, sides):
    result = await answer(Resources.of(library, embedder), AskRequest(question, mode=Mode.EXTRACTIVE))

    assert isinstance(result, Answer), result
    lines = result.text.splitlines()
    assert all(any(line.startswith(side) for line in lines) for side in sides), result.text
    await check(library, result)


async def test_a_comparison_with_an_unknown_thing_is_refused(library, embedder):
    asking = AskRequest("How do tabu search and Bogosort differ?", mode=Mode.EXTRACTIVE)

    assert isinstance(await answer(Resources.of(library, embedder), asking), Refusal)


async def test_what_a_model_writes_comes_with_checked_citations(library, make, fake_llm):
    fake_llm.script(numbered)

    result = await answer(make(), AskRequest(QUESTION, k=10))

    assert isinstance(result, Answer)
    assert result.llm_generated
    assert result.grounded
    assert [one.quote for one in result.citations] == [QUOTE]
    assert result.usage.output_tokens > 0
    await check(library, result)


async def test_what_does_not_hold_is_dropped_and_told_and_the_rest_stays(make, fake_llm):
    def reply(request) -> Reply:
        good = numbered(request).text
        return Reply(f"{good} It needs 12345 qubits. [1] {good.replace('suppresses', 'supresses')} Nothing cited here.")

    fake_llm.script(reply)

    result = await answer(make(), AskRequest(QUESTION, k=10, mode=Mode.GENERATIVE))

    assert isinstance(result, Answer)
    assert not result.grounded
    assert len(result.citations) == 1
    assert {Fault.NOT_IN_SOURCE, Fault.NO_CITATION} <= {one.fault for one in result.dropped}
    assert "12345" not in result.text


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("{good} It needs 12345 qubits. Nothing is cited here.", "Only 1 of 3 sentences"),
        (
            "Among the many known codes, the surface code is popular with builders of hardware.",
            "as well as the best one",
        ),
        ("12345 qubits. Nothing is cited here.", "No sentence"),
    ],
)
async def test_in_mode_auto_sentences_of_the_papers_replace_a_worse_answer_of_the_model(make, fake_llm, said, reason):
    fake_llm.script(lambda request: Reply(said.format(good=numbered(request).text)))

    pieces: list[Event] = []
    result = await answer(make(), AskRequest(QUESTION, k=10), emit=pieces.append)

    assert isinstance(result, Answer)
    assert not result.llm_generated
    assert reason in result.warnings[0]
    assert "".join(one.text for one in pieces if isinstance(one, DeltaEvent)) == result.text


async def test_the_pieces_are_the_text_and_sources_come_first(make, fake_llm):
    fake_llm.script(numbered)

    asking = AskRequest(QUESTION, k=10)
    async with aclosing(events_for(everything(), make(), None, asking, shipped())) as coming:
        events = [event async for event in coming]

    assert [type(event) for event in events] == [SourcesEvent, DeltaEvent, CitationEvent, DoneEvent]
    assert "".join(event.text for event in events if isinstance(event, DeltaEvent)) == events[-1].result.text


@pytest.mark.parametrize("word", ["NO_EVIDENCE", "NO_EVIDENCE.", "OUT_OF_SCOPE"])
async def test_a_model_that_finds_no_answer_says_so(make, fake_llm, word):
    fake_llm.script(word)

    result = await answer(make(), AskRequest(QUESTION))

    assert isinstance(result, Refusal)
    assert result.reason.value.upper() == word.strip(".")
    assert result.nearest


async def test_a_question_that_no_passage_speaks_of_is_refused_before_a_model_is_asked(library, make, fake_llm):
    asking = AskRequest("Which yeast bakes the fluffiest brioche in a humid kitchen?")

    without = await answer(make(), asking)
    await set_subject(library, "main", "quantum computing and retrieval")
    within = await answer(make(), asking)
    await set_subject(library, "main", None)

    assert isinstance(without, Refusal)
    assert isinstance(within, Refusal)
    assert (without.reason, within.reason) == (Reason.NO_EVIDENCE, Reason.OUT_OF_SCOPE)
    assert "quantum computing" in within.message
    assert fake_llm.requests == []


@pytest.mark.parametrize("fault", FAULTS)
async def test_when_the_model_fails_the_papers_answer_and_say_why(library, make, fake_llm, fault):
    fake_llm.script(FAULTS[fault])
    start = time.monotonic()

    result = await answer(
        make(llm_attempt_timeout_s=1, llm_timeout_s=2, llm_max_answer_tokens=50), AskRequest(QUESTION)
    )

    assert time.monotonic() - start < 30
    assert isinstance(result, Answer)
    assert not result.llm_generated
    assert len(result.warnings) == 1
    assert "model" in result.warnings[0]
    assert fake_llm.url not in result.warnings[0]
    await check(library, result)


async def test_a_model_that_breaks_off_leaves_what_was_checked(make, fake_llm):
    def reply(request) -> Reply:
        return cut(numbered(request).text + " And then the text goes on and on. " * 40, after_bytes=12_000)

    fake_llm.script(reply)

    result = await answer(make(), AskRequest(QUESTION, k=10, mode=Mode.GENERATIVE))

    assert isinstance(result, Answer)
    assert result.llm_generated
    assert [one.quote for one in result.citations] == [QUOTE]
    assert result.warnings[0].startswith("the answer breaks off")


async def test_extracts_after_a_text_that_breaks_off_say_nothing_of_it(make, fake_llm):
    fake_llm.script(
        cut("It needs 12345 qubits per week. " + QUOTE + " [1] " + "And so on and on. " * 400, after_bytes=9_000)
    )

    result = await answer(make(), AskRequest(QUESTION, k=10))

    assert isinstance(result, Answer)
    assert not result.llm_generated
    assert not any("breaks off" in one for one in result.warnings)


@pytest.mark.parametrize("supported", [True, False])
async def test_a_second_check_by_the_model_may_deny_what_the_rules_accept(make, fake_llm, supported: bool):
    def reply(request: Request) -> Reply:
        if "You check one statement" not in request.prompt:
            return numbered(request)
        return Reply(f'{{"reason": "Says who?", "supported": {str(supported).lower()}}}')

    fake_llm.otherwise(reply)
    checking = replace(make(), answers=AnswerSettings(second_check="judge", check_timeout_s=60))

    result = await answer(checking, AskRequest(QUESTION, k=10, mode=Mode.GENERATIVE))

    assert isinstance(result, Answer) is supported
    assert [one.fault for one in result.dropped] == ([] if supported else [Fault.DENIED])
    assert result.second_check is not None
    assert result.second_check.tokens < result.usage.tokens
    assert (len(result.second_check.ms), result.second_check.denied) == (1, int(not supported))


@pytest.mark.slow
async def test_who_wants_a_model_only_is_refused_where_it_fails(make, fake_llm, library, embedder):
    fake_llm.script(failing())

    failed = await answer(make(), AskRequest(QUESTION, mode=Mode.GENERATIVE))
    missing = await answer(Resources.of(library, embedder), AskRequest(QUESTION, mode=Mode.GENERATIVE))

    assert isinstance(failed, Refusal)
    assert isinstance(missing, Refusal)
    assert failed.reason is missing.reason is Reason.MODEL_UNAVAILABLE


SMALL_MODELS = {
    "without marks": "It needs 12345 qubits per week.",
    "marks without quotes": "It needs 12345 qubits per week. [1]",
    "typographic quotes": "It needs 12345 qubits. [1: “needs 12345 qubits per week”]",
    "fenced JSON": '```json\n{"answer": "It needs 12345 qubits per week."}\n```',
    "thinking": "<think>The answer is 12345. [1]</think>",
    "another language": "Es werden 12345 Qubits pro Woche benötigt, nicht mehr und nicht weniger. [1]",
    "twice the length": "Whales sing long songs across the wide oceans in winter. " * 40,
}


@pytest.mark.parametrize("name", SMALL_MODELS)
async def test_where_nothing_of_a_model_holds_the_papers_answer_and_a_warning_says_so(library, make, fake_llm, name):
    fake_llm.script(SMALL_MODELS[name], SMALL_MODELS[name])
    resources = make()

    result = await answer(resources, AskRequest(QUESTION))
    only = await answer(resources, AskRequest(QUESTION, mode=Mode.GENERATIVE))

    assert isinstance(result, Answer)
    assert not result.llm_generated
    assert "could be verified" in result.warnings[-1]
    await check(library, result)
    assert isinstance(only, Refusal)
    assert only.reason is Reason.UNCHECKED


async def test_a_sentence_without_a_mark_is_tried_against_all_sources(library, make, fake_llm):
    fake_llm.script(f"<think>Easy.</think>\n\n**{QUOTE}**")

    result = await answer(make(), AskRequest(QUESTION, k=10))

    assert isinstance(result, Answer)
    assert result.llm_generated and result.grounded
    assert [one.quote for one in result.citations] == [QUOTE]
    await check(library, result)


async def test_leaving_ends_the_models_request(make, fake_llm):
    fake_llm.script(dripping("word " * 2000, drip_s=0.01))
    events = events_for(everything(), make(), None, AskRequest(QUESTION), shipped())
    assert isinstance(await anext(events), SourcesEvent)
    waiting = asyncio.ensure_future(anext(events))
    while not fake_llm.n_open:  # noqa: ASYNC110 the scripted model lives in another thread
        await asyncio.sleep(0.01)

    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await events.aclose()
    async with asyncio.timeout(20):
        while fake_llm.n_open:  # noqa: ASYNC110 the scripted model lives in another thread
            await asyncio.sleep(0.01)

    assert fake_llm.n_left == 1


@pytest.mark.parametrize("face", ["rest", "graphql"])
async def test_a_client_that_leaves_a_stream_ends_the_models_request(make, fake_llm, face):
    fake_llm.script(dripping("word " * 2000, drip_s=0.01))
    resources = make()
    service = Service(resources.database, resources.model.searched.embedder, shared_resources=resources)
    asked = {"query": FOLLOW, "variables": {"input": {"question": QUESTION}}}
    path, body = ("/graphql", asked) if face == "graphql" else ("/v1/ask", {"question": QUESTION, "stream": True})
    with listen("127.0.0.1", 0) as sock:
        async with serving(service, sock), httpx.AsyncClient(base_url=url_of(sock), timeout=20) as client:
            async with client.stream("POST", path, json=body, headers={"Accept": "text/event-stream"}) as stream:
                lines = stream.aiter_lines()
                while "ources" not in await anext(lines):
                    pass
                async with asyncio.timeout(20):
                    while not fake_llm.n_open:  # noqa: ASYNC110 the scripted model lives in another thread
                        await asyncio.sleep(0.01)
            async with asyncio.timeout(20):
                while fake_llm.n_open:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)

    assert fake_llm.n_left == 1


async def test_history_makes_the_question_plain_unless_it_is_not_wanted(make, fake_llm):
    history = (Turn("user", "Tell me of surface codes."), Turn("assistant", "They correct errors."))
    fake_llm.script("NO_EVIDENCE", QUESTION, "NO_EVIDENCE")

    await answer(make(), AskRequest(QUESTION, history=history, rewrite=False))
    rewritten = await answer(make(), AskRequest("What of its distance?", history=history))

    assert not any("Tell me of surface codes" in fake_llm.requests[n].prompt for n in (0, 2))
    assert "Tell me of surface codes" in fake_llm.requests[1].prompt
    assert rewritten.found.query == rewritten.question == QUESTION


async def test_readers_are_given_what_their_systems_give(make, fake_llm):
    fake_llm.script("NO_EVIDENCE", "NO_EVIDENCE")

    for reader in (Reader.QUESTIONS, Reader.PAGES):
        await answer(make(), AskRequest(QUESTION, reader=reader))

    (record,) = [line for line in fake_llm.requests[0].prompt.splitlines() if line.startswith('{"source": 1,')]
    assert {"source", "title", "answer"} <= json.loads(record).keys()
    assert 'n="1" address="' in fake_llm.requests[1].prompt


def by_reader(**said: str) -> Callable[[Request], Reply]:
    """Answer the reader of passages, of questions and of pages each in its own words; the rest finds nothing."""

    def reply(request: Request) -> Reply:
        reader = "pages" if 'address="' in request.prompt else "questions" if '{"source": 1,' in request.prompt else ""
        return Reply(said.get(reader or "passages", "NO_EVIDENCE").replace("GOOD", numbered(request).text))

    return reply


async def test_of_several_readers_the_one_counts_of_which_most_was_accepted(library, make, fake_llm):
    fake_llm.otherwise(by_reader(passages="It needs 12345 qubits. [1]", pages="GOOD It needs 12345 qubits. [1]"))
    asking = AskRequest(QUESTION, k=10, mode=Mode.GENERATIVE, readers=(Reader.PASSAGES, Reader.QUESTIONS, Reader.PAGES))

    result = await best(make(), asking)

    assert isinstance(result, Answer)
    assert [one.quote for one in result.citations] == [QUOTE]
    first, *others = result.attempts
    assert (first.reader, first.grounded_sentences, first.dropped_sentences, first.accepted) == (
        Reader.PAGES,
        1,
        1,
        0.5,
    )
    assert (first.text, first.citations) == (result.text, result.citations)
    assert [(one.reader, one.reason) for one in others] == [
        (Reader.PASSAGES, Reason.UNCHECKED),
        (Reader.QUESTIONS, Reason.NO_EVIDENCE),
    ]
    assert result.usage.requests == len(fake_llm.requests) == 3
    assert sum(one.usage.requests for one in result.attempts) == 3
    await check(library, result)


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ({"passages": "GOOD", "pages": "GOOD It needs 12345 qubits. [1]"}, Reader.PASSAGES),
        ({"passages": "GOOD It needs 12345 qubits. [1]", "pages": "GOOD"}, Reader.PAGES),
        ({"passages": "GOOD", "pages": "GOOD"}, Reader.PASSAGES),
        ({"passages": "It needs 12345 qubits. [1]", "pages": "GOOD"}, Reader.PAGES),
    ],
    ids=["share", "share, later", "order", "the papers' own sentences last"],
)
async def test_what_decides_between_answers_in_turn(make, fake_llm, said, first):
    fake_llm.otherwise(by_reader(**said))

    result = await best(make(), AskRequest(QUESTION, k=10, readers=(Reader.PASSAGES, Reader.PAGES)))

    assert result.attempts[0].reader is first
    assert result.attempts[0].text == result.text


async def test_several_pipelines_each_search_and_the_first_of_equals_counts(library, embedder):
    resources = Resources.of(library, embedder)
    asking = AskRequest(QUESTION, pipelines=("fulltext", "vector"), mode=Mode.EXTRACTIVE)

    result = await best(resources, asking)

    assert isinstance(result, Answer)
    assert {one.pipeline for one in result.attempts} == {"fulltext", "vector"}
    assert result.attempts[0].pipeline == result.found.outcome.pipeline.name
    assert all(one.accepted == 1.0 and not one.llm_generated for one in result.attempts)
    single = await answer(resources, AskRequest(QUESTION, pipeline="fulltext", mode=Mode.EXTRACTIVE))
    assert next(one.text for one in result.attempts if one.pipeline == "fulltext") == single.text


async def test_all_ways_share_a_budget_and_the_completed_question(make, fake_llm):
    history = (Turn("user", "Tell me of surface codes."), Turn("assistant", "They correct errors."))
    fake_llm.when("Tell me of surface codes", QUESTION)
    fake_llm.otherwise(by_reader(passages="GOOD", pages="GOOD"))
    asking = AskRequest("What of its distance?", readers=(Reader.PASSAGES, Reader.PAGES), history=history)

    result = await best(make(), asking, budget=Budget(requests=2))

    assert result.question == QUESTION
    assert len(fake_llm.requests) == 2
    assert [one.llm_generated for one in result.attempts] == [True, False]


async def test_graphql_and_rest_compare_alike(make, fake_llm):
    fake_llm.otherwise(by_reader(passages="NO_EVIDENCE", pages="GOOD"))
    asked = {"question": QUESTION, "k": 10, "collections": ["main", "cited"]}
    query = """query ($input: AskInput!) { ask(input: $input) { ... on Answered {
      attempts { pipeline reader text groundedSentences droppedSentences accepted usage { requests } } } } }"""

    async with client_of(make()) as client:
        rest = (await client.post("/v1/ask", json=asked | {"readers": ["passages", "pages"]})).json()
        input = asked | {"readers": ["PASSAGES", "PAGES"]}
        over = (await client.post("/graphql", json={"query": query, "variables": {"input": input}})).json()

    attempts = over["data"]["ask"]["attempts"]
    assert [one | {"reader": one["reader"].lower()} for one in attempts] == [
        {name: one[name] for name in attempts[0]} | {"usage": {"requests": one["usage"]["requests"]}}
        for one in rest["attempts"]
    ]
    assert [one["reader"] for one in rest["attempts"]] == ["pages", "passages"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"collection": "main", "collections": ["main"]}, "collections"),
        ({"collections": []}, "collections"),
        ({"collections": list("abcdefghi")}, "collections"),
        ({"pipeline": "fulltext", "pipelines": ["vector"]}, "pipelines"),
        ({"pipelines": ["nothing"]}, "pipeline"),
        ({"reader": "pages", "readers": ["pages"]}, "readers"),
        ({"collections": ["main", "cited"], "store": True}, "store"),
        ({"collections": ["main", "nowhere"]}, "collection"),
    ],
)
async def test_what_cannot_be_compared_is_refused_with_its_field(library, embedder, wrong, field):
    async with client_of(Resources.of(library, embedder)) as client:
        answered = (await client.post("/v1/ask", json={"question": QUESTION, **wrong})).json()

    assert [one["field"] for one in answered["errors"]] == [field]


def test_more_than_four_ways_are_refused():
    with pytest.raises(InputError, match="6 ways") as caught:
        AskRequest(QUESTION, pipelines=("default", "fulltext", "vector"), readers=(Reader.PASSAGES, Reader.PAGES))

    assert caught.value.field == "pipelines"


@pytest.mark.slow
async def test_what_a_day_may_cost_is_kept_over_a_restart(make, fake_llm):
    fake_llm.otherwise("NO_EVIDENCE")
    policy = ServerLimits(tokens_per_day=9_000)
    body = {"question": QUESTION, "mode": "generative"}

    async with client_of(make(), policy) as client:
        first = (await client.post("/v1/ask", json=body)).json()
    async with client_of(make(), policy) as client:
        replies = [(await client.post("/v1/ask", json=body)).json() for _ in range(8)]

    assert first["reason"] == "no_evidence"
    assert replies[-1]["reason"] == "model_unavailable"
    assert "spent" in replies[-1]["message"]
    assert 1 < len(fake_llm.requests) < 9


@pytest.mark.slow
async def test_other_processes_learn_of_what_is_spent_while_they_run(library, make, fake_llm):
    await library.driver.execute_query("MATCH (spending:Spending) DELETE spending")
    fake_llm.otherwise("NO_EVIDENCE")
    policy = ServerLimits(tokens_per_day=9_000)
    body = {"question": QUESTION, "mode": "generative"}

    async with client_of(make(), policy) as one, client_of(make(), policy) as other:
        answers = [(await each.post("/v1/ask", json=body)).json() for _ in range(9) for each in (one, other)]
    refused = [answer["reason"] == "model_unavailable" for answer in answers]

    assert refused == sorted(refused) and refused[-2:] == [True, True]
    (records, _, _) = await library.driver.execute_query("MATCH (spending:Spending) RETURN spending.tokens AS n")
    assert [record["n"] <= 9_000 for record in records] == [True]


async def test_a_search_that_asks_a_model_counts_for_the_day(library, make, fake_llm):
    await library.driver.execute_query("MATCH (spending:Spending) DELETE spending")
    fake_llm.otherwise('{"queries": ["code distance of a surface code"]}')
    rest = {"query": QUESTION, "overrides": {"expand.by": "rewrite"}}
    overrides = [{"option": "expand.by", "value": "rewrite"}]
    graphql = {"query": SEARCH, "variables": {"input": {"query": f"{QUESTION} Why?", "overrides": overrides}}}

    async with client_of(make(), ServerLimits(tokens_per_day=1_000_000)) as client:
        searched = await client.post("/v1/search", json=rest)
        assert searched.status_code == 200, searched.text
        n_by_rest = await n_requests(library)
        await client.post("/graphql", json=graphql)
        n_by_both = await n_requests(library)
    n_asked = len(fake_llm.requests)
    await library.driver.execute_query("MATCH (spending:Spending) SET spending.tokens = 1000000")
    async with client_of(make(), ServerLimits(tokens_per_day=1_000_000)) as client:
        await client.post("/v1/search", json=rest | {"query": f"{QUESTION} Really?"})
    await library.driver.execute_query("MATCH (spending:Spending) DELETE spending")

    assert 1 <= n_by_rest < n_by_both == n_asked == len(fake_llm.requests)


async def n_requests(library: Database) -> int:
    records, _, _ = await library.driver.execute_query("MATCH (spending:Spending) RETURN spending.nRequests AS n")
    return sum(record["n"] for record in records)


@pytest.mark.slow
async def test_graphql_and_rest_answer_alike(make, fake_llm):
    fake_llm.otherwise(numbered)
    async with client_of(make()) as client:
        rest = (await client.post("/v1/ask", json={"question": QUESTION, "k": 10})).json()
        body = {"query": ASK, "variables": {"input": {"question": QUESTION, "k": 10}}}
        graphql = (await client.post("/graphql", json=body)).json()["data"]["ask"]

    assert rest["text"] == graphql["text"]
    assert rest["grounded"] is graphql["grounded"] is True
    (citation,) = graphql["citations"]
    assert citation["chunk"]["text"][citation["start"] : citation["end"]] == citation["quote"] == QUOTE
    assert rest["citations"][0]["quote"] == QUOTE


@pytest.mark.slow
async def test_rest_streams_what_it_would_answer_at_once(make, fake_llm):
    fake_llm.otherwise(numbered)
    async with client_of(make()) as client:
        body = {"question": QUESTION, "k": 10}
        whole = (await client.post("/v1/ask", json=body)).json()
        async with client.stream("POST", "/v1/ask", json=body | {"stream": True}) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            lines = [line async for line in stream.aiter_lines()]

    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    data = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert names == ["sources", "delta", "citation", "done"]
    assert data[1]["text"] == data[3]["text"] == whole["text"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"question": " "}, "question"),
        ({"question": "x" * 4001}, "question"),
        ({"tokenBudget": 0}, "tokenBudget"),
        ({"minAnswerability": 2}, "minAnswerability"),
        ({"pipeline": "defualt"}, "pipeline"),
        ({"history": [{"role": "system", "text": "x"}]}, "history.0.role"),
        ({"history": [{"role": "user", "text": "x" * 9000}] * 3}, "history"),
    ],
)
async def test_what_cannot_be_asked_is_refused_with_its_field(library, embedder, wrong, field):
    async with client_of(Resources.of(library, embedder)) as client:
        reply = await client.post("/v1/ask", json={"question": QUESTION} | wrong)

    assert reply.status_code == 400
    assert [one["field"] for one in reply.json()["errors"]] == [field]


async def test_a_subject_is_written_shown_and_taken_back(library, embedder):
    async with client_of(Resources.of(library, embedder)) as client:
        written = await client.put("/v1/collections/main/subject", json={"subject": " quantum \n computing "})
        shown = (await client.get("/v1/collections")).json()["data"]
        taken = await client.put("/v1/collections/main/subject", json={"subject": None})
        nowhere = await client.put("/v1/collections/nowhere/subject", json={"subject": "x"})

    assert written.json() == {"collection": "main", "subject": "quantum computing"}
    assert [one["subject"] for one in shown if one["name"] == "main"] == ["quantum computing"]
    assert taken.json()["subject"] is None
    assert nowhere.status_code == 404


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def poisoned(library: Database, embedder: Embedder, tmp_path_factory) -> Database:
    """A collection with one paper for each injection, beside honest text."""
    folder = tmp_path_factory.mktemp("poisoned")
    for number, (name, text) in enumerate(INJECTIONS.items()):
        honest = f"The mirror of telescope {number} was polished to a roughness of {number + 2} nanometres."
        words = f"# Telescope {number}\n\n## Results\n\n{honest} {text}\n\nIt held for {name} and others.\n"
        (folder / f"{number}.md").write_text(words)
    await ingest(library, embedder, [folder], collection="poisoned")
    return library


def asked_of(number: int) -> AskRequest:
    question = f"To which roughness was the mirror of telescope {number} polished?"
    return AskRequest(question, collection="poisoned", k=10, min_answerability=0.0)


@pytest.mark.slow
async def test_a_model_that_obeys_documents_gives_nothing_away(poisoned, make, fake_llm):
    texts = list(INJECTIONS.values())

    def reply(request) -> Reply:
        n = len(fake_llm.requests)
        said = " ".join(obedient(number, texts[(n + number) % len(texts)]) for number in range(1, 11))
        return Reply(said, piece=200)

    fake_llm.otherwise(reply)
    resources = make(llm_max_answer_tokens=100_000)

    for number in range(0, len(INJECTIONS), 3):
        result = await answer(resources, asked_of(number))
        shown = result.text if isinstance(result, Answer) else result.message
        assert not [word for word in (CANARY, EVIL, "evil", "<", "![") if word in shown], shown
        assert not any(CANARY in one.quote for one in getattr(result, "citations", ()))
    prompts = "".join(request.prompt for request in fake_llm.requests)
    assert CANARY not in prompts
    assert not any("tools" in request.body for request in fake_llm.requests)


@pytest.mark.slow
async def test_extracts_of_poisoned_papers_give_nothing_away(poisoned, embedder):
    for number in range(0, len(INJECTIONS), 5):
        result = await answer(Resources.of(poisoned, embedder), asked_of(number))

        assert isinstance(result, Answer)
        assert CANARY not in result.text
        assert EVIL not in result.text


async def test_a_model_that_repeats_itself_is_told_once(make, fake_llm):
    fake_llm.script(f"{QUOTE} [1] " * 30)

    result = await answer(make(), AskRequest(QUESTION, k=10))

    assert isinstance(result, Answer)
    assert result.llm_generated
    assert result.text.count(QUOTE) == 1


async def test_a_model_that_writes_too_much_is_cut_to_the_length_that_was_asked_for(make, fake_llm):
    def reply(request) -> Reply:
        return Reply(f"{numbered(request).text} And then more. " * 3)

    fake_llm.script(reply)

    result = await answer(make(), AskRequest(QUESTION, k=10, instructions="Answer in one sentence."))

    assert isinstance(result, Answer)
    assert result.llm_generated
    assert len({one.claim_start for one in result.citations}) == 1
    assert "the answer ends after 1 sentence, as the instructions ask for" in result.warnings
