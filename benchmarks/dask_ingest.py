"""How near eight Dask workers come to what the process that writes can write at most.

Usage: PAPERGRAPH_DATA=… python -m benchmarks.dask_ingest

The first abstracts of SciFact (2,000, or PAPERGRAPH_BENCH_PAPERS) as text files, with vectors of a server in another
process that has them prepared. The writer's limit is the same ingestion with documents that were parsed, cut and
embedded before the clock starts. Then ``papergraph ingest --dask`` with eight workers of one thread each, and
``papergraph ingest`` alone; all on this machine. Each has a store of its own, into which it first writes 1,000 other
abstracts, at most half as many as those that count: a Neo4j that has just started plans and compiles statements. Beside
the wall, the processor time of Neo4j, of the workers and of the process that writes is measured, which says what the
same takes on an idle machine. Writes results/dask_ingest.json.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from benchmarks.common import empty_store, environment_number, home_of_store, write_result
from benchmarks.ingest import run_command, write_papers
from benchmarks.served_ingest import free_model, texts_of
from ingest.ingestor import Ingestor, JobSettings
from ingest.pipeline.prepare import DocumentPreparer, Made, OnStage, Prepared, Refused, embed
from ingest.sources import LocalFile, RawDocument
from papergraph.embedding import Embedder
from papergraph.local_neo4j.server import status
from papergraph.settings import Settings
from papergraph.store import Address
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare

N_PAPERS = environment_number("PAPERGRAPH_BENCH_PAPERS", 2000)
N_BEFORE = min(1000, N_PAPERS // 2)
N_WORKERS = 8
GATE = 0.8


class PreparedExecutor:
    """Gives documents that were parsed, cut and embedded beforehand; see :class:`ingest.pipeline.executor.Executor`."""

    n_at_once = 128

    def __init__(self, embedder: Embedder, papers: Path) -> None:
        preparer = DocumentPreparer(embedder, JobSettings(), collection=DEFAULT_COLLECTION)
        self._made: dict[str, Made] = {}
        for path in sorted(papers.iterdir()):
            source = LocalFile(str(path)).read(max_bytes=preparer.settings.max_bytes)
            ready = preparer.reader.read(source)
            assert isinstance(ready, Prepared), ready
            self._made[source.name] = ready, embed(embedder, ready.texts, preparer.settings)

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        return None

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        return self._made[source.name]

    async def close(self) -> None:
        pass


def main() -> None:
    folder = Settings().cache / "benchmarks"
    papers = write_papers(folder / f"ingest-papers-{N_PAPERS}", N_PAPERS)
    before = write_papers(folder / f"ingest-papers-{N_PAPERS}-{N_BEFORE}", N_BEFORE, first=N_PAPERS)
    with free_model() as model:
        n_texts = len(texts_of(model, papers))
        with empty_store("dask-limit") as address:
            limit = measured(
                "dask-limit", lambda part: asyncio.run(write_prepared(address, model, part)), before, papers
            )
        with empty_store("dask") as address, dask_workers(N_WORKERS) as (scheduler, workers):
            by_dask = measured(
                "dask", lambda part: run_command(part, address, "--dask", scheduler), before, papers, workers
            )
        with empty_store("dask-alone") as address:
            alone = measured("dask-alone", lambda part: run_command(part, address), before, papers)
    runs = {"writer's limit": limit, f"{N_WORKERS} Dask workers": by_dask, "one process": alone}
    rates = {name: round(n_texts / run["ingestSeconds"], 1) for name, run in runs.items()}
    share = rates[f"{N_WORKERS} Dask workers"] / rates["writer's limit"]
    write_result(
        "dask_ingest",
        {
            "what": f"{N_PAPERS} SciFact abstracts as text files, {n_texts} texts, after {N_BEFORE} others",
            "texts/s": rates,
            "share of the writer's limit": round(share, 3),
            "gate": GATE,
            "within the gate": share >= GATE,
            "runs": runs,
        },
    )


def measured(
    store: str, run: Callable[[Path], dict[str, Any]], before: Path, papers: Path, workers: Sequence[int] = ()
) -> dict[str, Any]:
    """Run an ingestion with other papers and then with those that count; return what it says of these, and of load.

    Args:
        store: The name of the store.
        run: Ingests the papers in a folder.
        before: Other papers.
        papers: Those that count.
        workers: Ids of the processes of Dask's workers.
    """
    run(before)
    neo4j = status(home_of_store(store)).pid
    assert neo4j is not None
    load, began = os.getloadavg()[0], processor_s(neo4j, workers)
    figures = run(papers)
    spent = {name: round(s - began[name], 1) for name, s in processor_s(neo4j, workers).items()}
    return figures | {"processor s": spent, "load before": round(load, 1)}


def processor_s(neo4j: int, workers: Sequence[int]) -> dict[str, float]:
    """Return the processor time so far: of Neo4j, of the workers, and of this process with children that have ended."""
    ours = os.times()
    return {
        "neo4j": _processor_s(neo4j),
        "workers": sum(_processor_s(pid) for pid in workers),
        "writer": ours.user + ours.system + ours.children_user + ours.children_system,
    }


def _processor_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


async def write_prepared(address: Address, model: Embedder, papers: Path) -> dict[str, Any]:
    """Ingest papers that were prepared before the clock starts."""
    executor = PreparedExecutor(model, papers)
    async with await address.connect() as database:
        await prepare(database, model.card)
        report = await Ingestor(database, model, executor=executor).ingest([papers])
    assert not report.failed, report.failed
    return {"ingestSeconds": round(report.elapsed_s, 2)}


@contextmanager
def dask_workers(n_workers: int) -> Iterator[tuple[str, list[int]]]:
    """Give the address of a scheduler, and the ids of its workers: processes of this machine with one thread each."""
    from distributed import LocalCluster

    cluster: Any = LocalCluster  # it has no types
    with cluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as running:
        yield running.scheduler_address, [nanny.pid for nanny in running.workers.values()]


if __name__ == "__main__":
    main()
