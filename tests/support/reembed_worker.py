"""A process that changes a store's embedding model and tells how far it is, to be killed."""

import asyncio
import os
import time

from papergraph.database import Database
from papergraph.ingest.reembed import Pace, reembed
from papergraph.progress import Silent
from tests.support.embedders import ToyModel

DONE = "vectors:"


class Telling(Silent):
    """Writes a line whenever vectors were written, and not into a buffer that a kill would lose."""

    def step(self, message: str) -> None:
        """Say nothing: only vectors count."""

    def advance(self, message: str, done: int, total: int) -> None:
        print(DONE, done, flush=True)


async def main() -> None:
    uri, password = os.environ["WORKER_URI"], os.environ["WORKER_PASSWORD"]
    model = ToyModel("large", dimension=12, before=lambda texts: time.sleep(0.05))
    async with await Database.connect(uri, user="neo4j", password=password) as database:
        await reembed(database, model, pace=Pace(share=1.0), progress=Telling())


if __name__ == "__main__":
    asyncio.run(main())
