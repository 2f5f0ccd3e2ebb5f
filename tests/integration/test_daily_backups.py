"""The server's own backups: taken, verified and pruned, seen by the doctor, and taken before a migration."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

import papergraph.server.local.background_processes as worker
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.errors import ArchiveError
from papergraph.ingest.doctor import examine
from papergraph.progress import silent
from papergraph.schema.archive import schedule
from papergraph.schema.archive.backup import BackupOptions, take_restore_point
from papergraph.schema.archive.manifest import Manifest, manifest_paths
from papergraph.schema.archive.objects import Objects
from papergraph.schema.archive.schedule import NOTE, archive_lock, is_full_due, last_verified
from papergraph.schema.migrate import Migration
from papergraph.server.local.backup_operations import back_up_store, take_backup
from papergraph.settings import Settings
from papergraph.store import Address
from tests.support.ingestion import ingest, paper

pytestmark = [pytest.mark.slow, pytest.mark.stores]


@pytest_asyncio.fixture
async def filled(database: Database, embedder: Embedder, tmp_path: Path) -> AsyncIterator[Database]:
    (tmp_path / "a.md").write_text(paper("A paper", authors="Ada Byron"))
    await ingest(database, embedder, [tmp_path / "a.md"])
    yield database


def address_of(database: Database) -> Address:
    login = database.login
    assert login is not None
    return Address(login.uri, login.user, login.password, login.database, 8.0)


async def test_a_daily_backup_is_verified_and_old_ones_go(filled: Database, tmp_path: Path):
    archive = tmp_path / "archive"
    for _ in range(3):
        found = await take_backup(address_of(filled), archive, "1d", progress=silent)

    (left,) = manifest_paths(archive)
    assert (found.snapshot, found.faults) == (left, ())
    manifest = Manifest.read(left)
    full_at = datetime.fromisoformat(manifest.full_at)
    assert full_at < datetime.fromisoformat(manifest.created_at)
    assert [is_full_due(manifest, full_at + timedelta(days=days)) for days in (-1, 6, 7)] == [True, False, True]
    last = last_verified(archive)
    assert last is not None and last.snapshot == left.name
    with archive_lock(archive), pytest.raises(ArchiveError, match="another process"):
        await take_backup(address_of(filled), archive, "1d", progress=silent)


async def test_all_papers_are_read_again_when_they_last_were_seven_days_ago(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def n_read() -> int:
        return (await back_up_store(address_of(filled), tmp_path / "archive", BackupOptions(), progress=silent)).n_read

    before = [await n_read(), await n_read()]
    monkeypatch.setattr(schedule, "FULL_EVERY", timedelta(0))

    assert ([*before, await n_read()]) == [1, 0, 1]


async def test_a_damaged_archive_is_told_and_nothing_of_it_deleted(filled: Database, tmp_path: Path):
    await take_backup(address_of(filled), tmp_path / "a", "1d", progress=silent)
    objects = Objects(tmp_path / "a")
    path = objects.path(next(iter(objects.names())))
    path.write_bytes(b"other")

    with pytest.raises(ArchiveError, match="faults, the first"):
        await take_backup(address_of(filled), tmp_path / "a", "1d", progress=silent)

    assert len(manifest_paths(tmp_path / "a")) == 2
    path.unlink()
    assert (await take_backup(address_of(filled), tmp_path / "a", "1d", progress=silent)).faults == ()


async def test_the_process_of_backups_takes_one_when_it_is_due(
    filled: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    archive = tmp_path / "archive"
    monkeypatch.setattr(worker, "POLL_S", 0.01)
    monkeypatch.setattr(worker, "RETRY_S", 0.01)
    (tmp_path / "archive").write_text("in the way")
    running = asyncio.create_task(worker.keep_backed_up(Settings(backup={"dir": archive}), address_of(filled), archive))
    await asyncio.sleep(0.2)
    assert not running.done()
    archive.unlink()
    async with asyncio.timeout(60):
        while last_verified(archive) is None:  # noqa: ASYNC110 another process writes it, as a rule
            await asyncio.sleep(0.05)
    await asyncio.sleep(0.2)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert len(manifest_paths(archive)) == 1


async def test_the_doctor_tells_of_backups_that_are_too_old(filled: Database, tmp_path: Path):
    archive = tmp_path / "archive"
    (none,) = (await examine(filled, backups=archive)).findings
    assert none.examples[0].problem == "no backup was taken there and verified yet"
    await take_backup(address_of(filled), archive, "7d", progress=silent)
    assert (await examine(filled, backups=archive)).healthy

    note = json.loads((archive / NOTE).read_text())
    note["created_at"] = (datetime.now(UTC) - timedelta(days=3)).isoformat()
    (archive / NOTE).write_text(json.dumps(note))

    (old,) = (await examine(filled, backups=archive)).findings
    assert (old.check, old.examples[0].problem) == ("backup_age", "the last backup that was verified is 3 days old")


async def test_a_migration_comes_after_a_backup(filled: Database, tmp_path: Path):
    assert await take_restore_point(filled, tmp_path / "a", progress=silent) is None
    assert not (tmp_path / "a").exists()
    done = await take_restore_point(filled, tmp_path / "a", progress=silent, known=(Migration("0002_data", ""),))

    assert done is not None and done.path is not None
    assert Manifest.read(done.path).counts["papers"] == 1
