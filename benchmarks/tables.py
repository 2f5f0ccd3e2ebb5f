"""Evidence table of 100 papers by 10 columns, filled by rules: time, memory, cancellation and a killed process.

Usage: python -m benchmarks.tables FOLDER

FOLDER has the articles as ``nxml/ID.nxml`` (Evidence Inference, github.com/jayded), of which the first 100 by name are
ingested once into a Neo4j of the benchmark. Each run is ``papergraph table run`` on a table of its own. Gates: first
row within 10 s, all within 5 minutes, at most 2 GB, cancelled within 2 s, no cell lost by kill -9, no work in a second
run. Writes results/tables.json.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import Process, create_subprocess_exec
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import kept_store, largest_memory, write_result
from papergraph.database import Database
from papergraph.embedding import DEFAULT_NAME, Embedder, Floats, load_model
from papergraph.ingest.ingestor import Ingestor
from papergraph.schema.migrate import prepare
from papergraph.statement import Statement
from papergraph.store import Address

N_PAPERS, COLLECTION, PAPERGRAPH = 100, "trials", str(Path(sys.executable).parent / "papergraph")
POLL_S, AFTER_FIRST_S = 0.1, 3.0
COLUMNS = """
columns = [
  {name = "participants", question = "How many patients were randomised?", type = "number", unit = "patients"},
  {name = "age", question = "What was the mean age?", type = "number", unit = "years"},
  {name = "blinded", question = "Was the trial double-blind?", type = "yes-no"},
  {name = "dose", question = "Which dose was given?", type = "number", unit = "mg"},
  {name = "control", question = "What did controls get?", type = "choice", choices = ["placebo: sham", "usual care"]},
  {name = "pain", question = "What was the effect on pain?", type = "direction", comparator = "placebo"},
  {name = "mortality", question = "What was the effect on mortality?", type = "direction", comparator = "control"},
  {name = "p", question = "What was the p-value of the primary outcome?", type = "number", unit = "p"},
  {name = "follow-up", question = "How long was the follow-up?", type = "number", unit = "months"},
  {name = "funding", question = "Who funded the trial?"},
]
"""
TABLE = Statement("benchmarks/table", "MATCH (table:EvidenceTable {name: $table}) RETURN table.id AS id")
CELLS = Statement(
    "benchmarks/cells",
    "MATCH (:EvidenceTable {name: $table})-[:HAS_COLUMN]->(:TableColumn)-[:HAS_CELL]->(cell:TableCell) "
    "RETURN cell.id AS id, toString(cell.madeAt) AS at",
)


class QuickVectors:
    """Embedder whose vectors are random, as tables do not read them: an ingestion takes a minute."""

    def __init__(self, real: Embedder) -> None:
        self.card, self.tokenizer = real.card, real.tokenizer
        self._draw = np.random.default_rng(1)

    def encode_documents(self, texts: Sequence[str]) -> Floats:
        """Return random vectors of length 1."""
        drawn = self._draw.standard_normal((len(texts), self.card.dimension)).astype(np.float32)
        vectors: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        return vectors

    def encode_query(self, text: str) -> Floats:
        """Return a random vector of length 1."""
        vector: Floats = self.encode_documents([text])[0]
        return vector


class Runs:
    """Runs of tables on a store, each ``papergraph table run`` in a process group of its own."""

    def __init__(self, database: Database, environment: dict[str, str], folder: Path) -> None:
        self._database, self._environment = database, environment
        self._columns = folder / "columns.toml"
        self._columns.write_text(COLUMNS)

    def papergraph(self, *arguments: str) -> str:
        """Run a command to its end and return what it wrote."""
        command = [PAPERGRAPH, *arguments, "--collection", COLLECTION]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed: {done.stderr[-1000:]}")
        return done.stdout.strip()

    async def cells(self, table: str) -> dict[str, str]:
        """Return the times of a table's cells by their ids."""
        return {record["id"]: record["at"] for record in await self._database.read(CELLS, table=table)}

    async def started(self, table: str) -> tuple[Process, float]:
        """Create a table and start to fill it; return the process and the seconds to its first row."""
        if await self._database.read(TABLE, table=table):
            self.papergraph("table", "delete", table, "--yes")
        self.papergraph("table", "create", table, "--columns", str(self._columns))
        begin, command = time.monotonic(), [PAPERGRAPH, "table", "run", table, "--collection", COLLECTION, "--quiet"]
        process = await create_subprocess_exec(
            *command,
            env=self._environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.returncode is None and not await self.cells(table):  # noqa: ASYNC110 (another process writes them)
            await asyncio.sleep(POLL_S)
        return process, time.monotonic() - begin

    async def whole(self) -> dict[str, Any]:
        """Return the times and the memory of a run to its end, and the time and work of a second one."""
        begin = time.monotonic()
        process, first = await self.started("whole")
        memory = 0
        while process.returncode is None:
            memory = max(memory, largest_memory(process.pid))
            await asyncio.sleep(POLL_S)
        seconds, cells = time.monotonic() - begin, await self.cells("whole")
        begin = time.monotonic()
        told = self.papergraph("table", "run", "whole")
        return {
            "first row s": round(first, 1),
            "all s": round(seconds, 1),
            "cells": len(cells),
            "largest memory MB": round(memory / 1e6),
            "second run s": round(time.monotonic() - begin, 1),
            "second run": told,
            "second run changed nothing": await self.cells("whole") == cells,
        }

    async def ended(self, table: str, by: signal.Signals) -> dict[str, Any]:
        """Return what a signal some seconds after the first row leaves, and what the same command adds."""
        process, _ = await self.started(table)
        await asyncio.sleep(AFTER_FIRST_S)
        begin = time.monotonic()
        os.killpg(process.pid, by)
        await process.wait()
        seconds, kept = time.monotonic() - begin, await self.cells(table)
        told, cells = self.papergraph("table", "run", table), await self.cells(table)
        lost = sum(cells.get(id) != at for id, at in kept.items())
        return {"ended s": round(seconds, 2), "kept": len(kept), "lost": lost, "then": told, "cells": len(cells)}


async def measured(address: Address, articles: Sequence[Path]) -> dict[str, Any]:
    """Ingest the papers that are not there yet, and return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "PAPERGRAPH_HOME": folder,
            "PAPERGRAPH_NEO4J_URI": address.uri,
            "PAPERGRAPH_NEO4J_PASSWORD": address.password,
        }
        async with await address.connect() as database:
            runs = Runs(database, environment, Path(folder))
            embedder = QuickVectors(load_model(DEFAULT_NAME))
            await prepare(database, embedder.card)
            report = await Ingestor(database, embedder).ingest(list(articles), collection=COLLECTION)
            if report.failed:
                sys.exit(f"{len(report.failed)} articles cannot be read")
            whole = await runs.whole()
            cancelled = await runs.ended("cancelled", signal.SIGINT)
            return {"whole": whole, "cancelled": cancelled, "killed": await runs.ended("killed", signal.SIGKILL)}


def main() -> None:
    """Measure and write."""
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "nxml").is_dir():
        sys.exit("usage: python -m benchmarks.tables FOLDER, which has nxml/ID.nxml")
    with kept_store("tables") as address:
        articles = sorted((Path(sys.argv[1]) / "nxml").glob("*.nxml"))[:N_PAPERS]
        write_result("tables", asyncio.run(measured(address, articles)))


if __name__ == "__main__":
    main()
