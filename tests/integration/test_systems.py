"""The part of each system that its document is about: what is in the prompt, what is searched, what comes back."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from papergraph import cypher
from papergraph.cross_encoder import Rerankers
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest.chunkers.options import ChunkOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.entities.stored_entities import Made, Mention, Relation, write_rows
from papergraph.ingest.enrichments.metadata.enrichment import PaperValue
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.language_model import LanguageModel
from papergraph.language_model.client import Retries
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import collection_term, entity_id, question_id
from papergraph.schema.migrate import prepare
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.retrieval.filters import Filter, parse_filter
from papergraph.server.retrieval.request import SearchRequest
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.search import SearchResult, search
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.vector_slots import VectorSlot
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.embedders import save_tiny_cross_encoder
from tests.support.fake_llm import FakeLLM, Request
from tests.support.ingestion import ingest
from tests.support.metadata import papers_of, write

pytestmark = [pytest.mark.writes_by_hand, pytest.mark.slow]

KEEP = ["SchemaVersion", "EmbeddingModel"]
PAPERS = {
    "Ranking": ("computing", "Ranking passages orders them by a learned score. A cross encoder reads both texts."),
    "Tides": ("physics", "Tides rise twice each day. Gauges measure how high tides rise at the coast."),
    "Waves": ("physics", "Waves carry energy over the sea. Wind over the water makes waves grow."),
}
ANSWERS = {
    "Ranking": ("How are passages ordered?", "By the score that a model learned."),
    "Tides": ("How high do tides rise?", "The teacher says: gauges measure it."),
    "Waves": ("What makes waves grow?", "The teacher says: wind over the water."),
}
TIDES = "How high do tides rise at the coast?"
ADDRESS = Statement("test/address", "MATCH (p:Paper {title: 'Waves'}) SET p.url = 'https://example.org/waves'")
CHUNKS_OF_TREE = Statement(
    "test/chunks_of_tree",
    "MATCH (p:Paper {collection: 'tree'})-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(c:Chunk {level: 0}) "
    "RETURN p.id AS paper, p.title AS title, c.id AS chunk, c.text AS text ORDER BY title, c.ordinal",
)
CHUNKS = Statement(
    "test/chunks",
    "MATCH (p:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(c:Chunk {kind: 'body'}) "
    "RETURN p.id AS paper, p.title AS title, c.id AS chunk ORDER BY title",
)


@pytest_asyncio.fixture(scope="module")
async def store(
    neo4j_server: Neo4jServer, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Database]:
    """Three papers of two areas, each with a question and its answer."""
    folder = tmp_path_factory.mktemp("papers")
    for name, (_, text) in PAPERS.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n## Results\n\n{text}\n")
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        await ingest(database, embedder, [folder])
        resources = EnrichmentContext(embedder)
        for paper, (area, _) in zip(await papers_of(database), PAPERS.values(), strict=True):
            await write(database, resources, paper, PaperValue("area", area, "t"))
        await ask_questions(database, embedder)
        await relate(database, resources)
        await database.run_alone(ADDRESS)
        await enrich(
            database, EnrichmentOptions.choose(("prototypes",)).enrichments(None), resources, collection="main"
        )
        yield database
        await wipe(database.driver, database=database.name, keep=KEEP)


async def ask_questions(database: Database, embedder: Embedder) -> None:
    rows = []
    for record in await database.read(CHUNKS):
        text, answer = ANSWERS[record["title"]]
        id = question_id(record["paper"], text)
        properties = {
            "id": id,
            "paperId": record["paper"],
            "collection": "main",
            "collectionTerm": collection_term("main"),
            "text": text,
            "answer": answer,
            "generator": "model",
        }
        vector = embedder.encode_documents([text])[0].tolist()
        rows.append(
            {"id": id, "properties": properties, "vector": vector, "chunk_ids": [record["chunk"]], "paper_id": None}
        )
    await database.run_alone(cypher.load("enrichments/write_questions", VectorSlot.FIRST), rows=rows)


async def relate(database: Database, resources: EnrichmentContext) -> None:
    """Let the paper on waves say that wind drives waves."""
    chunk = next(one for one in await database.read(CHUNKS) if one["title"] == "Waves")
    wind, waves = entity_id("main", "wind"), entity_id("main", "waves")
    made = Made(
        tuple(
            Mention(chunk["chunk"], id, (name,), (), "thing", "t", ())
            for id, name in ((wind, "wind"), (waves, "waves"))
        ),
        (Relation(wind, waves, "drives", (chunk["chunk"],), "t"),),
    )

    async def work(transaction: Transaction) -> None:
        await write_rows(transaction, chunk["paper"], "main", made, resources, VectorSlot.FIRST, given=False)

    await database.transact("write", work)


@pytest_asyncio.fixture(scope="module")
async def tree(store: Database, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A paper in a hierarchy that crosses headings, with mentions in all chunks and a relation: sentences, headings."""
    headings = {
        f"{what} number {n} at the coast measures {of} each hour of the day.": heading
        for heading, (what, of) in {
            "Wind": ("Mast", "wind"),
            "Sea": ("Buoy", "waves"),
            "Rivers": ("Gauge", "tides"),
        }.items()
        for n in range(4)
    } | {"Wind drives the waves of the outer sea.": "Results"}
    folder = tmp_path_factory.mktemp("tree")
    text = "".join(
        f"## {heading}\n\n{' '.join(one for one, of in headings.items() if of == heading)}\n\n"
        for heading in dict.fromkeys(headings.values())
    )
    (folder / "Coast.md").write_text(f"# Coast\n\n{text}")
    (folder / "Other.md").write_text("# Other\n\n## Results\n\nWind drives nothing in this paper on gardens.\n")
    options = ChunkOptions.choose("hierarchical", max_tokens=16, overlap=0)
    await ingest(store, embedder, [folder], collection="tree", options=options)
    chunks = [one for one in await store.read(CHUNKS_OF_TREE) if one["title"] == "Coast"]
    wind, waves = entity_id("tree", "wind"), entity_id("tree", "waves")
    mentions = tuple(
        Mention(one["chunk"], id, (name,), (), "thing", "t", ())
        for one in chunks
        for id, name in ((wind, "wind"), (waves, "waves"))
    )
    last = next(one["chunk"] for one in chunks if "Wind drives" in one["text"])
    made = Made(mentions, (Relation(wind, waves, "drives", (last,), "t"),))

    async def work(transaction: Transaction) -> None:
        resources = EnrichmentContext(embedder)
        await write_rows(transaction, chunks[0]["paper"], "tree", made, resources, VectorSlot.FIRST, given=False)

    await store.transact("write", work)
    return headings


