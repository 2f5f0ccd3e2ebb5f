"""The library that questions are asked of: our samples and real papers, in a Neo4j of their own, without a model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.common import data_folder, empty_store
from benchmarks.grounding.papers import SAMPLES
from ingest.ingestor import Ingestor, JobSettings
from papergraph.embedding import load_model
from schema.migrate import prepare
from server.retrieval.resources import Resources

REAL = ("lmtest-intro", "RcppArmadillo-intro", "hcl-colors", "decision-vegan")
N_PAPERS = 12 + len(REAL)


@asynccontextmanager
async def library() -> AsyncIterator[Resources]:
    """Open a store with these papers, and give what questions are answered with."""
    embedder = load_model("all-MiniLM-L6-v2")
    files = [data_folder() / "real_pdfs" / "pdf" / f"{name}.pdf" for name in REAL]
    with empty_store("grounding") as address:
        async with await address.connect() as database:
            await prepare(database, embedder.card)
            report = await Ingestor(database, embedder).ingest([SAMPLES, *files], settings=JobSettings())
            if report.failed:
                raise RuntimeError(f"{len(report.failed)} papers cannot be read")
            yield Resources.of(database, embedder)
