"""Every shipped pipeline on a real Neo4j with all enrichments, a scripted language model and a small cross-encoder."""

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from papergraph.cross_encoder import RerankerMissingError, Rerankers
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import DeviceMemoryError, InputError, LanguageModelError
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.language_model import LanguageModel
from papergraph.language_model.client import Retries
from papergraph.schema.embedding_models import State
from papergraph.schema.migrate import prepare
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer
from papergraph.server.answers.request import AskRequest
from papergraph.server.retrieval.active_model import KeptVectors
from papergraph.server.retrieval.candidates import RankedCandidate, RetrieverName
from papergraph.server.retrieval.filters import parse_filter, resolve
from papergraph.server.retrieval.pipelines import Pipeline, parse, shipped
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import ModelMissingError
from papergraph.server.retrieval.saved_run import read_saved, replay, saved
from papergraph.server.retrieval.search import SearchResult, search
from papergraph.server.retrieval.steps.merge import merge_parents
from papergraph.server.retrieval.steps.select import Select
from papergraph.server.selection.ising_backend import device_of
from papergraph.settings import Settings
from papergraph.settings.groups import RerankerSettings
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.embedders import save_tiny_cross_encoder
from tests.support.fake_llm import FAULTS, FakeLLM, Reply, rate_limited
from tests.support.fake_model_server import FakeModelServer, Fault
from tests.support.ingestion import ingest
from tests.support.pbit_emulators import emulators

SAMPLES = Path("ingest/samples")
LEIDEN = "Topic Maps of Citation Graphs with the Leiden Method"
SURFACE_CODES = SAMPLES / "surface-code-logical-error-rates.md"
PAPERS = [SURFACE_CODES, SAMPLES / "leiden-topic-maps.md", SAMPLES / "hnsw-nearest-neighbour-search.md"]
QUESTION = "How many physical qubits does a distance-7 surface code patch need?"
TREE = "tree"
KEEP = ["SchemaVersion", "EmbeddingModel"]
BODIES = Statement(
    "test/bodies",
    "MATCH (c:Chunk {collection: 'tree', level: 0})-[:CHILD_OF]->(p) WITH p, c ORDER BY c.ordinal "
    "WITH p, count(c) AS n, collect(c.text) AS texts "
    "WHERE n > 1 AND reduce(size = n, text IN texts | size + size(text)) <= 2000 "
    "RETURN p.id AS parent, texts ORDER BY n DESC, parent LIMIT 1",
)
PARTS = Statement(
    "test/parts",
    "MATCH (c:Chunk {collection: 'tree'})-[:CHILD_OF]->(p) WITH p, c ORDER BY c.ordinal "
    "WITH p, collect(c.id) AS ids WHERE size(ids) % 2 = 0 RETURN ids ORDER BY p.ordinal",
)

ENTITY = Statement(
    "test/entity",
    "MATCH (e:Entity {collection: 'main'})<-[:MENTIONS]-(c:Chunk {kind: 'body'}) WITH e, count(c) AS n WHERE n > 2 "
    "RETURN e.name AS name ORDER BY n, name LIMIT 1",
)
THREE = Statement("test/three", "MATCH (c:Chunk {collection: 'main'}) RETURN c.id AS id ORDER BY id LIMIT 3")
TURNED = Statement(
    "test/turned",
    "MATCH (c:Chunk {id: $id}) SET c.embedding = [x IN c.embedding | -x], "
    "c.embeddingHash = coalesce($hash, c.embeddingHash)",
)
SEARCHED = Statement(
    "test/searched",
    "MATCH (c:Chunk) WHERE c.id IN $ids AND NOT c.kind IN ['references', 'acknowledgements'] RETURN c.id AS id",
)


