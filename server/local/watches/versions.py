"""Watch over newer versions of the papers of a collection, at arXiv and by Crossref."""

from collections.abc import Mapping
from typing import Any

from papergraph.ingest.fetch.works import WorkCatalogues
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult
from papergraph.server.operations.new_versions import find_new_versions, in_words
from papergraph.server.operations.watches import OFFERED


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Check all papers of the collection, and name those whose newer version was not named before.

    Raises:
        InputError: Neither arXiv nor Crossref is enabled.
        DatabaseError: Neo4j failed.
    """
    report = await find_new_versions(context.database, context.collection, WorkCatalogues.opened(context.settings))
    told = set(state.get("told", ()))
    new = [one for one in report.versions if f"{one.paper_id} {one.found}" not in told]
    named = "".join(f"; {one.title[:60]}: {one.found}" for one in new[:10])
    failed = f"; {report.failures[0]}" if report.failures else ""
    told |= {f"{one.paper_id} {one.found}" for one in new}
    return WatchResult(f"{in_words(report)}, {len(new)} for the first time{named}{failed}", {"told": sorted(told)})


WATCH = WatchKind("versions", "look up newer versions of all papers", "", OFFERED["versions"], run)
