"""Sources that are gone from the folders and files that they were found in, and what leaves the graph with them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import cypher
from ingest.graph.writer import delete_source
from ingest.sources import DocumentRef
from papergraph.database import Database
from papergraph.errors import SourceError


async def prune(
    database: Database, specs: Sequence[str], found: Sequence[DocumentRef | SourceError], *, collection: str
) -> list[str]:
    """Delete the sources of a collection that lay below given folders or files of records and are gone.

    What was found but is refused stays. So does what lies below a folder in which nothing was found at all, as where a
    disk is not mounted, and below a file of records that could not be read whole.

    Args:
        database: A prepared store.
        specs: Absolute paths of folders and files; other names are passed over.
        found: All that was found by them.
        collection: Where the papers stand.

    Returns:
        Names of the deleted sources, in order.

    Raises:
        DatabaseError: Neo4j failed; what was deleted until then is gone.
    """
    refused = {one.source for one in found if isinstance(one, SourceError)}
    present = {one.name for one in found if isinstance(one, DocumentRef)} | refused
    gone: dict[str, None] = {}
    for spec in specs:
        if spec.startswith("/") and spec not in refused:
            stored = await _stored_below(database, spec, collection)
            if any(name.startswith((f"{spec.rstrip('/')}/", f"{spec}#")) or name == spec for name in present):
                gone |= dict.fromkeys(name for name in stored if _is_gone(name, present, refused))
    for name in gone:
        await delete_source(database, collection=collection, name=name)
    return list(gone)


def _is_gone(name: str, present: Iterable[str], refused: Iterable[str]) -> bool:
    """Say whether a source is neither found nor a file that is still there, nor a record of a file with faults."""
    file, is_record, _ = name.partition("#")
    if name in present or Path(name).exists():
        return False
    return not (is_record and file in refused)


async def _stored_below(database: Database, path: str, collection: str) -> list[str]:
    records = await database.read(
        cypher.load("ingest/find_papers"),
        collection=collection,
        keys=[],
        path=path,
        below=[f"{path.rstrip('/')}/", f"{path}#"],
    )
    return [record["source"] for record in records]