@pytest_asyncio.fixture(scope="module")
async def store(neo4j_server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """Three of the samples with all enrichments in ``main``, and one cut into a hierarchy in ``tree``."""
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        await ingest(database, embedder, PAPERS)
        choice = EnrichmentOptions.choose(
            questions=QuestionOptions(generator="both"), clusters=ClusterOptions(least=0.0)
        )
        report = await enrich(database, choice.enrichments(None), EnrichmentContext(embedder), collection="main")
        assert not report.failed
        hierarchy = ChunkOptions.choose("hierarchical", max_tokens=32, overlap=0)
        await ingest(database, embedder, [SURFACE_CODES], collection=TREE, options=hierarchy)
        yield database
        await wipe(database.driver, database=database.name, keep=KEEP)


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny_cross_encoder(tmp_path_factory.mktemp("reranker")))


@pytest.fixture
def bare(store: Database, embedder: Embedder) -> Resources:
    """What there is without a language model and without a reranker."""
    return Resources.of(store, embedder)


@pytest_asyncio.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path) -> AsyncIterator[LanguageModel]:
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted", "timeout_s": 5.0}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen, retries=Retries(2, 2.0, first_pause_s=0.01)) as model:
        yield model


@pytest.fixture
def full(bare: Resources, model: LanguageModel, reranker: str) -> Resources:
    return replace(bare, language_model=model, rerankers=Rerankers(reranker))


def queries(*texts: str) -> str:
    return json.dumps({"queries": texts})


def steps_of(found: SearchResult) -> list[str]:
    return [step.step for step in found.outcome.trace]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in shipped().items() if one.asks_model])
async def test_an_answer_outlives_every_fault_of_its_model_and_keeps_nothing_of_it(
    bare: Resources, reranker: str, fake_llm: FakeLLM, tmp_path: Path, name: str
):
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted", "timeout_s": 0.2}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen, retries=Retries(1, 0.1)) as model:
        resources = replace(bare, language_model=model, rerankers=Rerankers(reranker))
        for fault in FAULTS.values():
            fake_llm.otherwise(fault)

            found = await answer(resources, AskRequest(QUESTION, pipeline=name, min_answerability=0.0))

            assert isinstance(found, Answer)
            assert not found.llm_generated
            assert len(found.warnings) >= 2  # a step of the pipeline, and the reader
            assert all(found.sources[one.number - 1].hit.chunk.id == one.chunk_id for one in found.citations)
    assert not [file for file in (tmp_path / "cache").rglob("*") if file.is_file() and file.suffix == ".json"]


WITHOUT = [name for name, one in shipped().items() if not one.asks_model and not one.rerankers]
WITH_MODEL = [name for name, one in shipped().items() if one.asks_model]


@pytest.mark.parametrize("name", WITHOUT)
async def test_a_pipeline_without_a_model_answers_with_a_trace_and_the_same_again(bare: Resources, name: str):
    selects = any(step.step == "select" for step in shipped()[name].steps)
    # proven soon, and not as good as the time allows
    unhurried = {"select.deadline_ms": 20_000.0, "select.alpha": 0.97} if selects else {}

    found = await search(bare, SearchRequest(QUESTION, pipeline=name, overrides=unhurried))
    again = await search(bare, SearchRequest(QUESTION, pipeline=name, overrides=unhurried))

    assert 1 <= len(found.hits) <= max(shipped()[name].k, 20)
    assert [hit.chunk.id for hit in found.hits] == [hit.chunk.id for hit in again.hits]
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert steps_of(found) == [step.step for step in shipped()[name].steps]
    calls = [call for step in found.outcome.trace for call in step.cypher]
    assert calls and all(call.file.startswith("retrieval/") for call in calls)
    assert not any(isinstance(value, list) and len(value) > 20 for call in calls for value in call.parameters.values())


