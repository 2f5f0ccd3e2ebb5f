"""Write an archive of two sample papers with their entities, to keep for the tests of later versions.

Usage: python -m scripts.sample_archive tests/archives/VERSION

Each release whose archives have another form or whose store has other migrations adds one; later versions restore it
(``tests/integration/test_earlier_archives.py``). The store is a temporary Neo4j, and the papers come from its folder,
so that the archive names no path of this machine. Delete the empty folder ``unfinished`` afterwards.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ingest.enrichments.enrichment import EnrichmentContext
from ingest.enrichments.entities.enrichment import Entities
from ingest.enrichments.run import enrich
from ingest.ingestor import Ingestor
from papergraph.embedding import load_model
from papergraph.settings import Settings
from papergraph.store import Address, open_store
from schema.archive.backup import back_up
from schema.archive.manifest import Manifest
from schema.migrate import prepare

SAMPLES = Path("ingest/samples")
PAPERS = ("checkable-citations.md", "knowledge-graphs-from-papers.md")


def main() -> None:
    """Write the archive into the folder that the command line names."""
    (folder,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home, open_store(Settings(home=Path(home))) as address:
        papers = [Path(shutil.copy(SAMPLES / name, home)) for name in PAPERS]
        print(asyncio.run(archive(address, Path(folder), papers)).counts)


async def archive(address: Address, folder: Path, papers: Sequence[Path]) -> Manifest:
    embedder = load_model("bge-small-en-v1.5")
    async with await address.connect() as database:
        await prepare(database, embedder.card)
        for collection, file in zip(("main", "other"), papers, strict=True):
            await Ingestor(database, embedder).ingest([str(file)], collection=collection)
        await enrich(database, [Entities()], EnrichmentContext(embedder), collection="main")
        return (await back_up(database, folder)).manifest


if __name__ == "__main__":
    main()
