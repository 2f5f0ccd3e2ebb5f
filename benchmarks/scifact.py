"""Retrieval quality on SciFact, one chunk per abstract, through the product's own ingestion and search.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.scifact

Writes results/scifact.json: nDCG@10 of each leg and of the fusion on the 300 test claims, and recall@20 of the vector
index against an exact scan of the vectors that the graph holds.
"""

import asyncio
import csv
import json
import time
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import Qrel, ScoredDoc, nDCG

from benchmarks.common import benchmark_store, data_folder, write_result
from ingest.chunk import ChunkOptions
from ingest.run import ingest
from papergraph.database import Database, Statement
from papergraph.embedding import SentenceTransformerModel, load_model
from papergraph.settings import Settings
from papergraph.store import Address
from schema.migrate import prepare
from server.retrieval.search import Candidate, fulltext_leg, search, vector_leg
from server.terminal import TerminalProgress

COLLECTION = "scifact"
WHOLE_ABSTRACT = ChunkOptions(max_tokens=8192, overlap_tokens=0)
DEPTH = 50
RECALL_K = 20

KEYS = Statement(
    "chunk keys",
    "CYPHER 25 MATCH (p:Paper)-[:HAS_SECTION]->()-[:HAS_CHUNK]->(c:Chunk) "
    "WHERE p.collection = $collection RETURN c.id AS id, p.key AS key, c.embedding AS embedding",
)


async def main(address: Address) -> None:
    folder = data_folder() / "scifact"
    embedder = load_model("all-MiniLM-L6-v2")
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        ingested = await load_corpus(database, embedder, folder)
        rows = await database.read(KEYS, collection=COLLECTION, deadline_s=120.0)
        doc_of = {row["id"]: Path(row["key"]).stem for row in rows}
        vectors = {row["id"]: np.asarray(row["embedding"]) for row in rows}
        assert len(doc_of) == len(set(doc_of.values())), "more than one chunk for an abstract"
        queries = read_queries(folder / "queries_test.jsonl")
        qrels = read_qrels(folder / "qrels_test.tsv")
        runs: dict[str, list[ScoredDoc]] = {"vector": [], "fulltext": [], "fused": []}
        recalls = []
        for query_id, text in queries.items():
            by_vector = await vector_leg(database, embedder, text, collection=COLLECTION, k=DEPTH)
            by_words = await fulltext_leg(database, text, collection=COLLECTION, k=DEPTH)
            fused = await search(database, embedder, text, collection=COLLECTION, k=10)
            runs["vector"] += scored(query_id, by_vector, doc_of)
            runs["fulltext"] += scored(query_id, by_words, doc_of)
            runs["fused"] += [ScoredDoc(query_id, Path(hit.paper.key).stem, hit.score) for hit in fused]
            at_20 = await vector_leg(database, embedder, text, collection=COLLECTION, k=RECALL_K)
            recalls.append(recall(at_20, embedder.encode_query(text), vectors))
    figures = {
        name: round(ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10], 4) for name, run in runs.items()
    }
    write_result(
        "scifact",
        {
            "what": "SciFact test, 300 claims, 5183 abstracts, one chunk each; all-MiniLM-L6-v2",
            "nDCG@10": figures,
            "recall@20 of the index against exact": round(float(np.mean(recalls)), 4),
            "papersInStore": len(doc_of),
            "ingest": ingested,
        },
    )


async def load_corpus(database: Database, embedder: SentenceTransformerModel, folder: Path) -> dict[str, float]:
    """Ingest the abstracts as text files, title on the first line; a second run finds them in place."""
    papers = Settings().cache / "benchmarks" / "scifact-papers"
    papers.mkdir(parents=True, exist_ok=True)
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            text = f"{' '.join(record['title'].split())}\n\n{' '.join(record['sentences'])}\n"
            (papers / f"{record['_id']}.txt").write_text(text, encoding="utf-8")
    with TerminalProgress() as progress:
        start = time.perf_counter()
        report = await ingest(
            database, embedder, [papers], collection=COLLECTION, options=WHOLE_ABSTRACT, progress=progress
        )
    assert not report.failed, report.failed[:3]
    elapsed_s = time.perf_counter() - start
    return {"documents": len(report.items), "seconds": round(elapsed_s, 1)}


def read_queries(path: Path) -> dict[str, str]:
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)
    return {str(record["_id"]): record["text"] for record in records}


def read_qrels(path: Path) -> list[Qrel]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return [Qrel(query, doc, int(relevance)) for query, doc, relevance in rows]


def scored(query_id: str, candidates: list[Candidate], doc_of: dict[str, str]) -> list[ScoredDoc]:
    return [ScoredDoc(query_id, doc_of[candidate.chunk_id], candidate.score) for candidate in candidates]


def recall(found: list[Candidate], query: np.ndarray, vectors: dict[str, np.ndarray]) -> float:
    ids = list(vectors)
    similarity = np.stack([vectors[id] for id in ids]) @ query
    exact = {ids[index] for index in np.argsort(-similarity)[:RECALL_K]}
    return len(exact & {candidate.chunk_id for candidate in found}) / RECALL_K


if __name__ == "__main__":
    with benchmark_store("scifact") as address:
        asyncio.run(main(address))