@pytest.mark.parametrize("name", ["default", "fast", "vector", "fulltext", "fused", "kv", "m1", "rag", "ensemble"])
async def test_the_passage_that_answers_is_among_the_first(bare: Resources, name: str):
    selects = any(step.step == "select" for step in shipped()[name].steps)
    unhurried = {"select.deadline_ms": 20_000.0} if selects else {}

    hits = (await search(bare, SearchRequest(QUESTION, pipeline=name, overrides=unhurried))).hits

    assert any(hit.chunk.text.startswith("A patch of distance 7 uses 97 physical qubits") for hit in hits[:5])


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_MODEL)
async def test_a_pipeline_with_a_model_searches_for_what_it_writes(full: Resources, fake_llm: FakeLLM, name: str):
    fake_llm.otherwise(queries("qubits of a patch", "overhead of surface codes", "97 qubits", "logical error rates"))
    fake_llm.when("possible answers", queries("A patch needs 97 of them.", "A patch needs 49 of them."))
    fake_llm.when("You brief a researcher", json.dumps({"summary": "What patches cost.", "keywords": ["patch"]}))
    if name == "m8":
        fake_llm.when("The answer is a draft", "A patch takes 97 physical qubits.")

    overrides = {"threshold.above": 0.0} if name in ("m6", "m7", "m8") else {}
    found = await search(full, SearchRequest(QUESTION, pipeline=name, overrides=overrides))

    origins = {asked.origin for asked in found.outcome.queries}
    wanted = {f"{step.by}" for step in shipped()[name].steps if step.step in ("expand", "iterate")}
    assert origins == {"query", *wanted}
    assert len(found.outcome.queries) > 2 or wanted == {"follow-up"}  # the scripted model repeats its question
    assert found.hits
    assert {retriever.query for hit in found.hits for retriever in hit.retrievers} > {0} or name.endswith("*")
    assert (found.outcome.draft == "A patch takes 97 physical qubits.") == (name == "m8")
    assert all(0.0 <= hit.score <= 1.0 for hit in found.hits)


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        Reply("no JSON"),
        Reply(queries()),
        Reply(queries("one"), finish_reason="length"),
        rate_limited(after_s=0),
        Reply(status=500),
        Reply("", cut_after=10),
        Reply(queries("late"), delay_s=60),
    ],
    ids=["broken", "empty", "truncated", "429", "500", "cut", "hanging"],
)
async def test_a_model_that_fails_ends_the_search_with_a_typed_error(full: Resources, fake_llm: FakeLLM, reply: Reply):
    fake_llm.otherwise(reply)

    with pytest.raises(LanguageModelError):
        await search(full, SearchRequest(QUESTION, pipeline="m3"))


@pytest.mark.slow
async def test_what_is_missing_is_told_before_anything_is_searched(bare: Resources, full: Resources):
    n_before = bare.database.n_queries
    with pytest.raises(ModelMissingError, match=r"pipeline sv\*, step 1, expand, asks a language model"):
        await search(bare, SearchRequest(QUESTION, pipeline="sv*"))
    with pytest.raises(RerankerMissingError, match="PAPERGRAPH_RERANKER_MODEL"):
        await search(bare, SearchRequest(QUESTION, pipeline="m2"))
    assert bare.database.n_queries == n_before
    for name, enrichment in (("quim", "questions"), ("pr3-naive", "questions"), ("kv", "entities")):
        with pytest.raises(
            InputError, match=f"searches {enrichment}, and collection 'tree' has none: run papergraph enrich"
        ):
            await search(bare, SearchRequest(QUESTION, pipeline=name, collection=TREE))


async def test_a_hit_by_a_question_or_an_entity_tells_the_way(bare: Resources):
    by_question = (await search(bare, SearchRequest(QUESTION, pipeline="pr3-naive"))).hits[0]
    entity = parse("e", {"steps": [{"step": "search", "retrievers": ["entity"], "k": 3}]})
    walk = parse("w", {"steps": [{"step": "search", "retrievers": ["pagerank"], "k": 3}]})
    by_entity = (await search(bare, SearchRequest("What is a surface code?", pipeline=entity))).hits[0]
    by_walk = (await search(bare, SearchRequest("What is a surface code?", pipeline=walk))).hits

    assert [via.label for via in by_question.via] == ["Question"]
    assert by_question.via[0].name and by_question.retrievers[0].via == by_question.via
    assert {via.label for via in by_entity.via} == {"Entity"}
    assert 0.0 < by_walk[-1].score <= by_walk[0].score < 1.0
    assert all(retriever.retriever is RetrieverName.PAGERANK for retriever in by_walk[0].retrievers)


