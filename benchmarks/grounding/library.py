"""The library that questions are asked of: our samples and real papers, in a Neo4j of their own, without a model."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.common import data_folder, empty_store
from benchmarks.grounding.papers import SAMPLES
from ingest.ingestor import Ingestor, JobSettings
from papergraph.embedding import load_model
from schema.migrate import prepare
from server.retrieval.resources import Resources

REAL = ("lmtest-intro", "RcppArmadillo-intro", "hcl-colors", "decision-vegan")


def default_files() -> list[Path]:
    """Return the samples and four papers of the evaluation data."""
    return [SAMPLES, *(data_folder() / "real_pdfs" / "pdf" / f"{name}.pdf" for name in REAL)]


def pdfs(names: Sequence[str]) -> list[Path]:
    """Return papers of the folder ``PAPERGRAPH_PDFS``, by their names without an ending; end where it is not set."""
    folder = os.environ.get("PAPERGRAPH_PDFS")
    if not folder:
        sys.exit(f"set PAPERGRAPH_PDFS to a folder with {', '.join(names)} as PDFs")
    return [Path(folder) / f"{name}.pdf" for name in names]


@asynccontextmanager
async def library(files: Sequence[Path] | None = None, *, store: str = "grounding") -> AsyncIterator[Resources]:
    """Open a store with these papers, and give what questions are answered with.

    Args:
        files: Papers; None for the default ones.
        store: Name of the Neo4j's folder, so that two runs can go side by side.

    Raises:
        RuntimeError: A paper cannot be read.
    """
    embedder = load_model("bge-small-en-v1.5")
    with empty_store(store) as address:
        async with await address.connect() as database:
            await prepare(database, embedder.card)
            chosen = default_files() if files is None else files
            report = await Ingestor(database, embedder).ingest(chosen, settings=JobSettings())
            if report.failed:
                raise RuntimeError(f"{len(report.failed)} papers cannot be read")
            yield Resources.of(database, embedder)
