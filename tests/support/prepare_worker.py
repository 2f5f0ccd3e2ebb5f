"""A process that prepares a store, to be killed: ``python -m tests.support.prepare_worker``."""

import asyncio
import os

from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.schema.migrate import prepare

CARD = ModelCard("toy", "ab" * 32, dimension=4, max_tokens=16)


async def main() -> None:
    uri, password = os.environ["WORKER_URI"], os.environ["WORKER_PASSWORD"]
    async with await Database.connect(uri, user="neo4j", password=password) as database:
        print("connected", flush=True)
        await prepare(database, CARD)


if __name__ == "__main__":
    asyncio.run(main())
