"""Prototypes of questions against the vector index and against a comparison with every question.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.prototypes

The questions are the first 24,000 sentences of SciFact's abstracts, each answered by its abstract, for no model is here
to ask any; the queries are SciFact's claims. Settings were chosen on the first 300 of them; the figures to trust are of
the 509 others. Comparisons are counted with those of the query with the prototypes. The store is kept and used again;
without its folder it is filled anew. Writes results/prototypes.json.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import data_folder, home_of_store, write_result
from benchmarks.corpora import Corpus, load, remembering_embedder
from cli.output import TerminalProgress
from evaluation.task import Task, read_task
from evaluation.vector_cache import RememberingEmbedder
from ingest.enrichments.enrichment import EnrichmentContext, StoredPaper
from ingest.enrichments.prototypes.enrichment import Prototypes, spherical_k_means
from ingest.enrichments.questions.candidates import Draft, Generator, one_line, without_repeats
from ingest.enrichments.questions.duplicates import relate
from ingest.enrichments.questions.enrichment import MadeQuestions, Questions
from papergraph.batches import batches
from papergraph.database import Database
from papergraph.embedding import Floats
from papergraph.neo4j_errors import Transaction
from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address, open_store
from papergraph.text.sentences import sentences
from papergraph.vector_slots import VectorSlot
from schema.migrate import prepare
from server.retrieval.retrievers.prototype_index import NPROBE, questions_by_prototypes

N_QUESTIONS, N_CHOSEN_ON, N_TIMED, K = 24_000, 300, 300, 3
PAPERS_PER_TRANSACTION, TEXTS_AT_ONCE = 50, 1000
FEWEST_WORDS = 5
FACTORS, PROBES = (0.5, 1.0, 2.0, 4.0), (1, 2, 4, 8, 16, 24, 32)

BY_INDEX = Statement(
    "benchmark/index",
    """
    CYPHER 25
    MATCH (question:Question)
      SEARCH question IN (
        VECTOR INDEX question_embedding FOR $vector WHERE question.collection = $collection LIMIT $k
      ) SCORE AS score
    RETURN question.id AS id ORDER BY score DESC, id
    """,
)
BY_ALL = Statement(
    "benchmark/all",
    """
    CYPHER 25
    MATCH (question:Question) WHERE question.collection = $collection
    WITH question, vector.similarity.cosine(question.embedding, $vector) AS score
    ORDER BY score DESC, question.id LIMIT $k
    RETURN question.id AS id
    """,
)
VECTORS = Statement("benchmark/vectors", "MATCH (q:Question) RETURN q.id AS id, q.embedding AS embedding ORDER BY id")
ASSIGNED = Statement(
    "benchmark/assigned",
    "MATCH (p:Prototype {kind: 'question'})-[:STANDS_FOR]->(q:Question) "
    "RETURN p.ordinal AS prototype, p.centroid AS centroid, collect(q.id) AS ids ORDER BY prototype",
)
COUNT = Statement("benchmark/count", "MATCH (q:Question) RETURN count(q)")
UNMARK = Statement("benchmark/unmark", "MATCH (q:Question) REMOVE q.comparisonConfigHash")
UNMARK_ONE_PAPER = Statement(
    "benchmark/unmark-one",
    "MATCH (q:Question) WITH q.paperId AS paper ORDER BY q.id LIMIT 1 MATCH (q:Question {paperId: paper}) "
    "REMOVE q.comparisonConfigHash",
)
AWAIT = Statement("benchmark/await", "CALL db.awaitIndexes(300)")


async def main(address: Address) -> None:
    embedder = remembering_embedder()
    task = read_task(data_folder() / "scifact", split="train")
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        corpus = await load(database, embedder, task, home_of_store("prototypes") / "corpora" / "scifact")
        collection = corpus.loaded.collection
        ((n,),) = await database.read(COUNT)
        if n == 0:
            n = await write_sentences(database, embedder, corpus)
        start = time.perf_counter()
        counts = await Prototypes().finish(database, collection, EnrichmentContext(embedder), progress=silent)
        made_s = time.perf_counter() - start
        start = time.perf_counter()
        again = await Prototypes().finish(database, collection, EnrichmentContext(embedder), progress=silent)
        again_s = time.perf_counter() - start
        assert again["question_assigned"] == again["question_trained"] == 0
        same = await compare(database, collection, embedder)
        await database.run_alone(AWAIT, deadline_s=400.0)
        figures = await measure(database, embedder, task, collection)
    write_result(
        "prototypes",
        {
            "what": f"{n} sentences of SciFact's abstracts as questions, {len(task.queries)} claims, k = {K}",
            "prototypes": counts["question_prototypes"],
            "made of questions and chunks, s": round(made_s, 1),
            "made anew": counts["question_trained"],
            "nothing changed, s": round(again_s, 2),
            "duplicates": same,
            **figures,
        },
    )


async def write_sentences(database: Database, embedder: RememberingEmbedder, corpus: Corpus) -> int:
    """Write the sentences as questions by the enrichment's own way; return how many there are."""
    drafts: dict[str, list[Draft]] = {}
    texts: list[str] = []
    for paper in corpus.papers:
        for chunk in paper.chunks:
            for sentence in map(one_line, sentences(chunk.text)):
                if len(texts) < N_QUESTIONS and len(sentence.split()) >= FEWEST_WORDS:
                    drafts.setdefault(paper.id, []).append(Draft(sentence, (chunk.id,), Generator.EXTRACTIVE))
                    texts.append(sentence)
    vectors: dict[str, Floats] = {}
    for part in batches(texts, TEXTS_AT_ONCE):
        vectors |= dict(zip(part, embedder.encode_documents(part), strict=True))
    enrichment, means, n = Questions(), EnrichmentContext(embedder), 0
    for papers in batches([paper for paper in corpus.papers if paper.id in drafts], PAPERS_PER_TRANSACTION):

        async def work(transaction: Transaction, papers: Sequence[StoredPaper] = papers) -> int:
            found = 0
            for paper in papers:
                made = MadeQuestions(without_repeats(paper.id, drafts[paper.id]), vectors)
                await enrichment.write(transaction, paper, made, means, VectorSlot.FIRST)
                found += len(made.drafts)
            return found

        n += await database.transact("write sentences", work, deadline_s=120.0)
    return n


