"""A process that migrates a store row by row, to be killed: ``python -m tests.support.migrate_worker``."""

import asyncio
import os
from dataclasses import replace

from papergraph.database import Database
from schema.migrate import migrations, prepare
from tests.support.ingest_worker import CARD

NAME = "0011_names"
"""The others were applied before, with their own text."""


async def main() -> None:
    uri, password = os.environ["WORKER_URI"], os.environ["WORKER_PASSWORD"]
    slowly = [
        replace(one, template=one.template.replace("OF 1000 ROWS", "OF 1 ROWS")) if one.name == NAME else one
        for one in migrations()
    ]
    async with await Database.connect(uri, user="neo4j", password=password) as database:
        await prepare(database, CARD, known=tuple(slowly))


if __name__ == "__main__":
    asyncio.run(main())
