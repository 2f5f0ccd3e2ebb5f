"""Enrichments over GraphQL and REST: listed, estimated, made by a worker within a key's budget; what pipelines lack."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import AccessError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, Section
from papergraph.ingest.enrichments.entities import EntityOptions
from papergraph.ingest.enrichments.estimate import names_with_model
from papergraph.ingest.enrichments.metadata import MetadataOptions
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.ingestor import Ingestor
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Job, JobKind, JobState, WaitsFor
from papergraph.ingest.worker import BudgetOf, no_limit
from papergraph.language_model import LanguageModel
from papergraph.server.app import create_app
from papergraph.server.auth.access import KeyScope, Principal, everything
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.auth.usage_budget import UsageBudget
from papergraph.server.graphql.context import Context
from papergraph.server.graphql.schema import schema
from papergraph.server.operations import enrich as operations
from papergraph.server.operations.enrich import EnrichRequest, EnrichService
from papergraph.server.operations.service import Service
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.support.embedders import QuickEmbedder
from tests.support.fake_llm import FakeLLM
from tests.support.ingestion import ingest, many

pytestmark = pytest.mark.slow

LIST = "{ enrichments { name about needs uses missing } }"
ESTIMATE = """
query ($names: [String!]! = [], $in: String) {
  enrichmentEstimate(enrichments: $names, collection: $in) {
    collection enrichments nPapers nDue nRead nChunks nRequests nTokens cost spanning
  }
}"""
PROBLEM = "... on UserError { message code field }"
ENRICH = f"""
mutation ($names: [String!]! = ["links"], $in: String) {{
  enrich(enrichments: $names, collection: $in) {{
    __typename ... on Job {{ id kind collection sources state nDocuments nPending waitsFor }} {PROBLEM}
  }}
}}"""
PIPELINES = "query ($in: String) { pipelines { name needs missing(collection: $in) } }"
SPENT = Statement("test/spent", "MATCH (s:Spending) RETURN s.account AS account, s.tokens AS tokens")


@dataclass
class Asking:
    """GraphQL and a worker in this process."""

    database: Database
    embedder: Any
    model: LanguageModel | None = None
    options: dict[str, Section] = field(default_factory=lambda: {"questions": QuestionOptions(generator="template")})
    principal: Principal = field(default_factory=everything)

    @property
    def service(self) -> Service:
        resources = replace(Resources.of(self.database, self.embedder), language_model=self.model)
        choice = EnrichmentOptions.choose(**self.options)
        return Service(self.database, self.embedder, resources, enrichments=choice)

    async def __call__(self, operation: str, /, **variables: Any) -> Any:
        context = Context(self.service, principal=self.principal)
        result = await schema.execute(operation, variable_values=variables, context_value=context)
        assert result.errors is None, result.errors
        assert isinstance(result.data, dict)
        return next(iter(result.data.values()))

    async def work(self, budget_of: BudgetOf = no_limit) -> int:
        return await Ingestor(self.database, self.embedder).work(once=True, model=self.model, budget_of=budget_of)


@pytest_asyncio.fixture
async def ask(database: Database, embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setattr("papergraph.ingest.worker.FIRST_PAUSE_S", 0.02)
    quick = QuickEmbedder(embedder)
    await ingest(database, quick, many(tmp_path / "papers", 3))
    return Asking(database, quick)


@pytest_asyncio.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path) -> AsyncIterator[LanguageModel]:
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted"}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen) as model:
        yield model


async def open_jobs(ask: Asking) -> list[Job]:
    """Return the jobs of enrichments."""
    return [job for job in await jobs.list_jobs(ask.database) if job.kind is JobKind.ENRICHMENTS]


@pytest.mark.parametrize("name", list(enrichments()))
async def test_an_enrichment_by_the_language_model_requires_ask(ask: Asking, model: LanguageModel, name: str):
    only_ingest, both = (
        Principal("key", frozenset(scopes), ("main",))
        for scopes in ([KeyScope.INGEST], [KeyScope.INGEST, KeyScope.ASK])
    )
    wanted = EnrichRequest((name,), "main")
    for given in (None, model):
        ask.model, ask.options = given, {}
        service = EnrichService(ask.service.resources, ask.service.enrichments)
        calls = names_with_model(service.options.named((name,)), given)
        assert bool(calls) is (given is not None and LANGUAGE_MODEL in enrichments()[name].uses)
        if calls:
            with pytest.raises(AccessError, match="ask"):
                await service.open_job(only_ingest, wanted)
            assert not await open_jobs(ask)
    await service.open_job(both, wanted)


async def test_templates_need_no_ask_beside_a_language_model(ask: Asking, model: LanguageModel):
    ask.model, ask.principal = model, Principal("key", frozenset({KeyScope.INGEST}), ("main",))
    assert (await ask(ENRICH, names=["questions"], **{"in": "main"}))["__typename"] == "Job"


async def test_all_enrichments_are_listed_and_can_be_made_without_a_language_model(ask: Asking):
    listed = await ask(LIST)

    assert [one["name"] for one in listed] == list(enrichments())
    assert all(one["about"] and one["needs"] == one["missing"] == [] for one in listed)
    assert {one["name"]: one["uses"] for one in listed} == {
        "metadata": ["language model"],
        "questions": ["language model", "metadata"],
        "entities": ["language model"],
        "prototypes": ["questions"],
        "clusters": ["entities"],
        "links": [],
        "map": ["clusters"],
    }


async def test_what_is_missing_names_the_next_step_and_no_file_of_the_server(ask: Asking, tmp_path: Path):
    ask.options = {
        "questions": QuestionOptions(generator="model"),
        "entities": EntityOptions(gazetteer=tmp_path / "secret.csv"),
    }

    metadata, questions, entities, *_ = await ask(LIST)
    refused = [await ask(ENRICH, names=[name]) for name in ("questions", "entities")]
    made = await ask(ENRICH, names=["metadata"])

    assert (questions["needs"], questions["uses"]) == (["language model"], ["metadata"])
    assert "PAPERGRAPH_LLM_URL" in questions["missing"][0]
    assert "papergraph enrich --enrichments entities --estimate" in entities["missing"][0]
    assert metadata["missing"] == []
    assert [(one["__typename"], one["field"]) for one in refused] == [("InvalidInput", "enrichments")] * 2
    assert "PAPERGRAPH_LLM_URL" in refused[0]["message"]
    assert str(tmp_path) not in str((entities, refused))
    assert made["__typename"] == "Job"


async def test_the_estimate_counts_requests_and_says_how_many_papers_it_looked_at(
    ask: Asking, model: LanguageModel, monkeypatch: pytest.MonkeyPatch
):
    without = await ask(ESTIMATE, names=["metadata"])
    ask.model = model
    whole = await ask(ESTIMATE, names=["metadata", "clusters"])
    monkeypatch.setattr(operations, "MOST_READ", 1)
    sampled = await ask(ESTIMATE, names=["metadata", "clusters"])

    assert (without["nPapers"], without["nDue"], without["nRequests"], without["cost"]) == (3, 3, 0, 0.0)
    assert (whole["nDue"], whole["nRead"], whole["nRequests"], whole["spanning"]) == (3, 3, 6, ["clusters"])
    assert whole["nTokens"] > 0 and whole["nChunks"] >= 3
    assert sampled == whole | {"nRead": 1}  # the papers are alike
    assert await open_jobs(ask) == []


async def test_a_job_is_queued_worked_off_and_afterwards_nothing_is_to_be_done(ask: Asking):
    opened = await ask(ENRICH, names=["questions", "clusters"])
    again = await ask(ENRICH, names=["questions", "clusters"])
    found = await jobs.find_job(ask.database, opened["id"])
    n_made = await ask.work()
    after = await ask(ENRICH, names=["questions", "clusters"])
    estimate = await ask(ESTIMATE, names=["questions", "clusters"])

    assert (opened["kind"], opened["state"], opened["sources"]) == ("ENRICHMENTS", "QUEUED", ["questions", "clusters"])
    assert (opened["collection"], opened["nDocuments"], opened["nPending"]) == ("main", 3, 5)
    assert again["id"] == opened["id"]
    assert found.waits_for in (None, WaitsFor.WORKER)
    assert n_made == 3
    assert (after["__typename"], after["state"], after["nPending"]) == ("Job", "DONE", 0)
    assert (estimate["nDue"], estimate["spanning"]) == (0, [])
    assert (await ask("{ questions { totalCount } }"))["totalCount"] > 0
    job = await jobs.find_job(ask.database, opened["id"])
    assert (job.state, job.progress) == (JobState.DONE, 1.0)


async def test_a_job_is_cancelled_and_taken_up_again(ask: Asking):
    id = (await ask(ENRICH, names=["questions"]))["id"]

    cancelled = await ask("mutation ($id: ID!) { cancelJob(id: $id) { ... on Job { state } } }", id=id)
    n_meanwhile = await ask.work()
    retried = await ask("mutation ($id: ID!) { retryJob(id: $id) { ... on Job { state } } }", id=id)
    n_afterwards = await ask.work()

    assert (cancelled["state"], n_meanwhile, retried["state"], n_afterwards) == ("CANCELLED", 0, "QUEUED", 3)


@pytest.mark.parametrize(
    "given, kind, field",
    [
        ({"names": []}, "InvalidInput", "enrichments"),
        ({"names": ["magic"]}, "InvalidInput", "enrichments"),
        ({"names": ["questions,links"]}, "InvalidInput", "enrichments.0"),
        ({"names": ["links"] * 21}, "InvalidInput", "enrichments"),
        ({"in": "no name!"}, "InvalidInput", "collection"),
        ({"in": "nowhere"}, "NotFound", "collection"),
    ],
)
async def test_what_cannot_be_made_is_refused_and_nothing_is_opened(
    ask: Asking, given: dict[str, Any], kind: str, field: str
):
    refused = await ask(ENRICH, **given)

    assert (refused["__typename"], refused["field"]) == (kind, field)
    assert await open_jobs(ask) == []


async def test_who_does_not_reach_a_collection_makes_nothing_there_and_learns_nothing_of_it(ask: Asking):
    await ask(ENRICH, names=["questions"])
    await ask.work()
    ask.principal = Principal("stranger", frozenset(KeyScope), ("elsewhere",))

    refused = await ask(ENRICH, **{"names": ["links"], "in": "main"})
    lacking = {one["name"]: one["missing"] for one in await ask(PIPELINES, **{"in": "main"})}

    assert refused["__typename"] == "NotFound"
    assert "'main' has no questions" in str(lacking["pr3-naive"])


async def test_a_job_spends_the_daily_budget_of_the_key_that_opened_it(
    ask: Asking, model: LanguageModel, fake_llm: FakeLLM
):
    ask.model, ask.principal = model, everything("spender")
    ask.options = {"metadata": MetadataOptions()}
    fake_llm.otherwise('{"area": [], "domain": [], "task": [], "method": [], "contribution": []}')
    small = UsageBudget(ask.database, ServerLimits(tokens_per_day=10))
    large = UsageBudget(ask.database, ServerLimits(tokens_per_day=10_000_000))
    id = (await ask(ENRICH, names=["metadata"]))["id"]

    await ask.work(lambda principal: small.of(everything(principal)))
    paused = await jobs.find_job(ask.database, id)
    n_asked = len(fake_llm.requests)
    await ask("mutation ($id: ID!) { retryJob(id: $id) { ... on Job { state } } }", id=id)
    await ask.work(lambda principal: large.of(everything(principal)))
    done = await jobs.find_job(ask.database, id)

    assert (paused.state, n_asked) == (JobState.PAUSED, 0)
    assert "budget" in (paused.detail or "")
    assert (done.state, done.progress) == (JobState.DONE, 1.0)
    assert len(fake_llm.requests) >= 3
    (spent,) = await ask.database.read(SPENT)
    assert spent["account"] == "spender" and spent["tokens"] > 0


async def test_pipelines_say_what_is_missing_and_run_once_it_is_there(ask: Asking):
    before = {one["name"]: one for one in await ask(PIPELINES)}
    n_queries = ask.database.n_queries
    await ask(PIPELINES)
    n_queries = ask.database.n_queries - n_queries
    await ask(ENRICH, names=["questions"])
    await ask.work()
    after = {one["name"]: one for one in await ask(PIPELINES)}

    assert before["default"]["missing"] == []
    assert all(one["missing"] for one in before.values() if one["needs"])
    assert not any(one["missing"] for one in before.values() if not one["needs"])
    assert "papergraph enrich --questions template --collection main" in str(before["pr3-naive"]["missing"])
    assert n_queries == 1
    without_model = [one for one in after.values() if one["needs"] == ["questions"]]
    assert without_model and not any(one["missing"] for one in without_model)
    search = 'query ($name: String!) { search(input: {query: "paper", pipeline: $name}) { hits { rank } } }'
    assert (await ask(search, name=without_model[0]["name"]))["hits"]


async def test_rest_lists_estimates_and_opens_jobs_as_graphql_does(ask: Asking):
    application = create_app(ask.service)
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost/v1") as client:
        listed = (await client.get("/enrichments")).json()["data"]
        wanted = {"enrichments": ["questions", "links"]}
        estimate = (await client.get("/enrichments/estimate", params=wanted)).json()
        opened = await client.post("/enrichments", json=wanted)
        unknown = await client.post("/enrichments", json={"enrichments": ["magic"]})
        elsewhere = await client.post("/enrichments", json={"enrichments": ["links"], "collection": "nowhere"})
        await ask.work()
        done = (await client.get(f"/{opened.headers['location']}")).json()
        pipelines = (await client.get("/pipelines", params={"collection": "main"})).json()["data"]
        naive = (await client.get("/pipelines/pr3-naive")).json()

    assert listed == await ask(LIST)
    assert (estimate["nDue"], estimate["nRequests"], estimate["spanning"]) == (3, 0, ["questions", "links"])
    assert opened.status_code == 202
    assert (opened.json()["kind"], opened.json()["nPending"]) == ("enrichments", 5)
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (400, "enrichments")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (404, "NOT_FOUND")
    assert (done["state"], done["progress"]) == ("done", 1.0)
    lacking = {one["name"]: one["missing"] for one in pipelines}
    assert lacking["pr3-naive"] == naive["missing"] == []
    assert "'main' has no prototypes" in str(lacking["quim"])
