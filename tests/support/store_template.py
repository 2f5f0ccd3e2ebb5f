"""A store with this version's schema, made once on a machine and copied wherever a test's Neo4j begins.

Without it every new Neo4j sets its first password in a Java of its own, makes its databases and creates the schema,
which takes longer than the start itself.
"""

import asyncio
import hashlib
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from papergraph import local_neo4j
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.file_lock import locked
from papergraph.local_neo4j import Memory, RunningNeo4j
from papergraph.local_neo4j.home import distribution
from papergraph.progress import silent
from papergraph.schema import model
from papergraph.schema.indexes import expected_indexes
from papergraph.schema.migrate import PROPERTIES, TYPES, latest, prepare
from papergraph.settings import Settings
from papergraph.vector_slots import VectorSlot

SMALL = Memory(heap_mb=512, page_cache_mb=64)
MADE_WITHIN_S, KEPT_S = 600.0, 24 * 3600.0
KEPT = ("data", "password")
"""What makes a store; the rest of a home is written at each start."""


def store_with_schema(cache: Path, card: ModelCard) -> Path:
    """Return the folder of a stopped store that `papergraph.schema.migrate.prepare` has made ready for a model.

    It is kept in ``cache``, by the version of Neo4j, the schema and the model; those not used for a day are
    deleted.
    """
    schema = (latest(), model.CONSTRAINTS, expected_indexes({VectorSlot.FIRST: card.dimension}), PROPERTIES, TYPES)
    made_of = repr((distribution().key, schema, card))
    folder = cache / "test-stores" / hashlib.sha256(made_of.encode()).hexdigest()[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(
        folder.parent / "lock", waiting="another process makes the store", timeout_s=MADE_WITHIN_S, progress=silent
    ):
        if not folder.exists():
            for other in folder.parent.glob("*/"):
                if time.time() - other.stat().st_mtime > KEPT_S:  # another checkout may use it at this moment
                    shutil.rmtree(other)
            _make(folder, card)
        os.utime(folder)
    return folder


def begin_with(template: Path, home: Path) -> None:
    """Put a copy of a store into a papergraph home that has none, where `local_neo4j.start` will find it."""
    (home / "neo4j").mkdir(mode=0o700, parents=True)
    shutil.copytree(template, home / "neo4j", dirs_exist_ok=True)


def _make(folder: Path, card: ModelCard) -> None:
    with TemporaryDirectory(dir=folder.parent) as temporary:
        home = Path(temporary)
        running = local_neo4j.start(Settings(home=home), memory=SMALL, owner=True)
        try:
            with ThreadPoolExecutor(1) as thread:  # in this one an event loop may be running
                thread.submit(asyncio.run, _prepare(running, card)).result()
        finally:
            local_neo4j.stop(home)
        store = home / "ready"
        store.mkdir()
        for name in KEPT:
            (home / "neo4j" / name).rename(store / name)
        store.rename(folder)


async def _prepare(running: RunningNeo4j, card: ModelCard) -> None:
    async with await Database.connect(running.uri, user=running.user, password=running.password) as database:
        await prepare(database, card)
