"""Watch over an author: new papers go to the inbox."""

import asyncio
from collections.abc import Mapping
from typing import Any

from papergraph.ingest.fetch.works import SUBJECTS, WorkCatalogues
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.local.watches.query import MOST_WORKS, to_inbox


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Look for the 1,000 newest works of the author, each time, because catalogues list many works late.

    Raises:
        InputError: No source is enabled.
        OutboundError: All sources failed.
        DatabaseError: Neo4j failed.
    """
    catalogues = WorkCatalogues.opened(context.settings)
    works = await asyncio.to_thread(catalogues.of_author, context.subject, limit=MOST_WORKS)
    return await to_inbox(context, catalogues, works, {}, state)


WATCH = WatchKind("author", "look for new papers of an author", "ORCID", SUBJECTS["author"], run)
