"""Watch that follows citations from the papers of a collection; new works go to the inbox."""

from collections.abc import Mapping
from typing import Any

from papergraph.ingest.fetch.works import CROSSREF, OPENALEX, WorkCatalogues
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.operations.snowball import KIND, SnowballOptions, run_snowball, subject


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Follow citations in the library, and at OpenAlex and Crossref if they are enabled.

    Raises:
        InputError: The collection has no papers.
        DatabaseError: Neo4j failed.
    """
    options = SnowballOptions.read(context.subject)
    asked = {OPENALEX, CROSSREF} & set(context.settings.watch.sources) and not options.offline
    catalogues = WorkCatalogues.opened(context.settings) if asked else None
    words, found = await run_snowball(
        context.database, context.collection, options, catalogues=catalogues, keep=context.keep
    )
    return WatchResult(words, found)


WATCH = WatchKind(KIND, "follow citations of all papers", "directions, rounds=2, limit=200, offline", subject, run)
