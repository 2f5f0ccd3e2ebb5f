"""Results that no change of the code's structure may change: ids, checksums, rankings, hashes and stored forms.

Each test compares a result with a file in ``golden/``, which ``make golden`` writes again. Ids, hashes and names are
compared exactly. Scores are compared within one per mille, so that another processor or another library for the
embedding model passes; hits whose scores lie that near to each other may change places.
"""

import hashlib
import json
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from papergraph.cross_encoder import Rerankers
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.embedding.packaged import PackagedModel
from papergraph.ingest.chunkers import ChunkOptions, chunkers
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import config_hash_of, enrich
from papergraph.ingest.graph.rows import config_hash
from papergraph.ingest.ingestor import JOB_SETTINGS
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import JobKind, Request
from papergraph.ingest.parsers import parsers, pdf
from papergraph.ingest.pipeline.prepare import JobSettings
from papergraph.records import to_json
from papergraph.schema.checksum import graph_checksum
from papergraph.schema.migrate import prepare
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.saved_run import read_saved, replay, saved
from papergraph.server.retrieval.search import SearchResult, run_search, search
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.ingestion import enqueue, ingest

pytestmark = pytest.mark.slow

GOLDEN = Path("tests/contract/golden")
WRITE = os.environ.get("PAPERGRAPH_TEST_GOLDEN") == "write"
SAMPLES = Path("/tmp/papergraph-golden")
"""A copy of the samples. Ids of papers without a DOI are made of paths, so these must be the same everywhere."""

SURFACE_CODES = SAMPLES / "surface-code-logical-error-rates.md"
ENRICHED = [SURFACE_CODES, SAMPLES / "annealing-and-tabu-search.txt", SAMPLES / "leiden-topic-maps.md"]
KEEP = ["SchemaVersion", "EmbeddingModel"]
QUERIES = (
    "How many physical qubits does a distance-7 surface code patch need?",
    "Is tabu search better than simulated annealing?",
)
WRITTEN = ["overhead of surface codes", "97 qubits for a patch of distance 7", "temperature of annealing"]
"""What a language model is taken to have written, for every step that needs one."""

TOLERANCE = 1e-3
NEVER_CUT_SHORT = {"select.deadline_ms": 20_000.0, "select.alpha": 0.97}
"""With these the selection is proven optimal before its deadline, however slow the machine is."""

Ranked = Sequence[tuple[str, float]]

CONTENTS = Statement(
    "test/contents",
    "MATCH (n) WHERE n.id IS NOT NULL AND NOT n:IngestTask AND NOT n:IngestJob "
    "UNWIND [l IN labels(n) WHERE NOT l STARTS WITH '__'] AS label "
    "RETURN label, collect(n.id) AS ids ORDER BY label",
)
RELATIONSHIPS = Statement("test/relationships", "MATCH ()-[r]->() RETURN type(r) AS type, count(r) AS n ORDER BY type")
MADE_OF_VECTORS = {"Cluster", "Prototype", "Summary", "EnrichmentState", "EmbeddingModel", "SchemaVersion"}
MADE_OF_VECTORS |= {"SIMILAR", "IN_CLUSTER", "PARENT_OF"}
"""Labels and types whose nodes depend on how near vectors are, and those of the store itself."""


class WordReranker:
    """A reranker that needs no weights: the share of words that query and passage have in common.

    A number out of the passage's own text keeps two passages from having the same score.
    """

    name = "words"

    def scores(self, query: str, passages: list[str]) -> list[float]:
        """Return the score of each passage, in [0, 1]."""
        words = set(query.lower().split())
        return [self._score(words, passage) for passage in passages]

    def _score(self, words: set[str], passage: str) -> float:
        own = int.from_bytes(hashlib.sha256(passage.encode()).digest()[:4], "big") / 2**32
        return 0.9 * len(words & set(passage.lower().split())) / len(words) + 0.1 * own


class WordRerankers(Rerankers):
    """Gives the reranker of words for every name."""

    async def get(self, name: str) -> Any:
        """Return it."""
        return WordReranker()


