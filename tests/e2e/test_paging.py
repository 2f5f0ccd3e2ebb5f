"""Lists that are read page by page while they change: nothing twice, and nothing left out that was there all along."""

import random
from typing import Any

import httpx
import pytest

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.statement import Statement
from tests.support.servers import app_client

PUT = Statement(
    "test/put",
    "CYPHER 25 MERGE (collection:Collection {name: $collection}) "
    "CREATE (:Paper {id: $id, title: $title, collection: $collection, key: $id, keys: [$id], contentHash: $id, "
    "abstract: '', sources: [], categories: [], nSections: 0, nChunks: 0, ingestedAt: datetime()})"
    "-[:IN_COLLECTION]->(collection)",
)
TAKE = Statement("test/take", "CYPHER 25 MATCH (paper:Paper {id: $id}) DETACH DELETE paper")
LETTERS = "aAbBäz \u0301"
"""Few, so that many titles are the same, and some sort as one would not think."""
PAGE = """
query ($first: Int!, $after: String) {
  papers(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}
"""


class Shelf:
    """Papers that come and go, and what is known of them."""

    def __init__(self, database: Database, drawn: random.Random) -> None:
        self._database, self._drawn = database, drawn
        self.there: set[str] = set()

    async def put(self) -> None:
        id = f"{self._drawn.getrandbits(256):064x}"
        title = "".join(self._drawn.choices(LETTERS, k=self._drawn.randrange(1, 3)))
        await self._database.run_alone(PUT, id=id, title=title, collection="main")
        self.there.add(id)

    async def take(self) -> None:
        if self.there:
            id = self._drawn.choice(sorted(self.there))
            await self._database.run_alone(TAKE, id=id)
            self.there.remove(id)


@pytest.mark.slow
@pytest.mark.writes_by_hand
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("face", ["graphql", "rest"])
async def test_walking_a_list_that_changes_gives_nothing_twice_and_leaves_out_nothing_that_stays(
    database: Database, embedder: Embedder, seed: int, face: str
) -> None:
    drawn = random.Random(seed)  # noqa: S311 the same walk each time
    shelf = Shelf(database, drawn)
    for _ in range(15):
        await shelf.put()
    stayed, seen, after = set(shelf.there), [], None
    async with app_client(database, embedder) as client:
        while True:
            ids, after = await page(client, face, drawn.randrange(1, 5), after)
            seen += ids
            if after is None:
                break
            for _ in range(drawn.randrange(3)):
                await drawn.choice((shelf.put, shelf.take))()
            stayed &= shelf.there

    assert len(seen) == len(set(seen))
    assert stayed <= set(seen)


async def page(client: httpx.AsyncClient, face: str, first: int, after: str | None) -> tuple[list[str], str | None]:
    """Return a page's ids, and where the next one begins, if there is one."""
    given: dict[str, Any] = {"first": first} | ({"after": after} if after else {})
    if face == "rest":
        answer = (await client.get("/v1/papers", params=given)).json()
        return [paper["id"] for paper in answer["data"]], answer["next"]
    answer = (await client.post("/graphql", json={"query": PAGE, "variables": given})).json()
    papers = answer["data"]["papers"]
    info = papers["pageInfo"]
    return [paper["id"] for paper in papers["nodes"]], info["endCursor"] if info["hasNextPage"] else None