async def test_a_served_reranker_orders_hits_and_its_failure_is_a_warning(bare: Resources):
    with FakeModelServer() as models:
        served = Rerankers("some/reranker", served=RerankerSettings(url=models.url, attempts=1, timeout_s=60.0))
        resources = replace(bare, rerankers=served)

        reranked = await search(resources, SearchRequest(QUESTION, pipeline="m2"))
        models.always = lambda request: Fault(status=503)
        left = await search(resources, SearchRequest(QUESTION, pipeline="m2"))

    scores = [hit.score for hit in reranked.hits]
    assert scores == sorted(scores, reverse=True) and scores[0] <= 1
    assert {request.body["query"] for request in models.requests} == {QUESTION}
    failed = "step rerank was left out: the server of the reranker some/reranker failed"
    assert ["published for chunks of topic" in warning for warning in reranked.outcome.warnings] == [True]
    assert sorted(left.outcome.warnings) == sorted([*reranked.outcome.warnings, failed])
    assert left.hits and all(0 <= hit.score <= 1 for hit in left.hits)


async def test_default_takes_the_configured_reranker_for_one_question(bare: Resources):
    async def ranked(query: str, protocol: str = "cohere", status: int | None = None) -> tuple[list[str], list[str]]:
        asked.clear()
        with FakeModelServer() as models:
            models.always = lambda request: asked.append(request) or (Fault(status=status) if status else None)
            settings = RerankerSettings(url=models.url, attempts=1, timeout_s=60.0, protocol=protocol)
            served = Rerankers("some/reranker", served=settings)
            found = await search(replace(bare, rerankers=served), SearchRequest(query))
        return [hit.chunk.id for hit in found.hits], list(found.outcome.warnings)

    asked: list[object] = []
    several = "What is a surface code? How does quantum annealing work?"
    plain = [hit.chunk.id for hit in (await search(bare, SearchRequest(QUESTION))).hits]
    apart = [hit.chunk.id for hit in (await search(bare, SearchRequest(several))).hits]

    reranked, _ = await ranked(QUESTION)
    assert asked and reranked != plain and len(reranked) == len(plain)
    assert (await ranked(several))[0] == apart and not asked
    assert (await ranked(QUESTION, "labels"))[0] == plain and not asked
    left, warnings = await ranked(QUESTION, status=503)
    assert left == plain and warnings == ["step rerank was left out: the server of the reranker some/reranker failed"]


async def test_a_gpu_that_is_too_full_for_the_reranker_is_a_warning(bare: Resources):
    class Full:
        def scores(self, query: str, passages: Sequence[str]) -> list[float]:
            raise DeviceMemoryError("cuda", setting="PAPERGRAPH_RERANKER_DEVICE")

    rerankers = Rerankers("some/reranker")
    rerankers._loaded["some/reranker"] = Full()

    found = await search(replace(bare, rerankers=rerankers), SearchRequest(QUESTION, pipeline="m2"))

    assert found.hits
    failed = "step rerank was left out: the GPU has too little memory for the reranker some/reranker"
    assert failed in found.outcome.warnings


@pytest.mark.slow
async def test_it_is_told_why_a_hit_is_not_higher(bare: Resources, full: Resources):
    first, second, *_ = (await search(bare, SearchRequest(QUESTION, pipeline="fused"))).hits
    reranked = (await search(full, SearchRequest(QUESTION, pipeline="m2"))).hits

    assert first.why_not_higher == ""
    assert "retriever" in second.why_not_higher and " against " in second.why_not_higher
    assert [place.step for hit in reranked for place in hit.rank_history] == [1, 2] * 5
    overtaken = [
        hit for above, hit in itertools.pairwise(reranked) if hit.rank_history[0].rank < above.rank_history[0].rank
    ]
    assert overtaken and all(hit.why_not_higher.startswith("rerank (step 2) put it at ") for hit in overtaken)