@pytest_asyncio.fixture
async def model(fake_llm: FakeLLM, tmp_path: Path) -> AsyncIterator[LanguageModel]:
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted", "timeout_s": 60.0}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen, retries=Retries(2, 2.0, first_pause_s=0.01)) as model:
        yield model


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny_cross_encoder(tmp_path_factory.mktemp("reranker")))


@pytest.fixture
def full(store: Database, embedder: Embedder, model: LanguageModel, reranker: str) -> Resources:
    """What there is with a scripted language model and a small cross-encoder."""
    return replace(Resources.of(store, embedder), language_model=model, rerankers=Rerankers(reranker))


@pytest.fixture
def planning(fake_llm: FakeLLM) -> FakeLLM:
    """Answers with a summary that names what it is about, and with plans."""

    def brief(request: Request) -> str:
        about = "computing" if "area: computing" in request.prompt else "physics"
        return json.dumps({"summary": f"The summary of {about}.", "keywords": [about]})

    fake_llm.when("You brief a researcher", brief)
    fake_llm.when("You plan a search", json.dumps({"queries": ["how high tides rise", "what gauges measure"]}))
    return fake_llm


async def only_paper(database: Database, title: str) -> Filter:
    (id,) = [record["paper"] for record in await database.read(CHUNKS) if record["title"] == title]
    return parse_filter({"papers": [id]})


def notes(found: SearchResult) -> Sequence[str]:
    return list(found.outcome.trace[0].notes)


def titles(found: SearchResult) -> set[str]:
    return {hit.paper.title for hit in found.hits}


def plan_of(llm: FakeLLM) -> str:
    return next(request.prompt for request in llm.requests if "You plan a search" in request.prompt)


# Meta Knowledge


@pytest.mark.slow
@pytest.mark.parametrize("by", ["filter", "option"])
async def test_metadata_of_interest_choose_the_summary_and_restrict_the_search(
    full: Resources, planning: FakeLLM, by: str
):
    request = SearchRequest(TIDES, pipeline="pr3")
    if by == "filter":
        request = replace(request, filter=parse_filter({"clusters": [{"field": "area", "value": "computing"}]}))
    else:
        request = replace(request, overrides={"expand.metadata": {"area": ["computing"]}})

    found = await search(full, request)

    assert "The summary of computing." in plan_of(planning)
    assert titles(found) == {"Ranking"}
    assert notes(found)[:3] == [
        "metadata of interest: area: computing",
        "summary: area: computing",
        "searched: area: computing",
    ]
    assert {query.text for query in found.outcome.queries} == {TIDES, "how high tides rise", "what gauges measure"}


