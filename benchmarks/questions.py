"""Whether questions made without a model help retrieval: their vectors beside the chunks', against chunks alone.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.questions

Every comparison is exact (no index) and on the same vectors. A chunk's score with questions is the higher of its own
cosine and that of its best question (max), or both rankings are fused by rank (rrf, constant 60). Writes
results/questions.json.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from benchmarks.common import data_folder, empty_store, home_of_store, write_result
from benchmarks.corpora import Corpus, load, remembering_embedder
from evaluation.bootstrap import intervals
from evaluation.measures import evidence_figures, figures
from evaluation.queries import Evidence, Query, Span
from evaluation.task import Task, read_task
from ingest.enrichments.enrichment import StoredPaper
from ingest.enrichments.questions.candidates import Draft, asked_chunks
from ingest.enrichments.questions.templates import extracts, templates
from papergraph.embedding import Embedder, Floats
from papergraph.store import Address
from schema.migrate import prepare

TASKS = (("scifact", "train"), ("cranfield", "test"), ("covidqa", "test"))
MOST_CHUNKS, DEPTH, RRF = 500, 50, 60
TEXTS_AT_ONCE = 1000
ALONE = "chunks alone"

Make = Callable[[StoredPaper], Iterable[Draft]]
MAKERS: dict[str, Make] = {
    "template": templates,
    "extractive": lambda paper: extracts(paper, asked_chunks(paper, most=MOST_CHUNKS)),
}


async def main(address: Address) -> None:
    embedder = remembering_embedder()
    found = {}
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        for name, split in TASKS:
            task = read_task(data_folder() / name, split=split)
            corpus = await load(database, embedder, task, home_of_store("questions") / "corpora" / name)
            found[f"{name} {split}"] = measure(task, corpus, embedder)
            print(name, found[f"{name} {split}"])
    write_result("questions", {"what": "paired difference to chunks alone, 95 % bootstrap interval", "tasks": found})


def measure(task: Task, corpus: Corpus, embedder: Embedder) -> dict[str, object]:
    chunk_ids = [chunk.id for paper in corpus.papers for chunk in paper.chunks]
    place = {id: number for number, id in enumerate(chunk_ids)}
    of_chunks = np.stack([corpus.vectors[id] for id in chunk_ids])
    made = {name: _made(corpus, make, embedder, place) for name, make in MAKERS.items()}
    made["both"] = (
        np.vstack([vectors for vectors, _ in made.values()]),
        [*chain.from_iterable(of for _, of in made.values())],
    )
    rankings: dict[str, dict[str, list[int]]] = defaultdict(dict)
    for query in task.queries:
        vector = embedder.encode_query(query.text)
        own = of_chunks @ vector
        rankings[ALONE][query.id] = _best(own)
        for name, (vectors, answering) in made.items():
            asked = _of_chunks(vectors @ vector, answering, len(own))
            rankings[f"{name}, max"][query.id] = _best(np.maximum(own, asked))
            rankings[f"{name}, rrf"][query.id] = _best(_fused(own, asked))
    per_query = {name: _figures(task, corpus, chunk_ids, run) for name, run in rankings.items()}
    means, differences = intervals({name: list(values.values()) for name, values in per_query.items()})
    return {
        "measure": task.measures[0].name,
        "queries": len(task.queries),
        "chunks": len(chunk_ids),
        "questions": {name: len(vectors) for name, (vectors, _) in made.items()},
        ALONE: round(means[ALONE].mean, 4),
        "differences": {
            name: [round(number, 4) for number in (gap.mean, gap.low, gap.high)] for name, gap in differences.items()
        },
    }


def _made(corpus: Corpus, make: Make, embedder: Embedder, place: dict[str, int]) -> tuple[Floats, list[Sequence[int]]]:
    """Return the questions' vectors, and which chunks answer each: those of the paper where it spans it."""
    texts: list[str] = []
    answering: list[Sequence[int]] = []
    for paper in corpus.papers:
        every = [place[chunk.id] for chunk in paper.chunks]
        for draft in make(paper):
            texts.append(draft.text)
            answering.append(every if draft.spans_paper else [place[id] for id in draft.chunk_ids])
    return (
        embedder.encode_documents(texts) if texts else np.zeros((0, embedder.card.dimension), np.float32)
    ), answering


def _of_chunks(scores: Floats, answering: Sequence[Sequence[int]], n: int) -> Floats:
    """Return for each chunk the score of its best question."""
    found = np.full(n, -1.0, dtype=np.float32)
    for score, places in zip(scores, answering, strict=True):
        for place in places:
            found[place] = max(found[place], score)
    return found


def _fused(own: Floats, asked: Floats) -> Floats:
    fused = np.zeros(len(own), dtype=np.float32)
    for retriever in (own, asked):
        for rank, at in enumerate(np.argsort(-retriever, kind="stable")[: 4 * DEPTH], start=1):
            if retriever[at] > -1.0:
                fused[at] += 1 / (RRF + rank)
    return fused


def _best(scores: Floats) -> list[int]:
    return [int(at) for at in np.argsort(-scores, kind="stable")[: 4 * DEPTH]]


def _figures(task: Task, corpus: Corpus, chunk_ids: list[str], run: dict[str, list[int]]) -> dict[str, float]:
    paper_of = {chunk.id: paper.id for paper in corpus.papers for chunk in paper.chunks}
    measure = task.measures[0]
    if not task.asks_for_evidence:
        documents = {query: _documents(corpus, [paper_of[chunk_ids[at]] for at in best]) for query, best in run.items()}
        return figures(measure, task.queries, documents)

    def covers(query: Query, at: int) -> bool:
        assert isinstance(query.gold, Evidence)
        start, end = corpus.places[chunk_ids[at]]
        of = corpus.loaded.documents_of[paper_of[chunk_ids[at]]]
        places = [Span(document.id, start + document.shift, end + document.shift) for document in of]
        return any(span.is_covered_by(place) for span in query.gold.spans for place in places)

    covered = {query.id: [covers(query, at) for at in run[query.id][:10]] for query in task.queries}
    return evidence_figures(measure, task.queries, covered)


def _documents(corpus: Corpus, papers: Iterable[str]) -> list[str]:
    return [document.id for paper in dict.fromkeys(papers) for document in corpus.loaded.documents_of[paper]][:DEPTH]


if __name__ == "__main__":
    with empty_store("questions") as address:
        asyncio.run(main(address))