@pytest.mark.parametrize("name", ["fused", "m1", "default"])
async def test_too_few_that_pass_are_filled_up_from_outside_and_marked(bare: Resources, name: str):
    few = parse_filter({"authors": ["Noor Winterbourne"], "kinds": ["abstract"]})

    narrow = await search(bare, SearchRequest(QUESTION, pipeline=name, filter=few))
    filled = await search(bare, SearchRequest(QUESTION, pipeline=name, filter=few, backfill=True))
    again, differences = await replay(bare, saved(bare, filled))

    n = len(narrow.hits)
    assert 1 <= n < shipped()[name].k == len(filled.hits)
    assert [hit.chunk.id for hit in filled.hits[:n]] == [hit.chunk.id for hit in narrow.hits]
    assert [hit.outside_filter for hit in filled.hits] == [False] * n + [True] * (len(filled.hits) - n)
    assert filled.hits[n].why_not_higher == "the filter does not let it pass"
    assert len({hit.chunk.id for hit in filled.hits}) == len(filled.hits)
    assert differences == [] and [hit.outside_filter for hit in again.hits] == [
        hit.outside_filter for hit in filled.hits
    ]


async def test_parents_take_the_place_of_parts_of_which_more_than_half_were_found(bare: Resources):
    (record,) = await bare.database.read(BODIES)

    found = await search(bare, SearchRequest(" ".join(record["texts"]), pipeline="am", collection=TREE, k=50))

    parents = [hit for hit in found.hits if hit.merged_chunk_ids]
    assert record["parent"] in {hit.chunk.id for hit in found.hits} | {
        id for hit in parents for id in hit.merged_chunk_ids
    }
    assert all(len(set(hit.merged_chunk_ids)) == len(hit.merged_chunk_ids) > 0 for hit in parents)
    shown = [hit.chunk.id for hit in found.hits]
    assert not set(shown) & {id for hit in parents for id in hit.merged_chunk_ids}
    even = [record["ids"] for record in await bare.database.read(PARTS)]
    assert even
    for ids in even:
        half = [RankedCandidate(id, "paper", 1.0) for id in ids[: len(ids) // 2]]
        more = [*half, RankedCandidate(ids[-1], "paper", 0.5)]
        assert await merge_parents(bare, half, ratio=0.5) == half
        (merged,) = await merge_parents(bare, more, ratio=0.5)
        assert merged.chunk_id not in ids


async def test_what_a_passage_names_comes_in_by_the_link_that_is_told(bare: Resources, tmp_path: Path):
    (tmp_path / "gauge.md").write_text("# Gauge of Vellmar\n\nThe gauge stands below the Old Weir of Ostrava.\n")
    (tmp_path / "weir.md").write_text("# Old Weir of Ostrava\n\nIt was built by monks in 1410, of oak and stone.\n")
    await ingest(bare.database, bare.model.searched.embedder, [tmp_path], collection="rivers")
    links = EnrichmentOptions.read(None, names="links").enrichments(None)
    await enrich(bare.database, links, EnrichmentContext(bare.model.searched.embedder), collection="rivers")

    question = "Who built what the Gauge of Vellmar stands below?"
    found = await search(bare, SearchRequest(question, collection="rivers"))

    steps = {step.step: step for step in found.outcome.trace}
    by_name = [
        retriever for hit in found.hits for retriever in hit.retrievers if retriever.retriever is RetrieverName.NAME
    ]
    assert {hit.paper.title for hit in found.hits} == {"Gauge of Vellmar", "Old Weir of Ostrava"}
    assert by_name and "retrieval/follow_links" in {call.file for call in steps["merge"].cypher}
    weir = next(hit for hit in found.hits if hit.paper.title == "Old Weir of Ostrava")
    assert next(via.label for via in weir.via) == "Chunk" and "weir" in weir.via[-1].name.lower()


async def test_the_graph_around_the_first_hits_is_added_behind_them(bare: Resources):
    steps = [
        {"step": "search", "retrievers": ["vector"], "k": 2},
        {"step": "merge", "by": "graph", "via": ["mentions", "similar", "cites"], "depth": 2, "cap": 4},
    ]
    found = await search(bare, SearchRequest(QUESTION, pipeline=parse("around", {"steps": steps})))

    added = found.hits[2:]
    assert 1 <= len(added) <= 4
    assert all(not hit.retrievers and hit.via and hit.score <= found.hits[1].score for hit in added)


async def test_neighbours_become_part_of_the_passage_and_compression_keeps_sentences(bare: Resources):
    search_step = {"step": "search", "retrievers": ["vector"], "k": 3}
    wide = parse("wide", {"steps": [search_step, {"step": "merge", "by": "neighbours", "window": 1}]})
    short = parse("short", {"steps": [search_step, {"step": "compress", "share": 0.5}]})

    hits = (await search(bare, SearchRequest(QUESTION, pipeline=wide))).hits
    (shortened, *_) = (await search(bare, SearchRequest(QUESTION, pipeline=short))).hits

    shown = [chunk.id for hit in hits for chunk in (*hit.before, hit.chunk, *hit.after)]
    beside = {one.id for hit in hits for one in (hit.previous, hit.next) if one is not None and one.level == 0}
    assert len(shown) == len(set(shown)) > len(hits)
    assert set(shown) == beside | {hit.chunk.id for hit in hits}
    assert all(hit.chunk.text in hit.text for hit in hits)
    assert len(shortened.text) < len(shortened.chunk.text)
    kept = [part.strip() for part in shortened.text.split("[…]") if part.strip()]
    assert kept and all(part in shortened.chunk.text for part in kept)


async def test_a_compound_question_is_taken_apart_and_both_parts_are_among_the_first(bare: Resources):
    two = "How many physical qubits does a distance-7 patch need? How does Leiden find communities of papers?"
    joined = two.replace("?", "").replace(" How does", " and how does")

    for query in (two, joined):
        found = await search(bare, SearchRequest(query, k=4))

        assert [asked.origin for asked in found.outcome.queries] == ["query", "parts", "parts"]
        titles = {hit.paper.title for hit in found.hits}
        assert len(titles & {"Surface Codes and Their Logical Error Rates"}) == 1 and len(titles) > 1
    whole = await search(bare, SearchRequest(QUESTION))
    assert [asked.origin for asked in whole.outcome.queries] == ["query"]


@pytest.mark.parametrize("by", ["synonyms", "feedback"])
async def test_a_query_is_expanded_without_a_model(bare: Resources, by: str):
    steps = [{"step": "search", "retrievers": ["vector"]}, {"step": "fuse", "k": 20}] if by == "feedback" else []
    steps += [{"step": "expand", "by": by}, {"step": "search", "retrievers": ["fulltext"]}, {"step": "fuse", "k": 5}]

    found = await search(
        bare, SearchRequest("approximate nearest neighbour search by HNSW", pipeline=parse("x", {"steps": steps}))
    )

    assert found.hits
    if by == "feedback":
        (_, more) = found.outcome.queries
        assert more.text.startswith("approximate nearest neighbour search by HNSW ")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["entities", "follow-up"])
async def test_rounds_go_on_until_nothing_new_comes(full: Resources, fake_llm: FakeLLM, by: str):
    if by == "follow-up":
        fake_llm.script(queries("What is a logical error rate?"), queries())
    steps = [
        {"step": "search", "retrievers": ["vector"]},
        {"step": "fuse", "k": 5},
        {"step": "iterate", "by": by, "rounds": 5},
    ]

    found = await search(full, SearchRequest("surface codes", pipeline=parse("rounds", {"steps": steps})))

    assert 2 <= len(found.outcome.queries) <= 6
    assert all(asked.origin == by for asked in found.outcome.queries[1:])


def _before_selection(found: SearchResult) -> Pipeline:
    steps = found.outcome.pipeline.steps
    return replace(found.outcome.pipeline, steps=steps[: next(n for n, s in enumerate(steps) if isinstance(s, Select))])


@pytest.mark.parametrize("backend", ["exact", "mmr", "top_k"])
async def test_a_selection_comes_with_its_certificate(bare: Resources, backend: str):
    found = await search(bare, SearchRequest(QUESTION, selection=Select(k=4, pool=20, alpha=0.6, backend=backend)))

    certificate = found.outcome.selection
    assert certificate is not None and certificate.backend == backend
    assert len(found.hits) == 4
    assert certificate.lower_bound <= certificate.objective + 1e-9
    assert set(certificate.ids) == {hit.chunk.id for hit in found.hits}
    assert sorted(hit.selection.marginal for hit in found.hits if hit.selection) == sorted(certificate.marginal)
    before = await search(bare, SearchRequest(QUESTION, pipeline=_before_selection(found), k=20))
    places = {hit.chunk.id: hit.rank for hit in before.hits}
    assert [hit.selection.rank_before for hit in found.hits if hit.selection] == [
        places[hit.chunk.id] for hit in found.hits
    ]
    for hit in found.hits:
        assert hit.selection is not None and hit.selection.nearest in set(certificate.ids) - {hit.chunk.id}
        assert hit.selection.redundancy <= hit.selection.nearest_similarity <= 1 + 1e-6


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        ({"max_per_paper": 1}, lambda hits: len({hit.paper.id for hit in hits}) == len(hits) > 1),
        ({"token_budget": 300}, lambda hits: 1 < len(hits) < 8 and sum(hit.chunk.n_tokens for hit in hits) <= 300),
        ({"token_budget": 1}, lambda hits: not hits),
    ],
    ids=["a cap for each paper", "a budget", "a budget for nothing"],
)
async def test_a_selection_keeps_caps_and_budgets_with_fewer_passages_where_it_must(bare: Resources, limits, fits):
    found = await search(bare, SearchRequest(QUESTION, selection=Select(k=8, pool=40, **limits)))

    assert fits(found.hits)
    assert (found.outcome.selection.k if found.outcome.selection else 0) == len(found.hits)