@pytest.mark.slow
async def test_without_metadata_of_interest_the_nearest_group_is_planned_for_and_searched(
    full: Resources, planning: FakeLLM
):
    found = await search(full, SearchRequest("How do cross encoders rank passages?", pipeline="pr3"))

    assert [note.partition(":")[0] for note in notes(found)[:3]] == ["nearest metadata", "summary", "searched"]
    group = notes(found)[0].rpartition(" ")[2]
    assert f"The summary of {group}." in plan_of(planning)
    assert titles(found) == {name for name, (area, _) in PAPERS.items() if area == group}


@pytest.mark.slow
async def test_a_filter_on_other_than_metadata_is_kept_within_the_nearest_group(full: Resources, planning: FakeLLM):
    only = await only_paper(full.database, "Waves")
    request = SearchRequest(TIDES, pipeline="pr3", filter=only, backfill=True)

    found = await search(full, replace(request, backfill=False))
    filled = await search(full, request)

    assert titles(found) == {"Waves"}
    assert {hit.paper.title for hit in filled.hits if hit.outside_filter} >= {"Ranking", "Tides"}


@pytest.mark.slow
async def test_the_reader_of_questions_is_given_queries_titles_questions_answers_and_passages(
    full: Resources, planning: FakeLLM
):
    planning.otherwise('Tides rise twice each day [1: "Tides rise twice each day"].')
    interest = {"expand.metadata": {"area": ["physics"]}}

    found = await answer(full, AskRequest(TIDES, pipeline="pr3", overrides=interest, min_answerability=0.0))

    prompt = planning.requests[-1].prompt
    lines = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"')]
    records = {line["title"]: line for line in lines if "title" in line}
    assert {"queries": ["how high tides rise", "what gauges measure"]} in lines
    assert (records["Tides"]["question"], records["Tides"]["answer"]) == ANSWERS["Tides"]
    assert PAPERS["Tides"][1] in records["Tides"]["passage"]
    assert "Record: " in prompt and "Answer: NO_EVIDENCE" in prompt
    assert isinstance(found, Answer)


@pytest.mark.slow
async def test_a_quote_of_a_synthetic_answer_is_no_evidence(full: Resources, planning: FakeLLM):
    planning.otherwise('Gauges measure tides [1: "The teacher says: gauges measure it"].')
    interest = {"expand.metadata": {"area": ["physics"]}}

    found = await answer(full, AskRequest(TIDES, pipeline="pr3", overrides=interest, min_answerability=0.0))

    assert not (isinstance(found, Answer) and found.llm_generated)
    assert any("teacher" in one.text for one in found.dropped)


# The thesis


@pytest.mark.slow
async def test_paths_of_the_graph_are_content_of_the_chunks_that_say_them(full: Resources):
    found = await search(full, SearchRequest("How do wind and waves belong together?", pipeline="kv"))
    alone = await search(full, SearchRequest("How do wind and waves belong together?", pipeline="am"))

    (hit,) = [hit for hit in found.hits if hit.relations]
    assert hit.paper.title == "Waves"
    assert [path.text for path in hit.relations] == ["wind drives waves"]
    assert hit.relations[0].chunk_id == hit.chunk.id
    place = hit.relations[0].place_in(hit.chunk.text)
    assert place and hit.chunk.text[slice(*place)] == "Wind over the water makes waves grow."
    assert found.outcome.trace[-1].notes[0] in ("entities: waves, wind", "entities: wind, waves")
    assert not any(hit.relations for hit in alone.hits)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kv", "kv*"])
