"""How long clusters take over some 11,700 chunks, and how long one more paper takes with them.

Usage: python -m benchmarks.enrichments

The 1,649 abstracts of quantum_arxiv are ingested as papers cut into sentences of at most 40 tokens, with vectors of the
default model, into a store that is kept for the next time. Clusters are made from nothing, and once more with nothing
changed; the nearest chunks that the KNN of Graph Data Science finds are compared with the exact ones. Three papers,
every 300th by arXiv id, are then deleted and come again, one by one: ingestion and clusters of each are timed together,
and what the embedding model took of it. Entities that the store holds take part.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from graphdatascience import GraphDataScience

from benchmarks.common import data_folder, home_of_store, write_result
from cli.output import TerminalProgress
from ingest.chunkers import ChunkOptions
from ingest.enrichments.clusters.enrichment import ClustersEnrichment
from ingest.enrichments.clusters.nearest_chunks import similar_pairs
from ingest.enrichments.enrichment import Enrichment, EnrichmentContext
from ingest.enrichments.run import enrich
from ingest.ingestor import Ingestor, JobSettings, delete
from papergraph.database import Database
from papergraph.embedding import Embedder, Floats, load_model
from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.statement import Statement
from papergraph.store import Address, open_store
from schema.migrate import prepare

OPTIONS = ChunkOptions.choose("sentence", max_tokens=40, overlap=0)
GATE_ALL_S, GATE_ONE_S = 90.0, 3.0
EVERY, N_PAPERS, K = 300, 3, 8
COUNT = Statement("count", "CYPHER 25 RETURN COUNT { (:Paper) } AS n_papers, COUNT { (:Chunk {level: 0}) } AS n_chunks")
VECTORS = Statement(
    "vectors",
    "CYPHER 25 MATCH (chunk:Chunk {level: 0}) "
    "RETURN toInteger(split(elementId(chunk), ':')[2]) AS node, chunk.embedding AS vector ORDER BY chunk.id",
)
FORGET = Statement(
    "forget",
    "CYPHER 25 MATCH (n:Cluster|EnrichmentState WHERE coalesce(n.kind, '') <> 'metadata') "
    "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS",
)
UNRELATE = Statement(
    "unrelate",
    "CYPHER 25 MATCH (:Chunk)-[similar:SIMILAR]->() CALL (similar) { DELETE similar } IN TRANSACTIONS OF 5000 ROWS",
)


class Timed:
    """An embedding model that counts the seconds it takes."""

    def __init__(self, model: Embedder) -> None:
        self._model, self.card, self.tokenizer = model, model.card, model.tokenizer
        self.seconds = 0.0

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        start = time.perf_counter()
        vectors = self._model.encode_documents(texts)
        self.seconds += time.perf_counter() - start
        return vectors

    def encode_query(self, text: str) -> Floats:
        return self._model.encode_query(text)


def main() -> None:
    own = Settings().replace(home=home_of_store("enrichments"), neo4j={"uri": None})
    with TerminalProgress() as progress, open_store(own, progress=progress) as address:
        progress.pause()
        write_result("enrichments", asyncio.run(measure(address)))


async def measure(address: Address) -> dict[str, Any]:
    files = sorted((data_folder() / "quantum_arxiv").glob("*.jsonl"))
    model = Timed(load_model("bge-small-en-v1.5"))
    means = EnrichmentContext(model)
    async with await address.connect() as database:
        await prepare(database, model.card)
        (count,) = await database.read(COUNT)
        if count["n_papers"] == 0:
            await Ingestor(database, model).ingest(files, settings=JobSettings(OPTIONS))
            (count,) = await database.read(COUNT)
        await database.run_alone(UNRELATE, deadline_s=300.0)
        await database.run_alone(FORGET, deadline_s=300.0)
        enrichment = ClustersEnrichment()
        counts, first_s = await timed(enrichment.finish(database, "main", means, progress=silent))
        print(first_s, counts, flush=True)
        _, again_s = await timed(enrichment.finish(database, "main", means, progress=silent))
        figures: dict[str, Any] = {
            "nPapers": count["n_papers"],
            "nChunks": count["n_chunks"],
            "fromNothingS": first_s,
            "unchangedS": again_s,
            "counts": counts,
        }
        figures["neighbours"] = await neighbours(database)
        figures["onePaper"] = await one_by_one(database, [enrichment], means, model, files)
    totals = sorted(one["totalS"] - one["embeddingS"] for one in figures["onePaper"])
    figures["onePaperMedianS"] = totals[len(totals) // 2]
    figures["gates"] = {
        "all": {"limitS": GATE_ALL_S, "met": first_s < GATE_ALL_S},
        "onePaper": {"limitS": GATE_ONE_S, "met": figures["onePaperMedianS"] < GATE_ONE_S},
    }
    return figures


async def neighbours(database: Database) -> dict[str, Any]:
    """Compare the nearest chunks that Graph Data Science finds with the exact ones, whatever papers they are of."""
    records = await database.read(VECTORS, deadline_s=300.0)
    place = {record["node"]: number for number, record in enumerate(records)}
    vectors = np.array([record["vector"] for record in records], dtype=np.float32)
    start = time.perf_counter()
    similar_pairs(vectors, np.arange(len(vectors)), k=K, least=0.0)
    exact_s = time.perf_counter() - start

    def by_gds() -> tuple[list[tuple[int, int]], float]:
        login = database.login
        assert login is not None
        client = GraphDataScience(login.uri, auth=(login.user, login.password), arrow=False, show_progress=False)
        begin = time.perf_counter()
        graph, _ = client.graph.project.native("neighbours", {"Chunk": {"properties": ["embedding"]}}, "*")
        found = client.knn.stream(graph, ["embedding"], top_k=K, random_seed=1, concurrency=1, log_progress=False)
        taken_s = time.perf_counter() - begin
        client.graph.drop("neighbours")
        client.close()
        return list(zip(found["node1"], found["node2"], strict=True)), taken_s

    found, gds_s = await asyncio.to_thread(by_gds)
    pairs = {(place[one], place[other]) for one, other in found if one in place and other in place}
    sample = np.arange(0, len(vectors), 10)
    scores = vectors[sample] @ vectors.T
    scores[np.arange(len(sample)), sample] = -2.0
    nearest = np.argpartition(-scores, K, axis=1)[:, :K]
    n_found = sum((int(one), int(other)) in pairs for one, row in zip(sample, nearest, strict=True) for other in row)
    recall = n_found / (K * len(sample))
    return {"k": K, "exactS": round(exact_s, 2), "gdsS": round(gds_s, 2), "gdsRecall": round(recall, 3)}


async def one_by_one(
    database: Database, enrichments: Sequence[Enrichment], means: EnrichmentContext, model: Timed, files: Sequence[Path]
) -> list[dict[str, Any]]:
    records = sorted(
        (line for file in files for line in file.read_text(encoding="utf-8").splitlines()),
        key=lambda line: str(json.loads(line)["arxiv_id"]),
    )
    found = []
    for record in records[::EVERY][:N_PAPERS]:
        await delete(database, [json.loads(record)["arxiv_id"]])
        await enrich(database, enrichments, means, collection="main")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "one.jsonl"
            file.write_text(record + "\n", encoding="utf-8")
            before_s = model.seconds
            _, ingest_s = await timed(Ingestor(database, model).ingest([file], settings=JobSettings(OPTIONS)))
            report, enrichments_s = await timed(enrich(database, enrichments, means, collection="main"))
        found.append(
            {
                "totalS": round(ingest_s + enrichments_s, 2),
                "ingestS": ingest_s,
                "clustersS": enrichments_s,
                "embeddingS": round(model.seconds - before_s, 2),
                "counts": report.counts,
            }
        )
    return found


async def timed(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    result = await work
    return result, round(time.perf_counter() - start, 2)


if __name__ == "__main__":
    main()