@pytest.mark.slow
async def test_a_device_selects_and_where_it_is_gone_the_own_solver_does(bare: Resources):
    asked = Select(k=4, pool=20, alpha=0.6, backend="pbit", deadline_ms=5000)
    with emulators({"p-bits": {"max_spins": 64}}) as urls:
        with_device = replace(bare, device=device_of(Settings(device={"url": urls["p-bits"]})))
        found = (await search(with_device, SearchRequest(QUESTION, selection=asked))).outcome.selection
    gone = (await search(with_device, SearchRequest(QUESTION, selection=asked))).outcome.selection
    own = (
        await search(bare, SearchRequest(QUESTION, selection=asked.model_copy(update={"backend": "exact"})))
    ).outcome.selection

    assert found is not None and gone is not None and own is not None
    assert (found.backend, found.fallback) == ("pbit", None)
    assert found.device is not None and found.device.reads > 0
    assert gone.backend == "exact" and gone.fallback
    assert found.objective == pytest.approx(own.objective) == gone.objective
    with pytest.raises(InputError, match="PAPERGRAPH_DEVICE_URL"):
        await search(bare, SearchRequest(QUESTION, selection=asked))


async def test_of_a_query_in_parts_each_part_is_chosen_for(bare: Resources):
    two = f"{QUESTION} How does the Leiden algorithm refine the communities of a graph?"

    found = await search(bare, SearchRequest(two, pipeline="diverse", k=2))

    assert [asked.origin for asked in found.outcome.queries] == ["query", "parts", "parts"]
    assert {hit.paper.title for hit in found.hits} == {"Surface Codes and Their Logical Error Rates", LEIDEN}


