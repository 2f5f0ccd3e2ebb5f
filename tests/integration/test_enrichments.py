"""Enrichments over stored papers: made once, again where something changed, and gone on with after any interruption."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import AnswerFault, BudgetSpentError, DatabaseError, ModelAnswerError, ModelDeadlineError, Reason
from papergraph.ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from papergraph.ingest.enrichments.run import enqueue, enrich, work_on
from papergraph.ingest.ingestor import delete
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs import worker
from papergraph.ingest.jobs.model import JobState, TaskState
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.ids import metadata_cluster_id
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from tests.support.ingestion import ingest

pytestmark = pytest.mark.slow

PAPERS = [Path("ingest/samples/leiden-topic-maps.md"), Path("ingest/samples/zero-noise-extrapolation.md")]
WRITE = Statement(
    "test/write",
    "MATCH (p:Paper {id: $id}) OPTIONAL MATCH (p)-[old:IN_CLUSTER]->(:Cluster) DELETE old "
    "MERGE (c:Cluster {id: $cluster}) "
    "SET c.collection = $collection, c.name = $value, c.kind = 'metadata', c.level = 0 "
    "MERGE (p)-[:IN_CLUSTER]->(c)",
)
COUNT = Statement("test/count", "MATCH (c:Cluster) SET c.nMembers = COUNT { ()-[:IN_CLUSTER]->(c) }")
EMPTY = Statement("test/empty", "MATCH (c:Cluster) WHERE NOT EXISTS { ()-[:IN_CLUSTER]->(c) } DETACH DELETE c")
STANDS = Statement(
    "test/stands", "MATCH (p:Paper)-[:IN_CLUSTER]->(c:Cluster) RETURN p.key AS key, c.name AS name ORDER BY key"
)
MARKS = Statement("test/marks", "MATCH (p:Paper) RETURN p.key AS key, p.enrichments AS enrichments ORDER BY key")


@dataclass(frozen=True)
class OneValue:
    """Puts every paper of some title's length into one cluster; may be told to fail."""

    version: int = 1
    made: list[str] = field(default_factory=list, compare=False)
    finished: list[str] = field(default_factory=list, compare=False)
    trouble: dict[str, Exception] = field(default_factory=dict, compare=False)
    name: str = "metadata"

    @property
    def config_hash(self) -> str:
        return f"v{self.version}"

    def requests(self, paper: StoredPaper) -> int:
        return 1

    async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> str:
        for word, error in self.trouble.items():
            if word in paper.title:
                raise error
        self.made.append(paper.key)
        return f"version {self.version}, {len(paper.chunks)} chunks"

    async def write(
        self, transaction: Transaction, paper: StoredPaper, made: Any, resources: EnrichmentContext, slot: VectorSlot
    ) -> None:
        cluster = metadata_cluster_id(paper.collection, "test", made)
        await transaction.run(WRITE, id=paper.id, cluster=cluster, collection=paper.collection, value=made)
        await transaction.run(EMPTY)
        await transaction.run(COUNT)

    async def finish(
        self, database: Database, collection: str, resources: EnrichmentContext, *, progress: Progress
    ) -> dict[str, int | float]:
        papers = await database.read(STANDS)
        self.finished.append(f"{len(papers)} papers")
        return {"papers": len(papers)}


@pytest.fixture
def resources(embedder: Embedder) -> EnrichmentContext:
    return EnrichmentContext(embedder)


@pytest.fixture
async def graph(database: Database, embedder: Embedder) -> Database:
    await ingest(database, embedder, PAPERS)
    return database


async def test_enrichments_are_made_once_and_then_for_nothing_that_did_not_change(
    graph: Database, resources: EnrichmentContext
):
    enrichment = OneValue()

    first = await enrich(graph, [enrichment], resources, collection="main")
    second = await enrich(graph, [enrichment], resources, collection="main")

    assert (first.n_due, first.n_made, first.stopped, first.failed) == (2, 2, None, ())
    assert first.counts == {"metadata": {"papers": 2}}
    assert (second.n_due, second.job, second.counts) == (0, None, {})
    assert len(enrichment.made) == 2
    assert enrichment.finished == ["2 papers"]
    assert [record["enrichments"] for record in await graph.read(MARKS)] == [["metadata=v1"]] * 2


async def test_another_config_hash_makes_them_anew_and_a_paper_that_comes_is_the_only_one_made(
    database: Database, embedder: Embedder, resources: EnrichmentContext
):
    await ingest(database, embedder, PAPERS[:1])
    old, new = OneValue(), OneValue(version=2)
    await enrich(database, [old], resources, collection="main")

    again = await enrich(database, [new], resources, collection="main")
    await ingest(database, embedder, PAPERS)
    more = await enrich(database, [new], resources, collection="main")

    assert (again.n_made, more.n_papers, more.n_due, more.n_made) == (1, 2, 1, 1)
    assert {record["name"].split(",")[0] for record in await database.read(STANDS)} == {"version 2"}
    assert new.finished == ["1 papers", "2 papers"]


async def test_what_spans_the_collection_is_looked_at_again_when_a_paper_has_gone(
    graph: Database, resources: EnrichmentContext
):
    enrichment = OneValue()
    await enrich(graph, [enrichment], resources, collection="main")

    await delete(graph, [str(PAPERS[0])])
    await graph.run_alone(EMPTY)
    report = await enrich(graph, [enrichment], resources, collection="main")

    assert (report.n_due, report.counts) == (0, {"metadata": {"papers": 1}})


