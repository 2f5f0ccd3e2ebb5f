"""All shipped pipelines on real papers: no hit holds another one, and each citation has the heading above its quote."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import pytest_asyncio

from papergraph.cross_encoder import Rerankers
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats
from papergraph.ingest.chunkers.options import ChunkOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.run import enrich
from papergraph.language_model import LanguageModel
from papergraph.schema.migrate import prepare
from papergraph.server.answers.answer import answer
from papergraph.server.answers.records import Answer, Refusal
from papergraph.server.answers.request import AskRequest
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from papergraph.statement import Statement
from tests.pytest_neo4j import Neo4jServer, wipe
from tests.support.embedders import QuickEmbedder, save_tiny_cross_encoder
from tests.support.fake_llm import FakeLLM
from tests.support.ingestion import ingest

pytestmark = [pytest.mark.slow, pytest.mark.release, pytest.mark.writes_by_hand]

KEEP = ["SchemaVersion", "EmbeddingModel"]
PDFS = ("peerj-vespa.pdf", "survey-seti.pdf")
ENRICHMENTS = {
    "default": "metadata,questions,entities,clusters",
    "quim": "questions,prototypes",
    "hierarchical": "entities",
}
N_QUESTIONS = 6
SECTIONS = Statement(
    "test/sections",
    "MATCH (s:Section) RETURN s.paperId AS paper, s.endChar AS end, s.title AS title ORDER BY s.startChar, end",
)
HEADING = re.compile(r"[A-Z][^.!?\n]{2,80}")


class WordEmbedder(QuickEmbedder):
    """Vectors that are sums over words, so that texts with the same words are near to each other."""

    def encode_query(self, text: str) -> Floats:
        words = sorted(set(re.findall(r"\w{4,}", text.lower()))) or [text]
        total = np.sum([super(WordEmbedder, self).encode_query(word) for word in words], axis=0)
        return (total / np.linalg.norm(total)).astype(np.float32)


class Asked(NamedTuple):
    """Papers in collections, with questions about them."""

    database: Database
    embedder: WordEmbedder
    texts: dict[str, str]
    questions: list[str]


def heading_above(text: str, place: int) -> str:
    """Return the heading that a place of a Markdown text is below or in."""
    end = text.find("\n", place)
    return re.findall(r"^#+ (.+)$", text[: end if end >= 0 else None], re.MULTILINE)[-1].strip()


def as_markdown(title: str, text: str) -> str:
    """Return a text whose headings are lines of their own as Markdown."""
    lines = (f"## {line}" if HEADING.fullmatch(line.strip()) else line for line in text.splitlines() if line.strip())
    return f"# {title}\n\n" + "\n\n".join(lines) + "\n"


@pytest_asyncio.fixture(scope="module")
async def asked(
    neo4j_server: Neo4jServer, embedder: Embedder, data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Asked]:
    """A collection of each chunker with the enrichments that its pipelines read, and questions."""
    folder, quick = tmp_path_factory.mktemp("papers"), WordEmbedder(embedder)
    lines = (data_folder / "qasper_leval" / "papers.jsonl").read_text().splitlines()
    papers = [json.loads(line) for line in lines]
    texts = {f"Paper {paper['_id']}": as_markdown(f"Paper {paper['_id']}", paper["text"]) for paper in papers}
    for title, text in texts.items():
        (folder / f"{title}.md").write_text(text)
    questions = [paper["qas"][0]["question"] for paper in papers[:: len(papers) // N_QUESTIONS]][:N_QUESTIONS]
    pdfs = [data_folder / "real_pdfs" / "pdf" / name for name in PDFS]
    async with await Database.connect(
        neo4j_server.uri, user=neo4j_server.user, password=neo4j_server.password, name=neo4j_server.database
    ) as database:
        await prepare(database, embedder.card)
        await wipe(database.driver, database=database.name, keep=KEEP)
        for chunker in {one.chunker or "default" for one in shipped().values()}:
            options = ChunkOptions() if chunker == "default" else ChunkOptions.choose(chunker)
            report = await ingest(database, quick, [folder, *pdfs], collection=chunker, options=options)
            assert not report.failed
            if names := ENRICHMENTS.get(chunker):
                choice = EnrichmentOptions.read(None, names=names).with_questions("template")
                enrichments = choice.enrichments(None)
                await enrich(database, enrichments, EnrichmentContext(quick), collection=chunker)
        yield Asked(database, quick, texts, questions)
        await wipe(database.driver, database=database.name, keep=KEEP)


@pytest.fixture(scope="module")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_tiny_cross_encoder(tmp_path_factory.mktemp("reranker")))


@pytest_asyncio.fixture
async def resources(asked: Asked, reranker: str, fake_llm: FakeLLM, tmp_path: Path) -> AsyncIterator[Resources]:
    reply = {"queries": ["data set of the experiments", "model and its features", "results of the evaluation"]}
    fake_llm.otherwise(json.dumps(reply | {"summary": "Papers on language.", "keywords": ["language"]}))
    chosen = Settings(llm={"url": fake_llm.url, "model": "scripted", "timeout_s": 60.0}, cache=tmp_path / "cache")
    async with LanguageModel.from_settings(chosen) as model:
        yield replace(Resources.of(asked.database, asked.embedder), language_model=model, rerankers=Rerankers(reranker))


def notes_of(given: Answer | Refusal) -> list[str]:
    """Return the notes of the last step of an answer's search."""
    return list(given.found.outcome.trace[-1].notes)


@pytest.mark.parametrize("name", list(shipped()))
async def test_no_hit_holds_another_and_each_citation_has_the_heading_above_its_quote(
    asked: Asked, resources: Resources, name: str
):
    pipeline = shipped()[name]
    sections: dict[str, list[tuple[int, str]]] = {}
    for one in await asked.database.read(SECTIONS):
        sections.setdefault(one["paper"], []).append((one["end"], one["title"]))
    n_citations = n_short = 0
    for question in asked.questions:
        request = AskRequest(
            question, pipeline=name, collection=pipeline.chunker or "default", mode="extractive", min_answerability=0.0,
            k=pipeline.k,
        )  # fmt: skip
        given = await answer(resources, request)
        hits = given.found.hits
        places = [(hit.paper.id, hit.chunk.start_char, hit.chunk.end_char) for hit in hits]
        assert len(set(places)) == len(places)
        held = [
            (one, other)
            for one in places
            for other in places
            if one != other and one[0] == other[0] and one[1] <= other[1] and other[2] <= one[2]
        ]
        assert not held
        n_short += len(hits) < pipeline.k
        assert (len(hits) < pipeline.k) == any(f"{len(hits)} of {pipeline.k}: " in note for note in notes_of(given))
        starts = {hit.chunk.id: hit.chunk.start_char for hit in hits}
        for citation in given.citations if isinstance(given, Answer) else ():
            n_citations += 1
            place = starts[citation.chunk_id] + citation.start
            if (text := asked.texts.get(citation.paper_title)) is not None:
                assert citation.section_path[-1] == heading_above(text, place)
            else:
                assert citation.section_path[-1] == next(
                    title for end, title in sections[citation.paper_id] if place < end
                )
    print(f"{name}: k {pipeline.k}, {n_citations} citations, {n_short} of {len(asked.questions)} with fewer hits")
    assert n_citations or "threshold" in {step.step for step in pipeline.steps}
