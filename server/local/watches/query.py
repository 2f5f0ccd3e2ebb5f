"""Watch over a query: new papers that contain its words go to the inbox."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from papergraph.errors import OutboundError
from papergraph.ingest.fetch.works import SUBJECTS, Work, WorkCatalogues
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult

FIRST_WORKS, MOST_WORKS = 200, 1000
"""Most works of the first run, and of later ones."""
OVERLAP = timedelta(days=90)
"""Time before the last run from which works are asked for again: catalogues list many works late."""


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Look for works of the 90 days before the last run, at first for the 200 newest.

    Raises:
        InputError: No source is enabled.
        OutboundError: All sources failed.
        DatabaseError: Neo4j failed.
    """
    catalogues = WorkCatalogues.opened(context.settings)
    today, since = datetime.now(UTC).date(), None
    if "seen" in state:
        since = date.fromisoformat(state["seen"]) - OVERLAP
    limit = MOST_WORKS if since else FIRST_WORKS
    works = await asyncio.to_thread(catalogues.of_query, context.subject, since=since, limit=limit)
    return await to_inbox(context, catalogues, works, {"seen": str(today)}, state)


async def to_inbox(
    context: WatchContext,
    catalogues: WorkCatalogues,
    works: list[Work],
    state: Mapping[str, Any],
    before: Mapping[str, Any],
) -> WatchResult:
    """Put works into the inbox; the state stays as it was if a source failed, so that the next run asks again.

    Raises:
        OutboundError: All sources failed.
        DatabaseError: Neo4j failed.
    """
    if catalogues.failures and not works:
        raise OutboundError("the sources of new papers", f"failed: {catalogues.failures[0]}")
    kept = await context.keep(works)
    failed = f"; {catalogues.failures[0]}" if catalogues.failures else ""
    return WatchResult(f"{kept.words}{failed}", before if catalogues.failures else state)


WATCH = WatchKind("query", "look for new papers by words", "words", SUBJECTS["query"], run)
