"""The store that tests begin with is the one that a fresh Neo4j and `prepare` would give."""

import pytest

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.ingest.doctor import examine
from papergraph.schema.migrate import check, prepare
from papergraph.settings import Settings
from tests.support.store_template import SMALL, begin_with, store_with_schema

pytestmark = [pytest.mark.slow, pytest.mark.stores]


async def test_a_neo4j_that_begins_with_it_has_the_schema_and_no_papers(neo4j_store, tmp_path, embedder):
    begin_with(neo4j_store, tmp_path / "home")
    running = local_neo4j.start(Settings(home=tmp_path / "home"), memory=SMALL, owner=True)
    try:
        async with await Database.connect(running.uri, user=running.user, password=running.password) as database:
            await check(database, dimension=embedder.card.dimension)
            assert await prepare(database, embedder.card) == []
            assert (await examine(database)).healthy
    finally:
        local_neo4j.stop(tmp_path / "home")


def test_it_is_made_once(neo4j_store, embedder):
    made = (neo4j_store / "password").stat().st_mtime_ns

    again = store_with_schema(neo4j_store.parents[1], embedder.card)

    assert again == neo4j_store
    assert (again / "password").stat().st_mtime_ns == made