async def test_a_paper_that_the_model_fails_at_is_told_with_the_reason_and_the_others_are_made(
    graph: Database, resources: EnrichmentContext
):
    bad = ModelAnswerError("prompt test", AnswerFault.NOT_JSON, "it is not JSON")
    enrichment = OneValue(trouble={"Leiden": bad})

    report = await enrich(graph, [enrichment], resources, collection="main")
    enrichment.trouble.clear()
    repaired = await enrich(graph, [enrichment], resources, collection="main")

    assert [(refused.enrichment, refused.reason) for refused in report.failed] == [("metadata", Reason.MODEL_ANSWER)]
    assert "it is not JSON" in report.failed[0].detail
    assert (report.n_made, report.stopped) == (1, None)
    assert (repaired.n_due, repaired.n_made, repaired.failed) == (1, 1, ())


async def test_what_fails_time_and_again_is_put_into_quarantine(
    graph: Database, resources: EnrichmentContext, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker, "FIRST_RETRY_S", 0.01)
    enrichment = OneValue(trouble={"Leiden": ModelDeadlineError("prompt test", 1.0)})

    report = await enrich(graph, [enrichment], resources, collection="main")

    (refused,) = report.failed
    assert refused.reason is Reason.MODEL_DEADLINE
    tasks = await jobs.tasks_of(graph, report.job or "")
    assert {(task.state, task.attempts) for task in tasks if task.source == refused.source} == {
        (TaskState.QUARANTINED, worker.MAX_ATTEMPTS)
    }


async def test_a_spent_budget_pauses_the_job_and_the_same_call_goes_on_with_it(
    graph: Database, resources: EnrichmentContext
):
    enrichment = OneValue(trouble={"Leiden": BudgetSpentError("1 requests")})

    stopped = await enrich(graph, [enrichment], resources, collection="main")
    enrichment.trouble.clear()
    finished = await enrich(graph, [enrichment], resources, collection="main")

    assert (stopped.stopped, finished.stopped) == (JobState.PAUSED, None)
    assert "budget of 1 requests" in (stopped.detail or "")
    assert stopped.job == finished.job
    assert sorted(enrichment.made) == sorted(set(enrichment.made))
    assert len(await graph.read(STANDS)) == 2


async def test_an_interrupted_call_leaves_a_job_that_goes_on(graph: Database, resources: EnrichmentContext):
    reached, never = asyncio.Event(), asyncio.Event()

    class Stuck(OneValue):
        async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> str:
            if "Leiden" in paper.title:
                reached.set()
                await never.wait()
            return await super().make(paper, resources)

    task = asyncio.create_task(enrich(graph, [Stuck()], resources, collection="main"))
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (job,) = [job for job in await jobs.list_jobs(graph) if job.kind == "enrichments"]
    report = await enrich(graph, [OneValue()], resources, collection="main")

    assert (job.state, job.detail) == (JobState.PAUSED, "interrupted")
    assert (report.job, report.stopped) == (job.id, None)
    assert len(await graph.read(STANDS)) == 2


async def test_a_paper_that_changes_while_its_enrichment_is_made_is_made_again(
    graph: Database, resources: EnrichmentContext, embedder: Embedder, tmp_path: Path
):
    changed = tmp_path / "paper.md"
    changed.write_text("# Before\n\nSome text of the first version.\n")
    await ingest(graph, embedder, [changed])
    seen: list[str] = []

    class Late(OneValue):
        async def make(self, paper: StoredPaper, resources: EnrichmentContext) -> str:
            if paper.title in ("Before", "After"):
                seen.append(paper.title)
            if paper.title == "Before":
                changed.write_text("# After\n\nSome text of the second version.\n")
                await ingest(graph, embedder, [changed])
            return paper.title

    await enrich(graph, [Late()], resources, collection="main")

    assert seen == ["Before", "After"]
    assert "After" in {record["name"] for record in await graph.read(STANDS)}


async def test_jobs_of_enrichments_can_be_left_to_a_worker_and_shared_by_several(
    graph: Database, resources: EnrichmentContext
):
    enrichments = [OneValue(), OneValue()]
    job = await enqueue(graph, enrichments[:1], collection="main", settings="{}")
    assert job is not None

    await asyncio.gather(*(work_on(graph, [enrichment], resources, job, progress=silent) for enrichment in enrichments))
    while (await jobs.find_job(graph, job.id)).n_pending:
        await work_on(graph, enrichments[:1], resources, job, progress=silent)

    done = await jobs.find_job(graph, job.id)
    assert (done.state, done.states) == (JobState.DONE, {TaskState.DONE: 3})
    assert sorted(enrichments[0].made + enrichments[1].made) == [record["key"] for record in await graph.read(STANDS)]
    assert len(enrichments[0].finished + enrichments[1].finished) == 1


async def test_an_error_of_the_database_ends_the_call_and_nothing_stays_claimed(
    graph: Database, resources: EnrichmentContext
):
    enrichment = OneValue(trouble={"Leiden": DatabaseError("out of order")})

    with pytest.raises(DatabaseError, match="out of order"):
        await enrich(graph, [enrichment], resources, collection="main")
    report = await enrich(graph, [replace(enrichment, trouble={})], resources, collection="main")

    assert (report.stopped, len(await graph.read(STANDS))) == (None, 2)
