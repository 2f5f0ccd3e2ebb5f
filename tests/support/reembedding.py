"""Stores whose model is changed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.ingest import reembed
from papergraph.ingest.reembed import Pace
from papergraph.schema.migrate import drop_vector_indexes, prepare
from papergraph.vector_slots import VectorSlot
from tests.pytest_neo4j import Neo4jServer, wipe

FULL_SPEED = Pace(share=1.0)


@asynccontextmanager
async def store_without_models(server: Neo4jServer, embedder: Embedder) -> AsyncIterator[Database]:
    """Yield a store without models; afterwards it has the one that other tests expect."""
    async with await Database.connect(
        server.uri, user=server.user, password=server.password, name=server.database
    ) as database:
        await without_models(database)
        yield database
        await without_models(database)
        await restore_first(database, embedder)


async def without_models(database: Database) -> None:
    """Leave a store without papers, models and vector indexes."""
    await wipe(database.driver, database=database.name, keep=["SchemaVersion"])
    for slot in VectorSlot:
        await drop_vector_indexes(database, slot)


async def restore_first(database: Database, model: Embedder) -> None:
    """Make a store without models one of a model, in the first place."""
    await reembed.make_vector_indexes(database, VectorSlot.FIRST, dimension=model.card.dimension)
    await prepare(database, model.card)
