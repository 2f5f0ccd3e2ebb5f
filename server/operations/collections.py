"""Collections created, described and deleted, on every interface.

The name of a collection is part of the ids of its nodes, of addresses and of keys, so it stays. What people call it is
its title, which can be changed at any time.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import ConflictError, InputError, NotFoundError
from papergraph.ingest.ingestor import delete
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.originals import Originals
from papergraph.records import Record, described
from papergraph.schema.ids import check_collection
from papergraph.server.graph.related import Collection, list_collections
from papergraph.server.retrieval.scope import AllowedCollections, refuse_unknown_collection, within

MOST_TITLE_CHARS, MOST_DESCRIPTION_CHARS = 200, 2000
PAPERS_AT_ONCE = 10
SHARE_OF_DEADLINE = 0.5
"""Share of the longest database call for which one request deletes papers."""

REST = (
    *("Source", "Author", "Section", "Chunk", "Reference", "Question", "Entity", "Name", "Cluster", "Prototype"),
    *("Summary", "Review", "EnrichmentState", "StoredAnswer", "AnswerRating", "Watch", "InboxItem", "Collection"),
    *("Annotation", "PrivateAnnotation", "EvidenceTable", "TableColumn", "TableCell", "PaperVersion"),
    *("Screening", "ScreeningRecord", "ScreeningDecision"),
)
"""Labels of what a collection has beside papers; jobs stay in the ledger until they are old."""


@dataclass(frozen=True)
class DeletedCollection(Record):
    """A collection that was deleted, or as much of it as fits into a request."""

    name: Annotated[str, described("Name that the collection had.")]
    n_deleted: Annotated[int, described("Number of deleted papers.")]
    n_left: Annotated[int, described("Number of papers that are left; repeat the request until it is 0.")]


async def create_collection(
    database: Database,
    name: str,
    title: str | None = None,
    description: str | None = None,
    *,
    collections: AllowedCollections = None,
) -> Collection:
    """Create an empty collection and return it.

    Raises:
        InputError: The name is invalid, or a text is too long.
        NotFoundError: The collection is forbidden.
        ConflictError: The collection exists.
        DatabaseError: Neo4j failed.
    """
    check_reached(name, collections)
    made = await database.run_alone(
        cypher.load("collections/create"),
        collection=name,
        title=_text(title, MOST_TITLE_CHARS, "title"),
        description=_text(description, MOST_DESCRIPTION_CHARS, "description"),
        now=datetime.now(UTC),
    )
    if not made:
        raise ConflictError(f"There is a collection {name!r} already.", field="name")
    return await find_collection(database, name)


async def describe_collection(
    database: Database,
    name: str,
    title: str | None = None,
    description: str | None = None,
    *,
    collections: AllowedCollections = None,
) -> Collection:
    """Change what people call a collection, or what it is for, and return it.

    None leaves a text as it is, and blanks take it back.

    Raises:
        InputError: A text is too long.
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    before = await find_collection(database, name, collections=collections)
    await database.run_alone(
        cypher.load("collections/describe"),
        collection=name,
        title=_own(before) if title is None else _text(title, MOST_TITLE_CHARS, "title"),
        description=(
            before.description if description is None else _text(description, MOST_DESCRIPTION_CHARS, "description")
        ),
    )
    return await find_collection(database, name)


async def delete_collection(
    database: Database,
    name: str,
    *,
    collections: AllowedCollections = None,
    originals: Originals | None = None,
) -> DeletedCollection:
    """Delete a collection with all that it has, or as much as fits into a request; its open jobs are cancelled.

    Papers go one by one, each with all that it has, so the graph is whole at any time.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed; what was deleted until then is gone.
    """
    await refuse_unknown_collection(database, within(name, collections), asked=name)
    check_reached(name, collections)
    for record in await database.read(cypher.load("collections/open_jobs"), collection=name):
        await jobs.cancel(database, record["id"])
    ends, n_deleted = monotonic() + SHARE_OF_DEADLINE * database.deadline_s, 0
    while True:
        (some,) = await database.read(cypher.load("collections/some_papers"), collection=name, limit=PAPERS_AT_ONCE)
        for id in some["ids"]:
            if monotonic() >= ends:
                return DeletedCollection(name, n_deleted, some["n"] - some["ids"].index(id))
            await delete(database, [id], collection=name, originals=originals)
            n_deleted += 1
        if some["n"] <= len(some["ids"]):
            break
    await database.run_alone(cypher.load("collections/delete_rest"), collection=name, labels=list(REST))
    await database.run_alone(cypher.load("auth/forget_roles"), collection=name)
    return DeletedCollection(name, n_deleted, 0)


async def find_collection(database: Database, name: str, *, collections: AllowedCollections = None) -> Collection:
    """Return a collection with its counts.

    Raises:
        NotFoundError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    looked_in = within(name, collections)
    await refuse_unknown_collection(database, looked_in, asked=name)
    found = await list_collections(database, collections=[looked_in])
    if not found:  # the default collection, before its first paper
        return Collection(name, 0, 0, 0, datetime.now(UTC), None, name, None)
    return found[0]


def check_reached(name: str, collections: AllowedCollections) -> None:
    """Raise ``NotFoundError`` unless the caller may use a collection, which need not exist yet."""
    check_collection(name)
    if collections is not None and name not in collections:
        raise NotFoundError.collection(name)


def _own(collection: Collection) -> str | None:
    return None if collection.title == collection.name else collection.title


def _text(text: str | None, most: int, field: str) -> str | None:
    found = " ".join((text or "").split()) or None
    if found is not None and len(found) > most:
        raise InputError(f"The {field} has {len(found)} characters; at most {most} are allowed.", field=field)
    return found