@pytest.mark.writes_by_hand
async def test_vectors_are_kept_until_the_store_has_others(bare: Resources):
    database, searched, kept = bare.database, bare.model.searched, KeptVectors()
    ids = [record["id"] for record in await database.read(THREE)]
    first = await kept.of(database, searched, [*ids, "of no chunk"])

    await database.run_alone(TURNED, id=ids[0], hash=None)
    unread = await kept.of(database, searched, ids)
    await database.run_alone(TURNED, id=ids[1], hash="of another text")
    changed = await kept.of(database, searched, ids)
    afresh = await KeptVectors(most_bytes=2 * first[ids[0]].nbytes).of(database, searched, ids)
    for id in ids[:2]:
        await database.run_alone(TURNED, id=id, hash=None)

    assert list(first) == ids
    assert all((unread[id] == first[id]).all() for id in ids)  # which shows that the first one was not read again
    assert [float(changed[id] @ first[id]) for id in ids] == pytest.approx([1.0, -1.0, 1.0], abs=1e-5)
    assert [float(afresh[id] @ first[id]) for id in ids] == pytest.approx([-1.0, -1.0, 1.0], abs=1e-5)
    other_model = replace(searched, state=State.KEPT)
    assert await kept.of(database, other_model, ids) == {}


@pytest.mark.slow
async def test_a_saved_run_is_replayed_without_the_model_to_the_same_result(
    full: Resources, bare: Resources, reranker: str, fake_llm: FakeLLM
):
    fake_llm.otherwise(queries("qubits of a patch", "overhead of surface codes"))
    kept = saved(full, await search(full, SearchRequest(QUESTION, pipeline="m3"))).model_dump_json()

    same, none = await replay(replace(bare, rerankers=Rerankers(reranker)), read_saved(kept))
    run = read_saved(kept)
    other = run.model_copy(update={"hits": [("0" * 64, 1.0), *run.hits[1:]], "model": "0" * 64})
    _, differences = await replay(replace(bare, rerankers=Rerankers(reranker)), other)

    assert none == []
    assert [id for id, _ in run.hits] == [hit.chunk.id for hit in same.hits]
    assert differences == [
        "the vectors are of another embedding model",
        f"{'0' * 64} is no longer among the hits",
        f"{run.hits[0][0]} is new among the hits",
    ]


