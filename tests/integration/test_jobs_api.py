"""Jobs over GraphQL: opened once, followed, stopped and taken up again; papers deleted, questions reviewed."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import JobState
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.schema import schema
from papergraph.server.operations.ingest import IngestService
from papergraph.server.operations.service import Service
from papergraph.settings import Settings
from tests.support.embedders import QuickEmbedder
from tests.support.ingestion import enqueue, ingest, many, paper, work
from tests.support.web_site import Site

JOB = "__typename ... on Job { id kind collection sources state nDocuments nPending progress states { state n } }"
PROBLEM = "... on UserError { message code field }"
INGEST = f"""
mutation (
  $sources: [String!]!, $collection: String! = "main", $key: String, $chunking: ChunkingInput, $parser: String
) {{
  ingest(
    sources: $sources, collection: $collection, idempotencyKey: $key, chunking: $chunking, parser: $parser
  ) {{ {JOB} {PROBLEM} }}
}}"""
CHANGE = f"mutation ($id: ID!) {{ NAME(id: $id) {{ {JOB} {PROBLEM} }} }}"
DELETE = (
    f"mutation ($id: ID!) {{ deletePaper(id: $id) {{ __typename ... on DeletedPaper {{ paperId keys }} {PROBLEM} }} }}"
)
REVIEW = f"""
mutation ($id: ID!, $decision: Decision!, $text: String) {{
  reviewQuestion(id: $id, decision: $decision, text: $text) {{
    __typename ... on ReviewedQuestion {{ decision original text ids }} {PROBLEM}
  }}
}}"""
TASKS = """
query ($id: ID!, $after: String, $states: [TaskState!]) {
  job(id: $id) { tasks(first: 2, after: $after, states: $states) {
    totalCount nodes { source state stage reason key title nChunks } pageInfo { hasNextPage endCursor }
  } }
}"""


class Asking:
    """GraphQL in this process, with what brings documents in."""

    def __init__(self, database: Database, embedder: Any, site: Site) -> None:
        mirrors = {"openalex": site.url("/")}
        settings = Settings(fetch={"allowed_hosts": "127.0.0.1", "allow_http": True}, mirrors=mirrors)
        self.intake = IngestService.of(settings)
        self.database, self.embedder = database, embedder
        self.principal: Principal = everything()
        self._service = Service(database, embedder, intake=self.intake)

    async def __call__(self, operation: str, /, **variables: Any) -> dict[str, Any]:
        """Return the data of an operation without errors."""
        result = await schema.execute(operation, variable_values=variables, context_value=self.context)
        assert result.errors is None, result.errors
        assert isinstance(result.data, dict)
        return result.data

    @property
    def context(self) -> Context:
        return Context(self._service, principal=self.principal)

    async def work(self) -> int:
        """Do what is queued, as ``papergraph worker`` does."""
        return await work(self.database, self.embedder, once=True, web=self.intake.web)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        for number in range(4):
            site.pages[f"/{number}.md"] = paper(f"Paper {number}").encode()
            site.types[f"/{number}.md"] = "text/markdown"
        yield site


@pytest.fixture
def ask(database: Database, embedder: Embedder, site: Site, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setattr(jobs, "FOLLOWED_EVERY_S", 0.02)
    monkeypatch.setattr("papergraph.ingest.worker.FIRST_PAUSE_S", 0.02)
    return Asking(database, QuickEmbedder(embedder), site)


@pytest.mark.slow
async def test_an_ingestion_is_estimated_before_it_is_asked_for(
    ask: Asking, site: Site, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("papergraph.ingest.pipeline.estimate.SAMPLING_S", 60)  # on a busy machine too
    operation = """query ($sources: [String!]!) { ingestionEstimate(sources: $sources) {
      collection nDocuments nUnchanged nRefused nSampled cost embeddingSeconds
      papers { value low high } chunks { value }
    } }"""
    sources = [site.url("/0.md"), site.url("/1.md"), site.url("/nothing.md")]

    before = (await ask(operation, sources=sources))["ingestionEstimate"]
    jobs_open = (await ask("{ jobs { totalCount } }"))["jobs"]["totalCount"]

    assert (before["collection"], before["nDocuments"], before["nRefused"], before["nSampled"]) == ("main", 3, 1, 3)
    assert before["papers"] == {"value": 2, "low": 2, "high": 2}
    assert before["chunks"]["value"] >= 2 and before["cost"] == 0 and before["embeddingSeconds"] >= 0
    assert (jobs_open, before["nUnchanged"]) == (0, 0)


@pytest.mark.slow
async def test_a_job_that_is_asked_for_is_queued_done_by_a_worker_and_tells_what_became_of_each(
    ask: Asking, site: Site
):
    sources = [site.url("/0.md"), site.url("/1.md"), site.url("/nothing.md")]

    opened = (await ask(INGEST, sources=sources))["ingest"]
    n_seen_to = await ask.work()

    assert (opened["__typename"], opened["state"], opened["sources"]) == ("Job", "QUEUED", sources)
    assert (opened["nDocuments"], opened["nPending"], opened["progress"]) == (3, 3, 0.0)
    assert n_seen_to == 3
    first = (await ask(TASKS, id=opened["id"]))["job"]["tasks"]
    second = (await ask(TASKS, id=opened["id"], after=first["pageInfo"]["endCursor"]))["job"]["tasks"]
    tasks = first["nodes"] + second["nodes"]
    assert (first["totalCount"], second["pageInfo"]["hasNextPage"]) == (3, False)
    assert [task["source"] for task in tasks] == sources
    assert [task["state"] for task in tasks] == ["DONE", "DONE", "FAILED"]
    assert [task["title"] for task in tasks] == ["Paper 0", "Paper 1", None]
    assert tasks[2]["reason"]
    failed = (await ask(TASKS, id=opened["id"], states=["FAILED"]))["job"]["tasks"]
    assert (failed["totalCount"], [task["source"] for task in failed["nodes"]]) == (1, sources[2:])
    titles = (await ask("{ papers { nodes { title } } }"))["papers"]["nodes"]
    assert [node["title"] for node in titles] == ["Paper 0", "Paper 1"]


async def test_a_call_that_is_sent_again_with_its_key_opens_no_second_job_even_when_it_is_done(ask: Asking, site: Site):
    call = {"sources": [site.url("/0.md")], "key": "mine"}

    first = (await ask(INGEST, **call))["ingest"]
    second = (await ask(INGEST, **call))["ingest"]
    await ask.work()
    third = (await ask(INGEST, **call))["ingest"]
    other = (await ask(INGEST, **{**call, "sources": [site.url("/1.md")]}))["ingest"]

    assert first["id"] == second["id"] == third["id"]
    assert (second["nPending"], third["state"]) == (1, "DONE")
    assert (other["__typename"], other["code"], other["field"]) == ("Conflict", "CONFLICT", "idempotencyKey")
    assert await jobs.count_jobs(ask.database) == 1
    assert await ask.work() == 0


@pytest.mark.parametrize(
    "change, field",
    [
        ({"sources": []}, "sources"),
        ({"sources": ["https://example.org/a"] * 101}, "sources"),
        ({"sources": ["https://example.org/" + "a" * 2000]}, "sources.0"),
        ({"sources": ["/etc/passwd"]}, "sources"),
        ({"sources": ["../papers"]}, "sources"),
        ({"sources": ["file:///etc/passwd"]}, "sources"),
        ({"key": ""}, "idempotencyKey"),
        ({"key": "k" * 201}, "idempotencyKey"),
        ({"collection": "no name!"}, "collection"),
        ({"chunking": {"chunker": "none"}}, "chunker"),
        ({"chunking": {"maxTokens": 1}}, "max_tokens"),
        ({"parser": "grobid"}, "parser"),
    ],
)
async def test_what_cannot_be_brought_in_is_refused_and_nothing_is_opened(
    ask: Asking, site: Site, change: dict[str, Any], field: str
):
    found = (await ask(INGEST, **{"sources": [site.url("/0.md")], **change}))["ingest"]

    assert (found["__typename"], found["code"], found["field"]) == ("InvalidInput", "BAD_USER_INPUT", field)
    assert await jobs.list_jobs(ask.database) == []


@pytest.mark.slow
async def test_documents_are_cut_as_the_request_says(ask: Asking, site: Site):
    long = paper("Long", body="The gauges of the harbour rise and fall with each of the tides of the sea. " * 20)
    site.pages["/long.md"], site.types["/long.md"] = long.encode(), "text/markdown"
    small = {"chunker": "sentence", "maxTokens": 40, "overlap": 0}

    await ask(INGEST, sources=[site.url("/long.md")], collection="small", chunking=small, parser="builtin")
    await ask(INGEST, sources=[site.url("/long.md")], collection="large")
    await ask.work()

    asked = "query ($in: String!) { papers(collection: $in) { nodes { chunks { totalCount } } } }"
    counted = {name: (await ask(asked, **{"in": name}))["papers"]["nodes"] for name in ("small", "large")}
    numbers = {name: [paper["chunks"]["totalCount"] for paper in papers] for name, papers in counted.items()}
    assert numbers["small"] > numbers["large"] >= [1]


async def test_a_cancelled_job_is_left_undone_until_it_is_taken_up_again(ask: Asking, site: Site):
    id = (await ask(INGEST, sources=[site.url("/0.md")]))["ingest"]["id"]

    cancelled = (await ask(CHANGE.replace("NAME", "cancelJob"), id=id))["cancelJob"]
    again = (await ask(CHANGE.replace("NAME", "cancelJob"), id=id))["cancelJob"]
    n_meanwhile = await ask.work()
    retried = (await ask(CHANGE.replace("NAME", "retryJob"), id=id))["retryJob"]
    n_afterwards = await ask.work()

    assert cancelled["state"] == again["state"] == "CANCELLED"
    assert (retried["state"], n_meanwhile, n_afterwards) == ("QUEUED", 0, 1)
    for name in ("cancelJob", "retryJob"):
        unknown = (await ask(CHANGE.replace("NAME", name), id="elsewhere"))[name]
        assert (unknown["__typename"], unknown["code"]) == ("NotFound", "NOT_FOUND")


@pytest.mark.slow
async def test_progress_is_told_until_the_job_is_done(ask: Asking, site: Site):
    id = (await ask(INGEST, sources=[site.url(f"/{number}.md") for number in range(4)]))["ingest"]["id"]
    operation = "subscription ($id: ID!) { jobProgress(id: $id) { state nPending progress } }"

    told = await schema.subscribe(operation, variable_values={"id": id}, context_value=ask.context)
    states = []
    async for result in told:  # type: ignore[union-attr]
        assert not result.errors
        states.append(result.data["jobProgress"])
        if len(states) == 1:
            await ask.work()

    assert states[0] == {"state": "QUEUED", "nPending": 4, "progress": 0.0}
    assert states[-1] == {"state": "DONE", "nPending": 0, "progress": 1.0}


@pytest.mark.slow
async def test_events_tell_of_each_document_that_changed(ask: Asking, site: Site):
    id = (await ask(INGEST, sources=[site.url(f"/{number}.md") for number in range(4)]))["ingest"]["id"]
    operation = """subscription ($id: ID!) { jobEvents(id: $id) {
        job { state nEmbedded } tasks { id state stage nChunks nEmbedded secondsLeft } } }"""

    told = await schema.subscribe(operation, variable_values={"id": id}, context_value=ask.context)
    events = []
    async for result in told:  # type: ignore[union-attr]
        assert not result.errors
        events.append(result.data["jobEvents"])
        if len(events) == 1:
            await ask.work()

    stored = await jobs.tasks_of(ask.database, id)
    last = {task["id"]: task for event in events for task in event["tasks"]}
    assert events[0] == {"job": {"state": "QUEUED", "nEmbedded": 0}, "tasks": []}
    assert events[-1]["job"] == {"state": "DONE", "nEmbedded": sum(task.n_chunks for task in stored)}
    assert {id: task["nChunks"] for id, task in last.items()} == {task.id: task.n_chunks for task in stored}
    assert {task["state"] for task in last.values()} == {"DONE"}


@pytest.mark.slow
async def test_a_document_that_is_embedded_tells_how_many_of_its_chunks_are(
    database: Database, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Slow(QuickEmbedder):
        def encode_documents(self, texts: Sequence[str]) -> Floats:
            time.sleep(0.01 * len(texts))
            return super().encode_documents(texts)

    monkeypatch.setattr("papergraph.ingest.jobs.worker.RENEWED_EVERY_S", 0.2)
    monkeypatch.setattr("papergraph.ingest.pipeline.work.RENEWED_EVERY_S", 0.2)
    monkeypatch.setattr("papergraph.ingest.pipeline.work.FIRST_TEXTS", 4)
    monkeypatch.setattr("papergraph.ingest.jobs.queue.FOLLOWED_EVERY_S", 0.1)
    (tmp_path / "long.md").write_text("# Long\n\n" + "\n\n".join(f"## Part {n}\n\n{n} words." for n in range(200)))
    embedder = Slow(embedder)
    job = await enqueue(database, embedder, [tmp_path / "long.md"])
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        group.create_task(work(database, embedder, once=True))
        seen = [task async for event in jobs.follow_tasks(database, job.id) for task in event.tasks]

    embedded = [task for task in seen if task.stage == "embed"]
    assert [task.n_embedded for task in embedded] == sorted(task.n_embedded for task in embedded)
    assert any(0 < task.n_embedded < task.n_chunks for task in embedded)
    assert all(0 <= task.seconds_left < 60 for task in embedded if task.n_embedded and task.seconds_left is not None)
    assert (seen[-1].state, seen[-1].n_embedded, seen[-1].seconds_left) == ("done", 0, None)


async def test_jobs_are_listed_from_the_newest_and_tell_no_path_of_the_server(ask: Asking, tmp_path: Path):
    paths = many(tmp_path / "a", 2)
    (tmp_path / "a" / "bad.md").write_bytes(b"\0")
    opened = [(await enqueue(ask.database, ask.embedder, [path])).id for path in [*paths, tmp_path / "a"]]
    await ask.work()
    operation = """
