"""Small data folders, written here, evaluated on a real Neo4j."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.evaluation.corpus_store import WHOLE_RECORD, LoadedCorpus, load_corpus
from papergraph.evaluation.retrieval.rankings import Run, find_pools, run_pipelines
from papergraph.evaluation.retrieval.retrieval_evaluation import make_report
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.resources import Resources

ALL = tuple(shipped()[name] for name in ("vector", "fulltext", "fused"))
DOCUMENTS = [
    {"_id": "qubits", "title": "Surface codes", "text": "A patch of distance 7 uses 97 physical qubits."},
    {"_id": "tabu", "title": "Tabu search", "text": "A list of forbidden moves keeps the search from going back."},
    {"_id": "copy", "title": "Tabu search", "text": "A list of forbidden moves keeps the search from going back."},
    {"_id": "cells", "title": "Cell division", "text": "Spindle fibres pull chromosomes apart in mitosis."},
    {"_id": "empty", "title": "", "text": ""},
]
QUERIES = [
    {"_id": "q1", "text": "how many physical qubits does a distance 7 patch use", "gold": ["qubits"]},
    {"_id": "q2", "text": "forbidden moves in local search", "gold": ["tabu", "copy"]},
]


@pytest.fixture
def store(database: Database, embedder: Embedder, tmp_path: Path) -> "Store":
    return Store(database, embedder, tmp_path)


class Store:
    """An empty store, and a folder for data and for what is loaded of it."""

    def __init__(self, database: Database, embedder: Embedder, folder: Path) -> None:
        self.database, self.embedder, self.folder = database, embedder, folder

    def task(self, documents: Sequence[Mapping[str, Any]], queries: Sequence[Mapping[str, Any]], **task: Any) -> Task:
        for name, records in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
            (self.folder / name).write_text("".join(f"{json.dumps(record)}\n" for record in records))
        defaults = {
            "name": "small",
            "corpus": "corpus.jsonl",
            "splits": {"test": {"queries": "queries.jsonl"}},
            "default_split": "test",
            "gold": {"field": "gold", "matches": "_id"},
            "measures": ["recall@2"],
        }
        (self.folder / "task.json").write_text(json.dumps(defaults | task))
        return read_task(self.folder)

    async def load(self, task: Task, options: ChunkOptions = WHOLE_RECORD) -> LoadedCorpus:
        return await load_corpus(self.database, self.embedder, task, options=options, folder=self.folder)

    async def run(self, task: Task, options: ChunkOptions = WHOLE_RECORD) -> dict[str, Run]:
        corpus = await self.load(task, options)
        return dict(await run_pipelines(Resources.of(self.database, self.embedder), task, corpus, ALL))


async def test_each_pipeline_gets_its_figures_with_intervals_and_differences_to_the_first(store: Store):
    task = store.task(DOCUMENTS, QUERIES, measures=["recall@2", "MRR@2", "nDCG@2"])

    report = make_report(task, await store.run(task), await store.load(task))

    assert list(report.pipelines) == ["vector", "fulltext", "fused"]
    for name, figures in report.pipelines.items():
        assert {measure: figure.mean for measure, figure in figures.items()} == {
            "recall@2": 1.0,
            "MRR@2": 1.0,
            "nDCG@2": 1.0,
        }
        assert (figures["recall@2"].difference is None) == (name == "vector")
        assert 0 < report.latency_ms[name]["p50"] <= report.latency_ms[name]["p95"]
    assert report.as_json()["pipelines"]["fused"]["MRR@2"] == {
        "mean": 1.0,
        "low": 1.0,
        "high": 1.0,
        "difference": {"mean": 0.0, "low": 0.0, "high": 0.0},
    }


async def test_documents_that_say_the_same_are_both_found_and_empty_ones_are_not_there(store: Store):
    task = store.task(DOCUMENTS, QUERIES, measures=["recall@10"])

    runs = await store.run(task)

    assert runs["vector"]["q2"].ids[:2] == ("tabu", "copy")
    assert set(runs["vector"]["q2"].ids) == {"tabu", "copy", "qubits", "cells"}


async def test_what_is_loaded_is_used_again_and_an_interrupted_load_is_resumed(store: Store):
    task = store.task(DOCUMENTS, QUERIES)
    first = (await store.load(task)).ingest
    again = (await store.load(task)).ingest
    (store.folder / "loaded.json").write_text("{ torn")
    resumed = (await store.load(task)).ingest
    other_chunks = (await store.load(task, ChunkOptions(max_tokens=8, overlap_tokens=0))).ingest

    assert (first.documents, first.papers, first.chunks, first.reused) == (5, 3, 3, False)
    assert (again.reused, again.seconds) == (True, first.seconds)
    assert (resumed.papers, resumed.chunks, resumed.reused) == (3, 3, False)
    assert (other_chunks.papers, other_chunks.reused) == (3, False)
    assert other_chunks.chunks > 3


async def test_a_document_that_ingestion_refuses_is_named_and_the_others_are_loaded(store: Store):
    task = store.task([*DOCUMENTS, {"_id": "odd", "title": "", "text": "not \0 text"}], QUERIES)

    first, again = [(await store.load(task)).ingest for _ in range(2)]

    assert (first.papers, again.reused) == (3, True)
    assert first.refused == again.refused
    assert first.refused[0].startswith("odd: is not text")


@pytest.mark.slow
async def test_a_document_stands_at_its_best_chunk_and_enough_chunks_are_asked_for(store: Store):
    many = " ".join(f"Sentence {number} of many tells about annealing." for number in range(60))
    documents = [{"_id": "long", "text": many}, *({"_id": f"s{n}", "text": f"Annealing {n}."} for n in range(4))]
    queries = [{"_id": "q", "text": "annealing", "gold": "s1"}]
    short = ChunkOptions(max_tokens=12, overlap_tokens=0)

    for k in (2, 5):
        task = store.task(documents, queries, text_fields=["text"], measures=[f"recall@{k}"])
        for run in (await store.run(task, short)).values():
            assert len(set(run["q"].ids)) == len(run["q"].ids) == k


async def test_a_pool_is_ranked_to_its_last_document_and_nothing_else_is(store: Store):
    documents = [{"_id": f"d{n}", "text": f"Text {n} about annealing and tabu search."} for n in range(80)]
    documents.append({"_id": "far", "text": "Bread is baked in an oven, and annealing is no word of bakers."})
    task = store.task(
        documents,
        [{"_id": "q", "text": "annealing and tabu search", "gold": ["far", "d7"]}],
        text_fields=["text"],
        within_gold=True,
        measures=["recall@2"],
    )

    for run in (await store.run(task)).values():
        assert run["q"].ids == ("d7", "far")


async def test_the_document_that_a_query_was_made_of_is_left_out(store: Store):
    queries = [{"_id": "q", "paper": "qubits", "facet": "all", "gold": ["cells"]}]
    task = store.task(DOCUMENTS, queries, query={"paper_facet": ["paper", "facet"]}, measures=["recall@4"])

    for run in (await store.run(task)).values():
        assert "qubits" not in run["q"].ids


async def test_evidence_is_hit_by_a_chunk_that_covers_half_of_it(store: Store):
    sentences = [f"Filler number {number} tells nothing at all about anything." for number in range(30)]
    answer = "Mitochondria make the energy that a cell needs."
    text = " ".join([*sentences[:15], answer, *sentences[15:]])
    documents = [{"_id": "d", "title": "A \n title", "text": text}]
    start = len("A \n title ") + text.index(answer)
    queries = [{"_id": "q", "text": "what makes the energy of a cell", "doc": "d", "start": start, "span": answer}]
    gold = {"doc": "doc", "start": "start", "evidence": "span"}
    task = store.task(documents, queries, unit="chunk", gold=gold, measures=["hit@1", "MRR@5"])

    runs = await store.run(task, ChunkOptions(max_tokens=24, overlap_tokens=0))

    report = make_report(task, runs, None)
    for name, run in runs.items():
        place, (first, last) = run["q"].ids[0].split("#")[0], map(int, run["q"].ids[0].split("#")[1].split("-"))
        assert place == "d"
        assert answer[:20] in task.documents[0].text[first:last]
        assert report.pipelines[name]["hit@1"].mean == report.pipelines[name]["MRR@5"].mean == 1.0


async def test_candidates_of_a_selection_are_papers_with_their_vectors_and_what_each_part_says(store: Store):
    query = {"_id": "q", "text": "how many physical qubits are there . what pulls chromosomes apart", "gold": ["cells"]}
    task = store.task(DOCUMENTS, [query])
    corpus = await store.load(task)
    resources = Resources.of(store.database, store.embedder)

    (whole,) = await find_pools(resources, task, corpus, shipped()["fast"], n=3)
    (apart,) = await find_pools(resources, task, corpus, shipped()["diverse"], n=3)

    assert set(whole.documents) == {("qubits",), ("tabu", "copy"), ("cells",)}
    assert [one.score for one in whole.candidates] == sorted((one.score for one in whole.candidates), reverse=True)
    assert whole.vectors.shape == (3, store.embedder.card.dimension)
    assert {retriever.query for one in whole.candidates for retriever in one.retrievers} == {0}
    assert {retriever.query for one in apart.candidates for retriever in one.retrievers} == {1, 2}