@pytest.fixture(scope="module")
def model() -> Embedder:
    """The packaged model."""
    return PackagedModel()


@pytest.fixture(scope="module")
def checksums() -> dict[str, Any]:
    """What the samples were found to be before they got enrichments; filled by ``store``."""
    return {}


@pytest.fixture(scope="module", autouse=True)
def samples() -> None:
    """Copy the samples to where their ids come from; tests of several checkouts may do so at once."""
    SAMPLES.mkdir(exist_ok=True)
    for file in Path("ingest/samples").iterdir():
        copy = SAMPLES.with_name(f"papergraph-golden-{os.getpid()}-{file.name}")
        shutil.copyfile(file, copy)
        copy.replace(SAMPLES / file.name)


@pytest_asyncio.fixture(scope="module")
async def store(neo4j_server: Neo4jServer, model: Embedder, checksums: dict[str, Any]) -> AsyncIterator[Database]:
    """Three samples with all enrichments in ``main``, one cut into a hierarchy in ``tree``, and all in ``samples``."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, model.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        await ingest(database, model, ENRICHED)
        hierarchy = ChunkOptions.choose("hierarchical", max_tokens=32, overlap=0)
        await ingest(database, model, [SURFACE_CODES], collection="tree", options=hierarchy)
        await ingest(database, model, [SAMPLES], collection="samples")
        checksum = await graph_checksum(database)
        checksums |= {"sha256": checksum.sha256, "nodes": checksum.n_nodes, "relationships": checksum.n_relationships}
        choice = EnrichmentOptions.choose(
            questions=QuestionOptions(generator="both"), clusters=ClusterOptions(least=0.0)
        )
        report = await enrich(database, choice.enrichments(None), EnrichmentContext(model), collection="main")
        assert not report.failed
        yield database
        await wipe(database.driver, database=database.name, keep=KEEP)


@pytest.fixture
def resources(store: Database, model: Embedder) -> Resources:
    return replace(Resources.of(store, model), rerankers=WordRerankers("words"))


def golden(name: str, found: Any) -> Any:
    """Return what the file holds, or write ``found`` there first where that is wanted."""
    path = GOLDEN / f"{name}.json"
    if WRITE:
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def assert_same_ranking(then: Ranked, now: Ranked, what: str) -> None:
    """Assert the same ids in the same order with the same scores; near ties may change places, also at the end."""
    assert len(then) == len(now), what
    margin = TOLERANCE * max((abs(score) for _, score in then), default=1.0)
    scores = dict(then)
    last = then[-1][1] if then else 0.0
    for (id_then, score_then), (id_now, score_now) in zip(then, now, strict=True):
        assert score_now == pytest.approx(score_then, abs=margin), f"{what}: score of {id_now}"
        if id_now != id_then:
            assert scores.get(id_now, last) == pytest.approx(score_then, abs=margin), f"{what}: {id_now} for {id_then}"


def ranked(found: SearchResult) -> Ranked:
    return [(hit.chunk.id, round(hit.score, 6)) for hit in found.hits]


async def run_of(resources: Resources, query: str, name: str) -> SearchResult:
    steps = shipped()[name].steps
    overrides: dict[str, Any] = {}
    if any(step.step == "select" for step in steps):
        overrides |= NEVER_CUT_SHORT
    if any(step.step == "threshold" for step in steps):
        overrides |= {"threshold.above": 0.1}
    numbers = range(1, len(steps) + 1)
    generated = {f"{number}{of_round}": WRITTEN for number in numbers for of_round in ("", ".1", ".2", ".3")}
    planned = SearchRequest(query, pipeline=name, overrides=overrides).planned()
    return await run_search(resources, planned, generated=generated)


async def test_the_samples_have_the_same_ids_and_the_same_checksum(store: Database, checksums: dict[str, Any]):
    contents = {record["label"]: sorted(record["ids"]) for record in await store.read(CONTENTS)}
    types = {record["type"]: record["n"] for record in await store.read(RELATIONSHIPS)}
    papers = contents["Paper"]
    hashes = {
        label: {"n": len(ids), "sha256": hashlib.sha256("\n".join(ids).encode()).hexdigest()}
        for label, ids in contents.items()
        if label not in MADE_OF_VECTORS
    }
    counts = {name: n for name, n in types.items() if name not in MADE_OF_VECTORS}
    found = {"checksum": checksums, "papers": papers, "ids": hashes, "relationships": counts}

    assert golden("samples", found) == found


async def test_every_pipeline_ranks_the_samples_the_same(resources: Resources):
    found = {name: {query: ranked(await run_of(resources, query, name)) for query in QUERIES} for name in shipped()}

    then = golden("pipelines", found)

    assert list(then) == sorted(found)
    for name, runs in then.items():
        for query, hits in runs.items():
            assert_same_ranking(hits, found[name][query], f"{name}: {query}")
    assert any(hits for runs in then.values() for hits in runs.values())


def test_hashes_of_configurations_are_the_same(model: Embedder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(parsers(), "pdf", replace(pdf.PARSER, version=pdf.VERSION))  # with or without the extra ocr
    settings = JOB_SETTINGS.dump_json(JobSettings(ChunkOptions(), 20_000_000, None)).decode()
    of_chunkers = {name: config_hash(model.card, ChunkOptions.choose(name)) for name in chunkers()}
    enrichments = EnrichmentOptions.choose().enrichments(None)
    request = Request("main", ("arxiv:2401.01234",), settings, of_chunkers["default"])
    made = replace(request, kind=JobKind.ENRICHMENTS, specs=("questions",))
    prompts = {path.stem: path.read_bytes() for path in prompt_files()}
    assert len(prompts) == len(prompt_files())
    pipelines = {name: json.dumps(one.as_dict(), sort_keys=True) for name, one in shipped().items()}
    found = {
        "model": model.card.sha256,
        "chunkers": of_chunkers,
        "job settings": json.loads(settings),
        "requests": [request.hash, made.hash],
        "enrichments": {enrichment.name: enrichment.config_hash for enrichment in enrichments},
        "all enrichments": config_hash_of(enrichments),
        "enrichment options": json.loads(EnrichmentOptions.choose().to_json()),
        "pipelines": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in pipelines.items()},
        "prompts": {name: hashlib.sha256(text).hexdigest() for name, text in prompts.items()},
    }

    assert golden("hashes", found) == found


def prompt_files() -> list[Path]:
    """Return the prompts that come with the code, wherever they lie."""
    folders = ("papergraph", "schema", "ingest", "server", "evaluation")
    return sorted(path for folder in folders for path in Path(folder).rglob("prompts/*.txt"))


async def test_a_job_and_its_tasks_have_the_same_form(store: Database, model: Embedder):
    job = await enqueue(store, model, [SAMPLES / "leiden-topic-maps.md"], collection="queue")
    tasks = await jobs.tasks_of(store, job.id, limit=10)
    await jobs.cancel(store, job.id)
    cancelled = await jobs.find_job(store, job.id)
    forms = [job, cancelled, *(task.shown() for task in tasks)]
    found = [without_times(json.loads(to_json(form))) for form in forms]

    assert golden("job", found) == found


def without_times(form: dict[str, Any]) -> dict[str, Any]:
    """Return the form with a mark for each value that no two runs have in common."""
    of_the_run = ("id", "createdAt", "finishedAt", "created_at", "finished_at", "nextTryAt", "next_try_at")
    return {name: "*" if name in of_the_run and value is not None else value for name, value in form.items()}


async def test_a_saved_run_is_written_the_same_and_can_be_replayed(resources: Resources):
    now = json.loads(
        saved(resources, await search(resources, SearchRequest(QUERIES[0], pipeline="default"))).model_dump_json()
    )

    then = golden("saved_run", now)
    _, differences = await replay(resources, read_saved(then))

    assert {**now, "hits": []} == {**then, "hits": []}
    assert_same_ranking(
        [(id, score) for id, score in then["hits"]], [(id, score) for id, score in now["hits"]], "saved"
    )
    assert differences in ([], ["the same hits come in another order"])
