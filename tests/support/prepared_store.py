"""The prepared store that a test begins with."""

from collections.abc import Awaitable, Callable

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.schema.migrate import prepare
from papergraph.statement import Statement

SAID = Statement(
    "test/schema",
    "CYPHER 25 MATCH (n:SchemaVersion|EmbeddingModel) WHERE n.id <> 'revision' "
    "RETURN properties(n) AS properties ORDER BY n.name",
)

SETTLED = Statement("test/settled", "CYPHER 25 MATCH (n:SchemaVersion {id: 'revision'}) REMOVE n.waiting", is_file=True)
"""Takes back what a statement of several transactions leaves that an earlier test cut off: papers without revisions."""


async def _nothing(database: Database) -> None:
    """Leave what there is."""


class PreparedStore:
    """Prepares the store, half a second of a busy machine, only where a test has changed what the schema is.

    Args:
        card: The model that the store is prepared for.
        clear: What is done to a store that a test has changed, before it is prepared.
    """

    def __init__(self, card: ModelCard, *, clear: Callable[[Database], Awaitable[None]] = _nothing) -> None:
        self._card, self._clear = card, clear
        self._seen: str | None = None

    async def see_to(self, database: Database) -> None:
        """Prepare the store unless it has the schema and the model that it had after the last time."""
        if self._seen is None or await self._look(database) != self._seen:
            await self._clear(database)
            await prepare(database, self._card)
            self._seen = await self._look(database)
        await database.run_alone(SETTLED)

    async def _look(self, database: Database) -> str:
        """Return the version and model that are noted, and the indexes and constraints with their state."""
        statements = (SAID, cypher.load("schema/indexes"), cypher.load("schema/constraints"))
        return repr([[dict(record) for record in await database.read(statement)] for statement in statements])