@pytest.mark.parametrize(("asked", "k"), [("How are wind and waves measured?", 10), ("wind and waves", 1)])
async def test_each_passage_of_a_hierarchy_comes_once_with_the_relations_of_its_paper_and_the_heading_of_each_quote(
    full: Resources, tree: Mapping[str, str], fake_llm: FakeLLM, name: str, asked: str, k: int
):
    fake_llm.otherwise(json.dumps({"queries": ["tides at the coast"]}))

    found = await search(full, SearchRequest(asked, pipeline=name, collection="tree", overrides={"search.k": k}))

    places = [(hit.paper.id, hit.chunk.start_char, hit.chunk.end_char) for hit in found.hits]
    assert not [
        (one, other) for one in places for other in places if one != other and one[0] == other[0]
        and one[1] <= other[1] and other[2] <= one[2]
    ]  # fmt: skip
    stated = [(hit, path) for hit in found.hits for path in hit.relations]
    assert stated and all(path.quote == "Wind drives the waves of the outer sea." for _, path in stated)
    assert {path.paper_id for _, path in stated} <= {hit.paper.id for hit in found.hits if hit.retrievers}
    if k > 1:
        assert any(len(hit.section_paths) > 1 for hit in found.hits)
    for hit in found.hits:
        for sentence, heading in tree.items():
            if (start := hit.chunk.text.find(sentence)) >= 0:
                assert hit.section_path_at(hit.chunk.start_char + start)[-1] == heading


@pytest.mark.slow
async def test_a_relation_is_read_quoted_and_cited_with_the_sentence_of_its_chunk(full: Resources, fake_llm: FakeLLM):
    fake_llm.otherwise('Wind makes waves grow [1: "wind drives waves"].')
    only = await only_paper(full.database, "Waves")

    found = await answer(full, AskRequest("What makes waves grow?", pipeline="kv", filter=only, min_answerability=0.0))

    assert any("\nwind drives waves\n" in request.prompt for request in fake_llm.requests)
    assert isinstance(found, Answer) and found.llm_generated
    (citation,) = found.citations
    assert citation.quote == "Wind over the water makes waves grow."
    assert citation.chunk_id == found.sources[0].hit.relations[0].chunk_id


@pytest.mark.slow
async def test_a_relation_that_the_graph_lacks_cannot_be_quoted(full: Resources, fake_llm: FakeLLM):
    fake_llm.otherwise('Waves drive wind [1: "waves drives wind"].')

    found = await answer(full, AskRequest("What makes waves grow?", pipeline="kv", min_answerability=0.0))

    assert not (isinstance(found, Answer) and found.llm_generated)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv*", "am*", "kv*"])
async def test_starred_variants_search_three_rewritten_queries_and_rerank_to_five(
    full: Resources, fake_llm: FakeLLM, name: str
):
    rewritten = ["height of tides", "tidal gauges at the coast", "rise of the sea"]
    fake_llm.when("to find what somebody asks for", json.dumps({"queries": rewritten}))

    found = await search(full, SearchRequest(TIDES, pipeline=name))

    assert [(query.text, query.origin) for query in found.outcome.queries] == [
        (TIDES, "query"),
        *((text, "rewrite") for text in rewritten),
    ]
    assert {step.step: step.options.get("constant") for step in found.outcome.trace}["fuse"] == 60
    assert found.outcome.trace[-1].step == "rerank" and len(found.hits) <= 5


# Paper question answering, and QuIM-RAG


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "origins", "numbers", "kept"),
    [
        ("m1", [], (5,), 3),
        ("m2", [], (15, 5), 3),
        ("m3", ["augmentation"] * 2, (10, 15, 5), 3),
        ("m4", ["hypothesis"] * 2, (10, 15, 5), 3),
        ("m5", ["augmentation"] * 2 + ["hypothesis"] * 2, (10, 15, 5), 3),
        ("m6", ["augmentation"] * 2, (10, 15, 5), 1),
        ("m7", ["augmentation"] * 2 + ["hypothesis"] * 2, (10, 15, 5), 1),
    ],
)
async def test_each_method_searches_its_queries_and_keeps_what_the_reranker_gives_enough(
    full: Resources, fake_llm: FakeLLM, name: str, origins: list[str], numbers: tuple[int, ...], kept: int
):
    fake_llm.when("to find all that an answer needs", json.dumps({"queries": ["coastal gauges", "daily tides"]}))
    fake_llm.when(
        "often reads like its answer", json.dumps({"queries": ["They rise two metres.", "They rise little."]})
    )

    class Scored:
        def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
            assert query == TIDES
            return [0.9 if "Gauges" in text else 0.5 for text in passages]

    class Scoring(Rerankers):
        async def get(self, name: str) -> Scored:  # type: ignore[override]
            return Scored()

    found = await search(replace(full, rerankers=Scoring("scored")), SearchRequest(TIDES, pipeline=name))

    assert [query.origin for query in found.outcome.queries] == ["query", *origins]
    assert tuple(k for step in found.outcome.trace if (k := step.options.get("k")) is not None) == numbers
    assert len(found.hits) == kept
    assert found.hits[0].paper.title == "Tides"