query ($after: String) {
  jobs(first: 2, after: $after) {
    totalCount nodes { id sources tasks { nodes { source key detail } } } pageInfo { hasNextPage endCursor }
  }
}"""
    before = ask.database.n_queries

    first = (await ask(operation))["jobs"]

    assert ask.database.n_queries - before == 3
    second = (await ask(operation, after=first["pageInfo"]["endCursor"]))["jobs"]
    assert [job["id"] for page in (first, second) for job in page["nodes"]] == opened[::-1]
    assert (first["totalCount"], second["pageInfo"]["hasNextPage"]) == (3, False)
    assert first["nodes"][0]["sources"] == ["a"]
    assert str(tmp_path) not in str((first, second))


async def test_who_reaches_another_collection_sees_and_changes_nothing_here(ask: Asking, site: Site, tmp_path: Path):
    await ingest(ask.database, ask.embedder, many(tmp_path, 1))
    (paper,) = (await ask("{ papers { nodes { id } } }"))["papers"]["nodes"]
    id = (await ask(INGEST, sources=[site.url("/0.md")]))["ingest"]["id"]
    ask.principal = Principal("stranger", frozenset(KeyScope), ("elsewhere",))

    listed = await ask("{ jobs { totalCount nodes { id } } }")
    answers = [
        (await ask(INGEST, sources=[site.url("/1.md")]))["ingest"],
        (await ask(CHANGE.replace("NAME", "cancelJob"), id=id))["cancelJob"],
        (await ask(CHANGE.replace("NAME", "retryJob"), id=id))["retryJob"],
        (await ask(DELETE, id=paper["id"]))["deletePaper"],
    ]
    elsewhere = (await ask(INGEST, sources=[site.url("/1.md")], collection="elsewhere"))["ingest"]

    assert listed["jobs"] == {"totalCount": 0, "nodes": []}
    assert [answer["__typename"] for answer in answers] == ["NotFound", "NotFound", "NotFound", "NotFound"]
    assert elsewhere["__typename"] == "Job"
    assert (await jobs.find_job(ask.database, id)).state is JobState.QUEUED


async def test_a_paper_is_deleted_once(ask: Asking, tmp_path: Path):
    await ingest(ask.database, ask.embedder, many(tmp_path, 2))
    papers = (await ask("{ papers { nodes { id keys } } }"))["papers"]["nodes"]

    deleted = (await ask(DELETE, id=papers[0]["id"]))["deletePaper"]
    again = (await ask(DELETE, id=papers[0]["id"]))["deletePaper"]
    refused = (await ask(DELETE, id="/etc/passwd"))["deletePaper"]

    assert deleted == {"__typename": "DeletedPaper", "paperId": papers[0]["id"], "keys": papers[0]["keys"]}
    assert (again["__typename"], again["field"]) == ("NotFound", "id")
    assert (refused["__typename"], refused["field"]) == ("InvalidInput", "id")
    assert (await ask("{ papers { nodes { id keys } } }"))["papers"]["nodes"] == papers[1:]


async def test_a_question_is_accepted_edited_and_rejected(ask: Asking, tmp_path: Path):
    await ingest(ask.database, ask.embedder, many(tmp_path, 1))
    choice = EnrichmentOptions.choose(questions=QuestionOptions(generator="template"))
    questions = [one for one in choice.enrichments(None) if one.name == "questions"]
    await enrich(ask.database, questions, EnrichmentContext(ask.embedder), collection="main")
    listed = "{ questions { nodes { id text review original } } }"
    one, two, *_ = (await ask(listed))["questions"]["nodes"]

    accepted = (await ask(REVIEW, id=one["id"], decision="ACCEPTED"))["reviewQuestion"]
    edited = (await ask(REVIEW, id=one["id"], decision="EDITED", text="What is really studied?"))["reviewQuestion"]
    rejected = (await ask(REVIEW, id=two["id"], decision="REJECTED"))["reviewQuestion"]
    refused = (await ask(REVIEW, id=edited["ids"][0], decision="EDITED"))["reviewQuestion"]
    unknown = (await ask(REVIEW, id=two["id"], decision="ACCEPTED"))["reviewQuestion"]

    assert (accepted["decision"], accepted["ids"]) == ("ACCEPTED", [one["id"]])
    assert (edited["original"], edited["text"]) == (one["text"], "What is really studied?")
    assert rejected["ids"] == [two["id"]]
    assert (refused["__typename"], refused["field"]) == ("InvalidInput", "text")
    assert unknown["__typename"] == "NotFound"
    left = {node["id"]: node for node in (await ask(listed))["questions"]["nodes"]}
    assert two["id"] not in left
    assert left[edited["ids"][0]]["review"] == "EDITED"


async def test_a_service_without_an_intake_brings_nothing_in(ask: Asking):
    bare = replace(ask._service, intake=None)

    result = await schema.execute(
        INGEST, variable_values={"sources": ["https://example.org/a"]}, context_value=Context(bare)
    )

    assert result.errors is not None and result.errors[0].extensions is not None
    assert result.errors[0].extensions["code"] == "INTERNAL"
