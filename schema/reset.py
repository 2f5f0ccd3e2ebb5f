"""Take the schema out of a store whose content another snapshot is about to replace."""

import cypher
from papergraph.database import Database
from papergraph.vector_slots import VectorSlot
from schema import model
from schema.migrate import DDL_DEADLINE_S, MADE, migrations

OF_NOTES = "schema_version_id"
"""The constraint on migrations, locks and what is noted of a restore."""

CHOICES = ("fulltext", "vectors", "compaction")
"""Ids of the notes of the analyzer, the quantisation, and the indexes that are still to be built again."""


async def drop_schema(database: Database) -> None:
    """Drop each constraint and index that any migration makes, and forget migrations and choices; data stays.

    The choices are the analyzer, the quantisation of vectors, and indexes that were to be built again. The constraint
    on the notes that say so stays. Those that somebody else made stay, too.

    Raises:
        DatabaseError: Neo4j failed; do it again.
    """
    statements = [one for migration in migrations() for one in migration.statements(dimension=1)]
    made = {match[1] for one in statements if (match := MADE.search(one.text))} - {OF_NOTES}
    made |= {VectorSlot.SECOND.called(index.name) for index in model.VECTOR_INDEXES}
    for shown, drop in (  # constraints have some of the indexes
        (cypher.load("schema/constraints"), cypher.load("schema/drop_constraint")),
        (cypher.load("schema/indexes"), cypher.load("schema/drop_index")),
    ):
        for record in await database.read(shown):
            if record["name"] in made:
                await database.run_alone(drop, deadline_s=DDL_DEADLINE_S, name=record["name"])
    ids = [*(migration.name for migration in migrations()), *CHOICES]
    await database.run_alone(cypher.load("archive/forget_schema"), ids=ids)
