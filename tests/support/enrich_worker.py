"""A process that makes all enrichments of a store's papers, to be killed: ``python -m tests.support.enrich_worker``."""

import asyncio
import os
import sys

from papergraph.database import Database
from papergraph.errors import PapergraphError
from papergraph.ingest.enrichments.clusters import ClusterOptions
from papergraph.ingest.enrichments.enrichment import EnrichmentContext
from papergraph.ingest.enrichments.options import EnrichmentOptions
from papergraph.ingest.enrichments.questions import QuestionOptions
from papergraph.ingest.enrichments.run import enrich
from tests.support.ingest_worker import HashEmbedder

CHOICE = EnrichmentOptions.choose(questions=QuestionOptions(generator="both"), clusters=ClusterOptions(least=0.0))


async def main() -> None:
    uri, password = os.environ["WORKER_URI"], os.environ["WORKER_PASSWORD"]
    async with await Database.connect(uri, user="neo4j", password=password) as database:
        report = await enrich(database, CHOICE.enrichments(None), EnrichmentContext(HashEmbedder()), collection="main")
    assert (report.stopped, report.failed) == (None, ()), report


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except PapergraphError as error:
        sys.exit(f"{type(error).__name__}: {error}")
