"""Drop the schema of a store whose content another snapshot is about to replace."""

import cypher
from papergraph.database import Database
from schema import model
from schema.indexes import NAMES
from schema.migrate import DDL_DEADLINE_S

OF_NOTES = "schema_version_id"
"""Constraint on the nodes that note the version, locks, choices and a restore; it stays."""

NOTED = ("schema", "fulltext")
"""Ids of the notes of the version and the analyzer; the quantization of vectors belongs to the store and stays."""


async def drop_schema(database: Database) -> None:
    """Drop each constraint and index of the model, and forget the version and the analyzer; data stays.

    Constraints and indexes that other programs created stay.

    Raises:
        DatabaseError: Neo4j failed; do it again.
    """
    dropped = NAMES | {one.name for one in model.CONSTRAINTS} - {OF_NOTES}
    for shown, drop in (  # constraints have some of the indexes
        (cypher.load("schema/constraints"), cypher.load("schema/drop_constraint")),
        (cypher.load("schema/indexes"), cypher.load("schema/drop_index")),
    ):
        for record in await database.read(shown):
            if record["name"] in dropped:
                await database.run_alone(drop, deadline_s=DDL_DEADLINE_S, name=record["name"])
    await database.run_alone(cypher.load("archive/forget_schema"), ids=list(NOTED))
