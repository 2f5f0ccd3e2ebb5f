"""Watches in a real graph: one process at a time, a log, back-off after failures, and the command line."""

import asyncio
from pathlib import Path

import pytest

from papergraph import cypher
from papergraph.database import Database
from papergraph.errors import InputError, NotFoundError
from papergraph.server.local import watch_operations as operations
from papergraph.server.local.watches import WatchKind, WatchResult
from papergraph.server.operations import watches
from papergraph.settings import Settings
from tests.support.command import Papergraph


async def add(database: Database, kind: str, subject: str = "") -> watches.Watch:
    id = await operations.add_watch(database, kind, subject, every_s=86_400, collection="main")
    return await watches.find_watch(database, id)


async def run(database: Database, watch: watches.Watch) -> WatchResult | None:
    return await operations.run_watch(Settings(), None, database, watch)  # type: ignore[arg-type]  # nothing is ingested


async def test_a_watch_runs_once_at_a_time_and_is_noted(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    watch = await add(database, "folder", str(tmp_path))
    assert (watch.is_due, watch.is_held, watch.log) == (True, False, ())
    looking, go_on = asyncio.Event(), asyncio.Event()

    async def wait(context, state) -> WatchResult:
        looking.set()
        await go_on.wait()
        return WatchResult("looked", {"done": {}})

    monkeypatch.setattr(operations, "kinds", lambda: {"folder": WatchKind("folder", "", "", str, wait)})
    first = asyncio.create_task(run(database, watch))
    await looking.wait()
    assert (await watches.find_watch(database, watch.id)).is_held
    assert await run(database, watch) is None
    go_on.set()
    result = await first
    assert result and result.words == "looked"
    after = await watches.find_watch(database, watch.id)
    assert (after.is_due, after.is_held, after.log[0].split(" | ")[1:]) == (False, False, ["done", "looked"])


async def test_a_failed_run_is_noted_and_repeated_sooner_than_its_interval(database: Database):
    watch = await add(database, "retractions")
    with pytest.raises(InputError, match="PAPERGRAPH_FETCH_CATALOGUES"):
        await run(database, watch)
    failed = await watches.find_watch(database, watch.id[:9])
    assert (failed.n_failures, failed.is_held, failed.is_due) == (1, False, False)
    assert " | failed | No source of retractions is enabled." in failed.log[0]
    (row,) = await database.read(cypher.load("watches/list"))
    wait_s = (row["watch"]["nextAt"].to_native() - row["watch"]["createdAt"].to_native()).total_seconds()
    assert 60 <= wait_s < 120


async def test_a_watch_is_paused_resumed_deleted_and_freed_after_its_process_died(database: Database, tmp_path: Path):
    watch = await add(database, "folder", str(tmp_path))
    assert not (await watches.pause_watch(database, watch.id, is_paused=True)).is_due
    assert (await watches.pause_watch(database, watch.id, is_paused=False)).is_due
    assert await database.run_alone(cypher.load("watches/hold"), id=watch.id, holder="a dead process", for_s=0)
    assert await run(database, watch) is not None
    await watches.delete_watch(database, watch.id)
    assert await watches.list_watches(database) == []
    with pytest.raises(NotFoundError):
        await watches.find_watch(database, watch.id)
    with pytest.raises(InputError, match=r"Choose .*folder, .*retractions, .*zotero"):
        await add(database, "rumours")


@pytest.mark.slow
async def test_a_followed_folder_is_the_collection(papergraph: Papergraph, database: Database, tmp_path: Path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tides.md").write_text("# Tides of a small harbour\n\nThe tides of the harbour rise twice a day.\n")
    id = papergraph("watch", "add", "folder", notes, "--every", "1h", "--collection", "notes").stdout.strip()
    assert "1 new or changed files" in papergraph("watch", "run").stdout
    assert "Tides of a small harbour" in papergraph("papers", "list", "--collection", "notes").stdout
    (notes / "tides.md").unlink()
    assert papergraph("watch", "run", id).returncode == 0
    assert "is its disk mounted?" in papergraph("watch", "run", id).stdout
    assert "1 deleted" in papergraph("watch", "run", id, "--accept-deletions", "1").stdout
    assert papergraph("watch", "log", id).stdout.count(" | done | ") == 4
    assert "Tides of a small harbour" not in papergraph("papers", "list", "--collection", "notes").stdout
    assert "folder" in papergraph("watch", "list").stdout
