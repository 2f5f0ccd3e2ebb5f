"""Watch over retractions of the papers of a collection, by Crossref and OpenAlex."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from papergraph.ingest.sources import Web
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.operations.retractions import check_retractions
from papergraph.server.operations.watches import OFFERED


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Check all papers of the collection."""
    catalogues = Web.opened(context.settings).catalogues
    report = await check_retractions(context.database, context.collection, catalogues=catalogues)
    counts = Counter(one.status for one in report.papers if one.is_new)
    told = ", ".join(f"{n} newly {status}" for status, n in sorted(counts.items()))
    quoting = f"; {len(report.answers)} stored answers quote papers with a status" if report.answers else ""
    failed = f"; {report.failures[0]}" if report.failures else ""
    return WatchResult(f"{report.n_checked} DOIs checked: {told or 'nothing new'}{quoting}{failed}")


WATCH = WatchKind("retractions", "look up retractions of all papers", "", OFFERED["retractions"], run)
