"""Content of a copy for researchers: papers and all derived data, without data about people or the service."""

from datetime import datetime

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import NotFoundError
from papergraph.schema.indexes import wait_until_built

LEFT_OUT: tuple[str, ...] = (
    *("ApiKey", "Session", "Invitation", "Spending"),
    *("StoredAnswer", "AnswerRating", "IngestJob", "IngestTask"),
)
"""Labels that a copy has no node of: who may ask, what that cost, and the ledger of what was brought in."""

DEADLINE_S = 3600.0


async def finish(database: Database, *, collection: str | None, copied_at: datetime) -> list[str]:
    """Take out of a copy what is not for researchers, and note as of when it is.

    Args:
        database: The copy, while it can be written to.
        collection: The only one that stays; all if None.
        copied_at: When the store was at rest.

    Returns:
        The collections that it holds, by name.

    Raises:
        NotFoundError: It does not hold ``collection``.
        DatabaseError: Neo4j failed.
    """
    await check(database, collection)
    forgetting = cypher.load("snapshot/forget_service")
    await database.run_alone(forgetting, labels=list(LEFT_OUT), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("snapshot/forget_locks"))
    await database.run_alone(cypher.load("snapshot/hide_paths"), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("snapshot/hide_source_paths"), deadline_s=DEADLINE_S)
    await database.run_alone(cypher.load("snapshot/hide_review_paths"), deadline_s=DEADLINE_S)
    if collection is not None:
        await database.run_alone(cypher.load("snapshot/forget_others"), collection=collection, deadline_s=DEADLINE_S)
    (marked,) = await database.run_alone(
        cypher.load("snapshot/mark"), copied_at=copied_at.isoformat(), deadline_s=DEADLINE_S
    )
    await wait_until_built(database)
    return list(marked["collections"])


async def check(database: Database, collection: str | None) -> None:
    """Refuse a store of which no snapshot can be made.

    Raises:
        NotFoundError: It holds no papers of ``collection``.
        DatabaseError: Neo4j failed.
    """
    if collection is None:
        return
    (answer,) = await database.read(cypher.load("papers/collection_exists"), collection=collection)
    if not answer["found"]:
        raise NotFoundError.collection(collection)
