"""How many named queries return rows on PDFs as researchers have them, after one call that ingests them.

Usage: python -m benchmarks.named_queries FOLDER [--papers 30] [--pattern 'R_*.pdf']

Papers are drawn with a fixed seed from the PDFs of a folder, ingested in one call into an empty store, and given all
enrichments that need no language model, as after ``papergraph enrich``. Each query is asked with the values of its own
``:param`` lines.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import empty_store, write_result
from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.options import EnrichmentOptions
from ingest.enrichments.run import enrich
from ingest.ingestor import Ingestor
from papergraph.embedding import DEFAULT_NAME, load_model
from papergraph.progress import silent
from papergraph.statement import Statement
from papergraph.store import Address
from schema.ids import DEFAULT_COLLECTION
from schema.migrate import prepare
from server.graph import named_queries as library

GATE = 22
SEED = 20261124
COUNTS = Statement(
    "counts",
    "CYPHER 25 RETURN COUNT { (:Paper) } AS papers, COUNT { (:Chunk) } AS chunks, COUNT { (:Entity) } AS entities, "
    "COUNT { (:Reference) } AS references, COUNT { (:Paper)-[:CITES]->(:Paper) } AS citations",
)


async def measure(address: Address, paths: Sequence[Path]) -> dict[str, Any]:
    """Return the figures of a store that is filled here."""
    model = load_model(DEFAULT_NAME)
    async with await address.connect() as database:
        await prepare(database, model.card)
        start = time.perf_counter()
        report = await Ingestor(database, model).ingest(paths)
        ingest_s = time.perf_counter() - start
        enrichments = EnrichmentOptions.choose().enrichments(None)
        await enrich(database, enrichments, EnrichmentContext(model), collection=DEFAULT_COLLECTION, progress=silent)
        enrich_s = time.perf_counter() - start - ingest_s
        (counts,) = await database.read(COUNTS)
        rows = {name: len((await library.run(database, name)).rows) for name in library.names()}
    return {
        "files": [path.name for path in paths],
        "outcomes": sorted(str(item.outcome) for item in report.items),
        "ingestS": round(ingest_s, 1),
        "enrichS": round(enrich_s, 1),
        "counts": dict(counts),
        "rows": rows,
        "withRows": sum(map(bool, rows.values())),
        "queries": len(rows),
        "gate": GATE,
    }


def main() -> None:
    """Draw the papers, fill a store of its own, and write how many queries return rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--papers", type=int, default=30)
    parser.add_argument("--pattern", default="*.pdf", help="names of files to draw from")
    asked = parser.parse_args()
    paths = sorted(asked.folder.glob(asked.pattern))
    if len(paths) < asked.papers:
        sys.exit(f"only {len(paths)} PDFs in {asked.folder}")
    drawn = random.Random(SEED).sample(paths, asked.papers)  # noqa: S311 the same papers in every run
    with empty_store("named_queries") as address:
        figures = asyncio.run(measure(address, sorted(drawn)))
    write_result("named_queries", figures)
    sys.exit(figures["withRows"] < GATE)


if __name__ == "__main__":
    main()