@pytest.mark.parametrize("content", ["", "{}", '{"query": 3}', "[]"])
def test_what_is_no_saved_run_is_refused(content: str):
    with pytest.raises(InputError, match="This is not a saved run"):
        read_saved(content)


NOT_HERE = (RetrieverName.CITATION, RetrieverName.NAME)
"""No sample cites another one, and the question names nothing."""


@pytest.mark.parametrize("retriever", [retriever for retriever in RetrieverName if retriever not in NOT_HERE])
async def test_a_filter_holds_on_every_retriever(bare: Resources, retriever: RetrieverName):
    async def found(filter: Any, k: int) -> list[tuple[str, str]]:
        steps = [{"step": "search", "retrievers": [retriever], "k": k}]
        chosen = None if filter is None else parse_filter(filter)
        hits = (
            await search(bare, SearchRequest(QUESTION, pipeline=parse("one", {"steps": steps}), filter=chosen))
        ).hits
        return [(hit.chunk.id, hit.paper.id) for hit in hits]

    everything = await found(None, 100)
    paper_id = everything[0][1]
    here = [hit for hit in everything if hit[1] == paper_id]
    elsewhere = [hit for hit in everything if hit[1] != paper_id]

    assert (await found({"papers": [paper_id]}, len(here)))[:1] == here[:1]
    assert {paper for _, paper in await found({"papers": [paper_id]}, 100)} == {paper_id}
    assert paper_id not in {paper for _, paper in await found({"not": {"papers": [paper_id]}}, 100)}
    if retriever in (RetrieverName.VECTOR, RetrieverName.FULLTEXT, RetrieverName.ENTITY, RetrieverName.CLUSTER):
        assert await found({"not": {"papers": [paper_id]}}, 2) == elsewhere[:2]
    assert await found({"papers": ["doi:10.1000/none"]}, 5) == []


async def test_a_filter_on_passages_holds_on_every_retriever_and_on_what_the_graph_adds(bare: Resources):
    name = (await bare.database.read(ENTITY))[0]["name"]
    filter = parse_filter({"entities": [name]})
    chunks = (await resolve(bare.database, filter, ("main",))).passing.chunks
    assert chunks is not None
    searched = {record["id"] for record in await bare.database.read(SEARCHED, ids=list(chunks.ids))}
    steps = [
        {"step": "search", "retrievers": [retriever.value for retriever in RetrieverName], "k": 20},
        {"step": "fuse", "k": 20},
        {"step": "merge", "by": "graph", "via": ["mentions", "similar"], "depth": 2, "cap": 10},
    ]

    hits = (await search(bare, SearchRequest(QUESTION, pipeline=parse("all", {"steps": steps}), filter=filter))).hits

    assert {hit.chunk.id for hit in hits} == searched != set()
