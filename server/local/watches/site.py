"""Watch over a site: its pages are fetched again into the folder of ``papergraph fetch crawl``, and ingested."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from papergraph.errors import InputError
from papergraph.ingest.fetch.crawl import STATE, crawl_again
from papergraph.outbound import open_outside
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.local.watches.folder import failed_files


def _subject(text: str) -> str:
    path = Path(text).expanduser().resolve()
    if not (path / STATE).is_file():
        raise InputError(f"{path} holds no crawled site. Name a folder of papergraph fetch crawl.", field="subject")
    return str(path)


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Visit the site again, ingest new and changed pages, and delete those that the site answers with 404 or 410.

    Raises:
        InputError: The folder holds no crawled site.
        OutboundError: The site is forbidden or unavailable.
        DatabaseError: Neo4j failed.
    """
    outside = open_outside(context.settings, private=True)
    most = context.settings.ingest.max_file_bytes
    await asyncio.to_thread(crawl_again, outside, Path(context.subject), max_bytes=most)
    report = await context.ingest([context.subject], prune=True)
    counts = Counter(str(item.outcome) for item in report.items if item.outcome is not None)
    failed = failed_files(report)
    told = [f"{n} {outcome}" for outcome, n in sorted(counts.items())]
    told += [f"{len(failed)} failed"] if failed else []
    told += [f"{len(report.pruned)} deleted"] if report.pruned else []
    return WatchResult(f"pages: {', '.join(told) or 'none'}")


WATCH = WatchKind("site", "fetch and ingest a site again", "folder of papergraph fetch crawl", _subject, run)
