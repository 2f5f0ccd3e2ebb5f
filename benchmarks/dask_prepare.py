"""How much faster two processes parse, cut and embed real PDFs than one.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.dask_prepare

The PDFs of ``PAPERGRAPH_DATA/real_pdfs``, with the packaged model, by Dask workers of one thread each: one, then two.
Nothing is written, so that no database is needed. Each worker first prepares many of the documents: after 512 texts, a
model loads another implementation of itself, for some 15 s. Writes results/dask_prepare.json.
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.common import data_folder, write_result
from benchmarks.dask_ingest import dask_workers
from ingest.ingestor import JobSettings
from ingest.pipeline.dask_executor import DaskExecutor
from ingest.pipeline.prepare import DocumentPreparer, Prepared, hear_nothing
from ingest.sources import LocalFile, RawDocument
from papergraph.embedding import load_model
from schema.ids import DEFAULT_COLLECTION

N_BEFORE = 16
WORKERS = (1, 2)
GATE = 1.8


def main() -> None:
    paths = sorted((data_folder() / "real_pdfs").rglob("*.pdf"))
    preparer = DocumentPreparer(load_model("bge-small-en-v1.5"), JobSettings(), collection=DEFAULT_COLLECTION)
    sources = [LocalFile(str(path)).read(max_bytes=preparer.settings.max_bytes) for path in paths]
    load = os.getloadavg()[0]
    runs = [asyncio.run(measured(preparer, sources, n)) for n in WORKERS]
    faster = runs[0]["seconds"] / runs[1]["seconds"]
    write_result(
        "dask_prepare",
        {
            "what": f"{runs[0]['prepared']} of {len(paths)} real PDFs, {runs[0]['texts']} texts",
            "load before": round(load, 1),
            "runs": runs,
            "two processes are faster by": round(faster, 2),
            "gate": GATE,
            "within the gate": faster >= GATE,
        },
    )


async def measured(preparer: DocumentPreparer, sources: Sequence[RawDocument], n_workers: int) -> dict[str, Any]:
    """Prepare documents with so many workers of one thread, which have worked before."""
    with dask_workers(n_workers) as (scheduler, _):
        executor = await DaskExecutor.connect(scheduler)
        try:
            await prepared(executor, preparer, [*sources[:N_BEFORE], *sources[:N_BEFORE]])
            start = time.perf_counter()
            documents = await prepared(executor, preparer, sources)
            elapsed_s = time.perf_counter() - start
        finally:
            await executor.close()
    n_texts = sum(len(document.texts) for document in documents)
    figures = {
        "workers": n_workers,
        "seconds": round(elapsed_s, 1),
        "prepared": len(documents),
        "texts": n_texts,
        "texts/s": round(n_texts / elapsed_s, 1),
    }
    print(figures, file=sys.stderr)
    return figures


async def prepared(
    executor: DaskExecutor, preparer: DocumentPreparer, sources: Sequence[RawDocument]
) -> list[Prepared]:
    """Have documents prepared with their vectors, as many at once as the cluster takes; leave out those it refuses."""
    hands = asyncio.Semaphore(executor.n_at_once)

    async def one(source: RawDocument) -> Prepared | None:
        async with hands:
            ready, _ = await executor.prepare(preparer, source, embed=True, reached=hear_nothing)
        return ready if isinstance(ready, Prepared) else None

    return [ready for ready in await asyncio.gather(*map(one, sources)) if ready is not None]


if __name__ == "__main__":
    main()