async def compare(database: Database, collection: str, embedder: RememberingEmbedder) -> dict[str, object]:
    """Relate duplicates of the whole collection, then after one paper changed."""
    found: dict[str, object] = {}
    for name, unmark in (("all compared", UNMARK), ("one paper compared", UNMARK_ONE_PAPER)):
        await database.run_alone(unmark, deadline_s=120.0)
        start = time.perf_counter()
        counts = await relate(
            database, collection, threshold=Questions().threshold, model=embedder.card.sha256, progress=silent
        )
        found[name] = {**counts, "s": round(time.perf_counter() - start, 2)}
    return found


async def measure(database: Database, embedder: RememberingEmbedder, task: Task, collection: str) -> dict[str, object]:
    records = await database.read(VECTORS, deadline_s=300.0)
    ids = [record["id"] for record in records]
    vectors = np.asarray([record["embedding"] for record in records], dtype=np.float32)
    texts = [query.text for query in task.queries]
    queries = np.stack([embedder.encode_query(text) for text in texts])
    exact = [set(np.argsort(-(vectors @ query), kind="stable")[:K].tolist()) for query in queries]
    place = {id: number for number, id in enumerate(ids)}
    assigned = await database.read(ASSIGNED, deadline_s=120.0)
    centroids = np.asarray([record["centroid"] for record in assigned], dtype=np.float32)
    groups = [np.asarray([place[id] for id in record["ids"]]) for record in assigned]
    first, others = slice(0, N_CHOSEN_ON), slice(N_CHOSEN_ON, None)
    held_out = [probe(vectors, queries[others], exact[others], centroids, groups, n) for n in (1, 8, NPROBE)]
    sweep = {}
    for factor in FACTORS:
        k = Prototypes(factor=factor).number(len(ids))
        means = spherical_k_means(vectors, k=k, seed=0)
        nearest = (vectors @ means.T).argmax(axis=1)
        grouped = [np.flatnonzero(nearest == at) for at in range(k)]
        sweep[f"factor {factor:g}"] = [probe(vectors, queries[first], exact[first], means, grouped, n) for n in PROBES]

    async def by_prototypes(number: int, nprobe: int) -> list[str]:
        hits = await questions_by_prototypes(
            database, _Given(embedder, queries[number]), texts[number], collections=(collection,), k=K, nprobe=nprobe
        )
        return [hit.question_id for hit in hits]

    async def by_statement(number: int, statement: Statement) -> list[str]:
        found = await database.read(statement, vector=queries[number].tolist(), collection=collection, k=K)
        return [record["id"] for record in found]

    ways: dict[str, Callable[[int], Awaitable[list[str]]]] = {
        f"prototypes, nprobe {NPROBE}": lambda number: by_prototypes(number, NPROBE),
        "prototypes, nprobe 1": lambda number: by_prototypes(number, 1),
        "vector index (HNSW)": lambda number: by_statement(number, BY_INDEX),
        "every question": lambda number: by_statement(number, BY_ALL),
    }
    asked = {}
    for name, way in ways.items():
        numbers = range(N_CHOSEN_ON, N_CHOSEN_ON + (N_TIMED if name != "every question" else 40))
        await way(0)
        times, recalls = [], []
        for number in numbers:
            start = time.perf_counter()
            found = await way(number)
            times.append(1000 * (time.perf_counter() - start))
            recalls.append(len({place[id] for id in found} & exact[number]) / K)
        p50, p95 = np.percentile(times, [50, 95])
        asked[name] = {"recall@3": round(float(np.mean(recalls)), 4), "p50 ms": round(p50, 1), "p95 ms": round(p95, 1)}
    return {"asked of Neo4j": asked, "comparisons, held out": held_out, "comparisons, first 300": sweep}