@pytest.mark.slow
async def test_quim_goes_from_a_prototype_to_questions_and_its_answer_names_the_address(
    full: Resources, fake_llm: FakeLLM
):
    fake_llm.otherwise('Wind makes waves grow (https://example.org/waves) [1: "Wind over the water makes waves grow"].')
    found = await search(full, SearchRequest("What makes waves grow?", pipeline="quim"))
    given = await answer(full, AskRequest("What makes waves grow?", pipeline="quim", min_answerability=0.0))

    assert found.hits[0].paper.title == "Waves" and len(found.hits) <= 3
    (score,) = found.hits[0].retrievers
    assert score.retriever == "prototype"
    assert found.outcome.trace[0].options["nprobe"] == 1
    assert "https://example.org/waves" in fake_llm.requests[-1].prompt
    assert isinstance(given, Answer) and "https://example.org/waves" in given.text
    assert given.citations[0].url == "https://example.org/waves"


@pytest.mark.slow
async def test_the_draft_of_m8_is_what_passages_are_reranked_against(full: Resources, fake_llm: FakeLLM):
    fake_llm.otherwise(json.dumps({"queries": ["tides", "gauges"]}))
    fake_llm.when("The answer is a draft", "Gauges measure them.")
    seen: list[str] = []
    reranker = await full.rerankers.get(full.rerankers.name(None, pipeline="m8"))

    class Watched:
        def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
            seen.append(query)
            return reranker.scores(query, passages)

    class Watching(Rerankers):
        async def get(self, name: str) -> Watched:  # type: ignore[override]
            return Watched()

    resources = replace(full, rerankers=Watching("watched"))
    found = await search(resources, SearchRequest(TIDES, pipeline="m8", overrides={"threshold.above": 0.0}))

    assert seen == [f"{TIDES}\nGauges measure them."]
    assert {query.origin for query in found.outcome.queries} == {"query", "augmentation"}


@pytest.mark.slow
async def test_a_threshold_that_leaves_nothing_is_reported_with_the_nearest_evidence(
    full: Resources, fake_llm: FakeLLM
):
    fake_llm.otherwise(json.dumps({"queries": ["tides", "gauges"]}))
    fake_llm.when("The answer is a draft", "Gauges measure them.")

    class Low(Rerankers):
        async def get(self, name: str) -> "Low":  # type: ignore[override]
            return self

        def scores(self, query: str, passages: Sequence[str]) -> Sequence[float]:
            return [0.5 - 0.1 * n for n in range(len(passages))]

    given = await answer(replace(full, rerankers=Low("low")), AskRequest(TIDES, pipeline="m8"))

    assert isinstance(given, Refusal) and given.reason == "no_evidence" and not given.found.hits
    assert [source.hit.score for source in given.nearest] == [0.5, 0.4, 0.3]
    assert any("left out all 3 passages: the best has 0.5, and more than 0.6" in one for one in given.warnings)


@pytest.mark.slow
async def test_a_pipeline_says_that_it_ran_on_other_chunks_than_it_is_published_for(full: Resources):
    found = await search(full, SearchRequest(TIDES, pipeline="am"))
    plain = await search(full, SearchRequest(TIDES))

    (warning,) = found.outcome.warnings
    assert "pipeline am is published for chunks of hierarchical, and those of collection main are of default" in warning
    assert "papergraph ingest SOURCE --chunker hierarchical" in warning
    assert plain.outcome.warnings == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "retriever", "k", "origins"),
    [
        ("sv", "vector", 10, []),
        ("rag", "vector", 3, []),
        ("chunk256", "vector", 20, []),
        ("chunk256-aug", "vector", 20, ["augmentation"] * 5),
        ("pr3-naive", "question", 20, []),
    ],
)
async def test_a_baseline_searches_one_list_of_its_length(
    full: Resources, fake_llm: FakeLLM, name: str, retriever: str, k: int, origins: list[str]
):
    others = ["coastal gauges", "daily tides", "the height of tides", "the rise of the sea", "how the sea rises"]
    fake_llm.when("to find all that an answer needs", json.dumps({"queries": others}))

    found = await search(full, SearchRequest(TIDES, pipeline=name))

    (searched,) = [step for step in found.outcome.trace if step.step == "search"]
    assert [query.origin for query in found.outcome.queries] == ["query", *origins]
    assert (searched.options["k"], [str(one) for one in searched.options["retrievers"]]) == (k, [retriever])
    assert {score.retriever for hit in found.hits for score in hit.retrievers} == {retriever}
    assert found.hits[0].paper.title == "Tides"
