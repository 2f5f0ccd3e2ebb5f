"""A replica of a local store for researchers: complete, readable, closed to changes, and never half made."""

import asyncio
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import ClientError
from pydantic import SecretStr

from papergraph import cypher, local_neo4j
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import InputError, LocalNeo4jError, NotFoundError
from papergraph.local_neo4j import Memory, Replica, RunningNeo4j
from papergraph.schema.checksum import STORE_LABELS
from papergraph.schema.migrate import prepare
from papergraph.schema.replica import LEFT_OUT, finish
from papergraph.server.auth.access import KeyScope
from papergraph.server.auth.keys import create_key
from papergraph.settings import Settings
from papergraph.store import cypher_address
from tests.support.command import Papergraph
from tests.support.embedders import QuickVectors
from tests.support.ingestion import ingest
from tests.support.store_template import begin_with

pytestmark = [pytest.mark.slow, pytest.mark.release]

SMALL = Memory(heap_mb=512, page_cache_mb=64)
COUNT = "MATCH (n) WHERE any(label IN labels(n) WHERE label IN $labels) RETURN count(n)"
NEAREST = """
CYPHER 25 MATCH (one:Chunk) WITH one ORDER BY one.id LIMIT 1
MATCH (chunk:Chunk) SEARCH chunk IN (VECTOR INDEX chunk_embedding FOR one.embedding LIMIT 3) SCORE AS score
RETURN collect(chunk.id = one.id) AS same
"""
WORDS = """
CYPHER 25 MATCH (chunk:Chunk) SEARCH chunk IN (FULLTEXT INDEX chunk_text FOR 'marmalade' LIMIT 3) SCORE AS score
RETURN collect(chunk.collection) AS collections
"""
REPLICATE_AND_DIE = """
import os, signal, sys
from pathlib import Path
from papergraph.local_neo4j import Memory, replica
from papergraph.settings import Settings
replica.load = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
replica.create_replica(Settings(home=Path(sys.argv[1])), lambda *_: [], memory=Memory(512, 64))
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """The settings of a home whose store holds two collections, a key, what it spent, and the ledger."""
    home = tmp_path_factory.mktemp("replicated") / "päpers of mine"
    yield Settings(home=home)
    local_neo4j.stop(home / "replica")
    local_neo4j.stop(home)


@pytest.fixture(scope="module")
def store(
    settings: Settings,
    embedder: Embedder,
    neo4j_store: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> RunningNeo4j:
    begin_with(neo4j_store, settings.home)
    running = local_neo4j.start(settings, memory=SMALL, owner=True)
    folder = tmp_path_factory.mktemp("papers")
    for name, word in (("sweets", "marmalade"), ("drinks", "lemonade")):
        (folder / name).mkdir()
        for number in range(4):
            text = f"# On {word} {number}\n\nThe {word} of jar {number} keeps for {number} years.\n"
            (folder / name / f"{number}.md").write_text(text)

    async def fill() -> None:
        async with await opened(running) as database:
            await prepare(database, embedder.card)
            for name in ("sweets", "drinks"):
                report = await ingest(database, QuickVectors(embedder), [folder / name], collection=name)
                assert not report.failed
            await create_key(database, name="mine", scopes=[KeyScope.READ])

    asyncio.run(fill())
    query(running, "CREATE (:Spending {id: 'somebody', tokens: 1}), (:Note {text: 'by hand'})")
    return running


@pytest.fixture(scope="module")
def replica(settings: Settings, store: RunningNeo4j) -> Replica:
    """A replica of the whole store."""
    return create(settings)


async def opened(running: RunningNeo4j) -> Database:
    return await Database.connect(running.uri, user=running.user, password=running.password, deadline_s=60)


def create(settings: Settings, collection: str | None = None) -> Replica:
    def finished(running: RunningNeo4j, copied_at: datetime) -> list[str]:
        async def do() -> list[str]:
            async with await opened(running) as database:
                return await finish(database, collection=collection, copied_at=copied_at)

        return asyncio.run(do())

    return local_neo4j.create_replica(settings, finished, memory=SMALL)


def query(running: RunningNeo4j, text: str, **parameters: Any) -> Any:
    """Return the first value of the first row."""
    with GraphDatabase.driver(running.uri, auth=(running.user, running.password)) as driver:
        records, _, _ = driver.execute_query(text, parameters, database_="neo4j")
    return records[0][0] if records else None


def test_the_store_is_back_on_its_ports_with_all_that_it_held(settings, store, replica):
    found = local_neo4j.status(settings.home)

    assert (found.running, found.bolt_port, found.http_port) == (True, store.bolt_port, store.http_port)
    assert found.owner_pid == os.getpid()
    assert replica.away_s is not None
    assert query(store, "MATCH (paper:Paper) RETURN count(paper)") == 8
    assert query(store, COUNT, labels=["ApiKey", "Spending"]) == 2
    assert query(store, "CREATE (n:Probe) DELETE n RETURN 1") == 1


def test_the_replica_has_a_password_and_ports_of_its_own(settings, store, replica):
    running = replica.running
    file = local_neo4j.password_path(local_neo4j.replica_home(settings))

    assert running.password not in ("", store.password)
    assert file.read_text().strip() == running.password
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert {running.bolt_port, running.http_port}.isdisjoint({store.bolt_port, store.http_port})
    with pytest.raises(ClientError) as refused:
        query(RunningNeo4j(**{**vars(running), "password": store.password}), "RETURN 1")
    assert refused.value.code == "Neo.ClientError.Security.Unauthorized"


def test_it_answers_by_vectors_and_by_words(replica):
    same = query(replica.running, NEAREST)

    assert (len(same), same.count(True)) == (3, 1)
    assert query(replica.running, WORDS) == ["sweets"] * 3
    assert query(replica.running, "SHOW INDEXES YIELD state WHERE state <> 'ONLINE' RETURN count(*)") == 0


@pytest.mark.parametrize(
    "change",
    [
        "CREATE (:Paper {id: 'mine'})",
        "MATCH (n) DETACH DELETE n",
        "MATCH (n:Paper) SET n.title = 'mine'",
        "CREATE INDEX mine FOR (n:Paper) ON (n.title)",
        "DROP INDEX chunk_text",
        "CALL db.createLabel('Mine')",
    ],
)
def test_nobody_can_change_it(replica, change):
    with pytest.raises(ClientError) as refused:
        query(replica.running, change)

    assert refused.value.code == "Neo.ClientError.General.WriteOnReadOnlyAccessDatabase"  # 42N18


def test_it_holds_all_papers_and_nothing_of_people_or_the_service(settings, store, replica):
    assert query(replica.running, "MATCH (paper:Paper) RETURN count(paper)") == 8
    assert query(replica.running, COUNT, labels=list(LEFT_OUT)) == 0
    assert query(replica.running, "MATCH (v:SchemaVersion) WHERE v.owner IS NOT NULL RETURN count(v)") == 0
    assert query(replica.running, "MATCH (m:EmbeddingModel) RETURN count(m)") == 1
    kept = "MATCH (v:SchemaVersion) WHERE v.version IS NOT NULL RETURN count(v)"
    assert query(replica.running, kept) == query(store, kept) > 0


async def test_it_says_how_old_it_is_and_what_is_in_it(settings, replica):
    chosen = settings.replace(cypher={"uri": replica.running.uri})
    address = cypher_address(chosen)
    assert address is not None
    async with await address.connect() as database:
        (age,) = await database.read(cypher.load("replica/extent"))

    assert age["collections"] == ["drinks", "sweets"] == list(replica.note.collections)
    assert age["copied_at"].to_native() == replica.note.copied_at < datetime.now(UTC)
    assert local_neo4j.replica_note(settings) == replica.note


def test_commands_tell_of_the_replica(settings, replica):
    papergraph, pid = Papergraph(settings.home), local_neo4j.status(settings.home).pid

    status = papergraph.process("db", "status", "--replica", "--json")
    places = papergraph.process("db", "browser", "--json")
    told = papergraph.process("db", "browser")
    elsewhere = papergraph.process("db", "replica", PAPERGRAPH_NEO4J_URI="bolt://example.org:7687")
    unknown = papergraph.process("db", "replica", "-c", "dishes")

    assert local_neo4j.status(settings.home).pid == pid
    found = json.loads(status.stdout)
    assert (found["running"], found["bolt_port"], found["collections"]) == (
        True,
        replica.running.bolt_port,
        ["drinks", "sweets"],
    )
    assert found["copied_at"] == replica.note.copied_at.isoformat()
    assert [place["what"] for place in json.loads(places.stdout)["places"]] == ["replica", "store"]
    assert f"  Bolt URI  {replica.running.uri}\n" in told.stdout
    assert str(local_neo4j.password_path(local_neo4j.replica_home(settings))) in told.stdout
    assert (elsewhere.returncode, "docs/scaling.md" in elsewhere.stderr) == (2, True)
    assert (unknown.returncode, "There is no collection 'dishes'" in unknown.stderr) == (3, True)


def test_where_cypher_is_asked_follows_from_the_settings(settings, store, replica):
    def chosen(**changes: Any) -> Settings:
        return settings.replace(cypher=changes)

    port = replica.running.bolt_port
    local = cypher_address(chosen(uri=f"neo4j://localhost:{port}"))
    given = cypher_address(chosen(uri="bolt://reader@example.org", password=SecretStr("s3cret")))

    assert cypher_address(settings) is None
    assert local is not None and given is not None
    assert (local.user, local.password, local.database) == ("neo4j", replica.running.password, "neo4j")
    assert (given.uri, given.user, given.password) == ("bolt://example.org", "reader", "s3cret")
    for uri in (store.uri, f"bolt://example.org:{port}", "bolt://localhost:many"):
        with pytest.raises(InputError, match="set PAPERGRAPH_CYPHER_PASSWORD too"):
            cypher_address(chosen(uri=uri))


def answers(port: int) -> bool:
    """Return whether a program listens on a port."""
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def test_without_a_store_there_is_nothing_to_copy_and_without_a_replica_none_to_start(tmp_path):
    with pytest.raises(NotFoundError, match="ingest papers first"):
        create(Settings(home=tmp_path))
    with pytest.raises(NotFoundError, match="papergraph db replica creates one"):
        local_neo4j.start_replica(Settings(home=tmp_path))


def test_a_disk_without_room_is_told_before_anything_is_stopped(settings, store, replica, monkeypatch):
    full = shutil.disk_usage(settings.home)._replace(free=1000)
    monkeypatch.setattr("papergraph.local_neo4j.replica.shutil.disk_usage", lambda path: full)

    with pytest.raises(LocalNeo4jError, match="and 1,000 are free; make room there"):
        create(settings)

    assert psutil.pid_exists(local_neo4j.status(settings.home).pid or 0)
    assert query(replica.running, "RETURN 1") == 1


def test_every_label_of_the_store_is_kept_or_left_out_on_purpose():
    kept = {"SchemaVersion", "EmbeddingModel", "Collection", "Prototype", "Summary", "EnrichmentState", "PaperVersion"}
    in_checksum = {"PrivateAnnotation", "Screening", "ScreeningRecord", "ScreeningDecision"}

    assert kept | set(LEFT_OUT) == STORE_LABELS | in_checksum


def test_a_replica_that_is_killed_leaves_the_one_before_and_the_next_clears_it_away(settings, store, replica):
    local_neo4j.stop(settings.home)  # so that it need not be started again
    killed = subprocess.run(
        [sys.executable, "-c", REPLICATE_AND_DIE, settings.home], capture_output=True, text=True, timeout=200
    )

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert query(replica.running, "MATCH (paper:Paper) RETURN count(paper)") == 8
    assert len(folders(settings)) == 2

    again = create(settings, "sweets")

    assert len(folders(settings)) == 1
    assert again.away_s is None
    assert not local_neo4j.status(settings.home).running
    assert again.running.password == replica.running.password
    # the replica of another test may have taken the port between the stop and the start
    assert again.running.uri == replica.running.uri or answers(replica.running.bolt_port)
    assert again.note.copied_at > replica.note.copied_at
    assert list(again.note.collections) == ["sweets"]
    assert query(again.running, "MATCH (n) WHERE n.collection <> 'sweets' RETURN count(n)") == 0
    assert query(again.running, "MATCH (n:Note) RETURN count(n)") == 0
    assert query(again.running, "MATCH (paper:Paper) RETURN count(paper)") == 4
    assert query(again.running, WORDS.replace("marmalade", "lemonade")) == []
    assert query(again.running, WORDS) == ["sweets"] * 3
    assert len(query(again.running, NEAREST)) == 3


def folders(settings: Settings) -> list[Path]:
    return [folder for folder in (settings.home / "replicas").iterdir() if folder.is_dir()]
