"""Stores whose model is changed."""

from ingest import reembed
from ingest.reembed import Pace
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.vector_slots import VectorSlot
from schema.migrate import drop_vector_indexes, prepare
from tests.pytest_neo4j import wipe

FULL_SPEED = Pace(share=1.0)


async def without_models(database: Database) -> None:
    """Leave a store without papers, models and vector indexes."""
    await wipe(database.driver, database=database.name, keep=["SchemaVersion"])
    for slot in VectorSlot:
        await drop_vector_indexes(database, slot)


async def restore_first(database: Database, model: Embedder) -> None:
    """Make a store without models one of a model, in the first place."""
    await reembed.make_vector_indexes(database, VectorSlot.FIRST, dimension=model.card.dimension)
    await prepare(database, model.card)