class _Given:
    """An embedder whose query vectors are known, so that embedding is not timed."""

    def __init__(self, embedder: RememberingEmbedder, vector: Floats) -> None:
        self.card, self.tokenizer, self._embedder, self._vector = embedder.card, embedder.tokenizer, embedder, vector

    def encode_query(self, text: str) -> Floats:
        return self._vector

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        return self._embedder.encode_documents(texts)


def probe(
    vectors: Floats,
    queries: Floats,
    exact: Sequence[set[int]],
    centroids: Floats,
    groups: Sequence[NDArray[np.int64]],
    nprobe: int,
) -> dict[str, float]:
    """Return recall@3 and how many times fewer comparisons than with every question, prototypes counted."""
    recalls, compared = [], []
    for query, right in zip(queries, exact, strict=True):
        nearest = np.argsort(-(centroids @ query), kind="stable")[:nprobe]
        among = np.concatenate([groups[at] for at in nearest])
        best = among[np.argsort(-(vectors[among] @ query), kind="stable")[:K]]
        recalls.append(len(right & set(best.tolist())) / K)
        compared.append(len(centroids) + len(among))
    mean = float(np.mean(compared))
    return {
        "prototypes": len(centroids),
        "nprobe": nprobe,
        "recall@3": round(float(np.mean(recalls)), 4),
        "comparisons": round(mean),
        "times fewer": round(len(vectors) / mean, 2),
    }


if __name__ == "__main__":
    own = Settings().replace(home=home_of_store("prototypes"), neo4j={"uri": None})
    with TerminalProgress() as progress, open_store(own, progress=progress) as address:
        progress.pause()
        asyncio.run(main(address))
