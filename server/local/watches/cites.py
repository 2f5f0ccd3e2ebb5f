"""Watch over a paper: new works that cite it go to the inbox."""

import asyncio
from collections.abc import Mapping
from typing import Any

from papergraph.errors import InputError
from papergraph.ingest.fetch.works import SUBJECTS, WorkCatalogues
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.local.watches.query import MOST_WORKS, to_inbox


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Look for the 1,000 newest works that cite the paper; works that a later answer lacks stay in the inbox.

    Raises:
        InputError: OpenAlex is not enabled, or lacks the paper.
        OutboundError: OpenAlex failed.
        DatabaseError: Neo4j failed.
    """
    catalogues = WorkCatalogues.opened(context.settings)
    known = await asyncio.to_thread(catalogues.by_id, [context.subject], kind="doi")
    ids = [work.openalex for work in known if work.openalex]
    if not ids and not catalogues.failures:
        raise InputError(f"OpenAlex has no work with the DOI {context.subject}.", field="subject")
    works = await asyncio.to_thread(catalogues.citing, ids, limit=MOST_WORKS) if ids else []
    return await to_inbox(context, catalogues, works, {}, state)


WATCH = WatchKind("cites", "look for new papers that cite one", "DOI", SUBJECTS["cites"], run)
