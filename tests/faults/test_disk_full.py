"""The disk of a local Neo4j fills up: a ping and its status go on as if nothing had happened, our probe does not."""

import asyncio
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

import cypher
from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.errors import DatabaseError
from papergraph.local_neo4j import Memory, RunningNeo4j
from papergraph.settings import Settings
from schema.health import database_trouble

SIZE_MB = 300
SMALL = Memory(heap_mb=512, page_cache_mb=64)
FILL = "CYPHER 25 UNWIND range(1, 200) AS n CREATE (:Filler {text: $text + n})"
FILLING_TIMEOUT_S = 180


@pytest.fixture
def small_home(tmp_path: Path) -> Iterator[Path]:
    """A home on a disk of its own that is soon full."""
    home = tmp_path / "home"
    home.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", home], capture_output=True, text=True, timeout=30
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield home
    finally:
        try:
            local_neo4j.stop(home)
        finally:
            subprocess.run(["umount", "--lazy", home], check=True, timeout=30)


@pytest.mark.timeout(600)
async def test_a_full_disk_is_seen_by_the_probe(small_home, seed):
    n_chars = random.Random(seed).randint(1_000, 50_000)  # noqa: S311
    running = await asyncio.to_thread(local_neo4j.start, Settings(home=small_home), memory=SMALL, owner=True)
    async with await Database.connect(running.uri, user=running.user, password=running.password) as database:
        assert await database_trouble(database) is None

        error = await asyncio.to_thread(fill, running, "x" * n_chars)
        await database.driver.verify_connectivity()
        start = time.monotonic()
        trouble = await database_trouble(database)
        elapsed_s = time.monotonic() - start
        described = {
            record["name"]: (record["status"], record["message"])
            for record in await database.read(cypher.load("health/databases"))
        }
        with pytest.raises(DatabaseError) as refused:
            await database.read(cypher.load("health/read"))

    print(f"seed {seed}: writing texts of {n_chars} characters ended with {error.code}: {error.message}")
    print(f"SHOW DATABASES says {described}; trouble {trouble!r} after {elapsed_s:.2f} s; a read says {refused.value}")
    assert "out of disk space" in (trouble or "")
    assert elapsed_s < 5
    assert error.code == "Neo.DatabaseError.Transaction.TransactionCommitFailed"
    status, message = described["neo4j"]
    assert status == "online"
    assert "out of disk space" in message


def fill(running: RunningNeo4j, text: str) -> Neo4jError:
    """Write until the database gives up, not just one transaction, and return the error that told so."""
    deadline = time.monotonic() + FILLING_TIMEOUT_S
    with GraphDatabase.driver(running.uri, auth=(running.user, running.password)) as driver:
        while time.monotonic() < deadline:
            with driver.session(database="neo4j") as session:
                try:
                    session.run(FILL, text=text).consume()
                except (Neo4jError, DriverError) as error:
                    assert isinstance(error, Neo4jError), error
                    return error
    raise AssertionError(f"the disk was not full within {FILLING_TIMEOUT_S} s")
