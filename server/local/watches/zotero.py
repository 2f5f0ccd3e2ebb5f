"""Watch over a library of Zotero: what is new or changed is brought into the collection; nothing is deleted unasked."""

import asyncio
from collections.abc import Mapping
from typing import Any

from papergraph.errors import InputError
from papergraph.ingest.fetch.zotero import note_user, opened
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.operations.zotero import bring_marks
from papergraph.server.operations.zotero_access import ZoteroAccess, check_library


def _subject(text: str) -> str:
    return check_library(text) if text else text


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Bring what is new or changed; deletions that are too many wait for an answer.

    Raises:
        ZoteroError: Zotero cannot be asked, or refuses.
        DatabaseError: Neo4j failed.
    """
    accepted = context.accept_deletions or 0
    zotero = ZoteroAccess.of(context.settings).library(context.subject or None)
    await asyncio.to_thread(note_user, context.settings.home, zotero, context.collection)
    with opened(context.settings.home, zotero, context.collection) as folder:
        try:
            changes = await asyncio.to_thread(folder.update, accept_deletions=accepted)
            report = await context.ingest(folder.sources) if changes.is_new else None
            if report is not None and not (report.failed or report.stopped):
                folder.note_ingested()
            if not (changes.is_new or changes.has_new_marks):
                return WatchResult("nothing has changed")
            marks = await bring_marks(context.database, folder, accept_deletions=accepted)
        except InputError as error:
            if error.field != "accept_deletions":
                raise
            return WatchResult(str(error), asks=True)
    counts = {"new": len(changes.added), "changed": len(changes.changed), "failed": len(report.failed) if report else 0}
    told = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    written = marks.added + marks.changed + marks.deleted
    return WatchResult(f"items: {told or 'none'}; {written} tags, notes and highlights written")


WATCH = WatchKind("zotero", "bring in what is new in Zotero", "users/ID or groups/ID [as set]", _subject, run)
