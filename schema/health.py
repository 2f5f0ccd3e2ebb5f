"""Health check of a database by a read."""

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import DatabaseError

DEADLINE_S = 2.0


async def database_trouble(database: Database, *, deadline_s: float = DEADLINE_S) -> str | None:
    """Return why the database cannot be used now, None when it can; takes at most twice ``deadline_s``.

    A ping is not enough: a database whose disk is full answers pings and calls itself online, and only refuses reads.
    """
    try:
        databases = await database.read(cypher.load("health/databases"), deadline_s=deadline_s)
        own = [record for record in databases if record["name"] == database.name]
        if not own:
            return f"there is no database {database.name!r}"
        for record in own:
            if record["status"] != "online" or record["message"]:
                return f"database {database.name!r} is {record['status']}: {record['message'] or 'no reason is told'}"
        await database.read(cypher.load("health/read"), deadline_s=deadline_s)
    except DatabaseError as error:
        return str(error)
    return None
