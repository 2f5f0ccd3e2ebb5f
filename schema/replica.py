"""Content of a replica for researchers: papers and all derived data, without data about people or the service."""

from datetime import datetime

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.schema.indexes import wait_until_built

LEFT_OUT: tuple[str, ...] = (
    *("ApiKey", "Session", "Invitation", "Spending"),
    *("StoredAnswer", "AnswerRating", "PrivateAnnotation", "IngestJob", "IngestTask", "Watch", "InboxItem"),
    *("Screening", "ScreeningRecord", "ScreeningDecision"),
)
"""Labels of nodes that a replica omits: keys, sessions, usage, stored answers, private annotations, jobs, inboxes,
screenings."""

DEADLINE_S = 3600.0


async def finish(database: Database, *, collection: str | None, copied_at: datetime) -> list[str]:
    """Delete excluded data from a new replica, and record its time.

    Args:
        database: The replica, still writable.
        collection: Collection to keep; None keeps all.
        copied_at: Time when the store was stopped.

    Returns:
        Names of the collections in the replica, sorted.

    Raises:
        NotFoundError: The replica has no papers of ``collection``.
        DatabaseError: Neo4j failed.
    """
    await check(database, collection)
    forgetting = cypher.load("replica/forget_service")
    await database.run_alone(forgetting, labels=list(LEFT_OUT), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("replica/forget_locks"))
    await database.run_alone(cypher.load("replica/forget_owners"))
    await database.run_alone(cypher.load("replica/hide_paths"), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("replica/hide_source_paths"), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("replica/hide_review_paths"), deadline_s=DEADLINE_S)
    if collection is not None:
        await database.run_alone(cypher.load("replica/forget_others"), collection=collection, deadline_s=DEADLINE_S)
    (marked,) = await database.run_alone(
        cypher.load("replica/mark"), copied_at=copied_at.isoformat(), deadline_s=DEADLINE_S
    )
    await wait_until_built(database)
    return list(marked["collections"])


async def check(database: Database, collection: str | None) -> None:
    """Check that the store has papers of the collection to copy; None needs no check.

    Raises:
        NotFoundError: The store has no papers of ``collection``.
        DatabaseError: Neo4j failed.
    """
    if collection is None:
        return
    (answer,) = await database.read(cypher.load("papers/collection_exists"), collection=collection)
    if not answer["found"]:
        raise NotFoundError.collection(collection)
