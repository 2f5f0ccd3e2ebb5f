"""The disk of a local Neo4j fills up under an ingestion: it is told at once, and nothing acknowledged is lost."""

import asyncio
import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.errors import DatabaseUnavailableError
from papergraph.ingest.doctor import examine
from papergraph.server.operations.service import Service
from tests.support.faults import (
    LONGEST_REQUEST_S,
    LONGEST_UNNOTICED_S,
    N_PAPERS,
    empty,
    ingest_rest,
    longest_recovery_s,
    since,
    worker,
)
from tests.support.faulty_neo4j import SEARCH, client_of, is_ready, started

pytestmark = pytest.mark.by_hand
SIZE_MB = 400


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


async def test_nothing_acknowledged_is_lost_on_a_full_disk(small_home, papers, hashed, seed):
    after_papers = random.Random(seed).randint(0, N_PAPERS // 2)  # noqa: S311
    neo4j = await started(small_home)
    async with await Database.connect(neo4j.uri, user=neo4j.user, password=neo4j.password) as database:
        await empty(database)
        async with client_of(Service(database, hashed)) as client:
            assert await is_ready(client)
            with worker(neo4j.uri, neo4j.password, papers.shuffled(seed)) as writing:
                await asyncio.to_thread(writing.read_until, after_papers)
                filler = await asyncio.to_thread(fill, small_home / "filler")
                status = await asyncio.to_thread(writing.end)
            start = time.monotonic()
            while await is_ready(client):
                assert since(start) < LONGEST_UNNOTICED_S
            noticed_s = since(start)
            await database.driver.verify_connectivity()  # which is why a ping is not enough
            with pytest.raises(DatabaseUnavailableError, match=r"disk space|No space left"):
                await examine(database)
            start = time.monotonic()
            answer = (await client.post("/graphql", json=SEARCH)).json()
            answered_s = since(start)

            filler.unlink()
            start = time.monotonic()
            await asyncio.to_thread(local_neo4j.stop, small_home)
            stopped_s = since(start)
            again = await started(small_home)
            assert again.uri == neo4j.uri
            while not await is_ready(client):
                assert since(start) < longest_recovery_s()
            ready_s = since(start) - stopped_s

        print(
            f"seed {seed}: {len(writing.acknowledged)} papers acknowledged; not ready {noticed_s:.1f} s after the "
            f"worker ended, a question answered in {answered_s:.1f} s; stopped in {stopped_s:.1f} s, ready "
            f"{ready_s:.1f} s after that"
        )
        assert status != 0
        assert answered_s < LONGEST_REQUEST_S
        assert answer["errors"][0]["extensions"]["code"] in ("UNAVAILABLE", "TIMEOUT", "INTERNAL")
        await ingest_rest(database, again.uri, again.password, papers, writing.acknowledged)


def fill(path: Path) -> Path:
    """Leave no room on the disk of ``path``."""
    block = b"\0" * 65536
    with path.open("wb", buffering=0) as file:
        for size in (65536, 1):
            try:
                while True:
                    file.write(block[:size])
            except OSError:
                continue
    assert os.statvfs(path).f_bavail == 0
    return path
