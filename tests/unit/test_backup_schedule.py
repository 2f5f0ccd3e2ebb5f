"""Daily backups are due once a day, whatever clocks and notes say, and one process at a time takes them."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from papergraph.errors import ArchiveError
from papergraph.schema.archive.manifest import FORMAT, Entry, Manifest, Model, chosen_manifest, manifest_paths
from papergraph.schema.archive.schedule import (
    NOTE,
    VerifiedSnapshot,
    ages,
    archive_lock,
    is_due,
    kept_snapshots,
    last_verified,
    note_verified,
)
from papergraph.settings import Settings
from papergraph.telemetry.metrics import LedgerGauges

NOW = datetime(2026, 11, 26, 12, 0, tzinfo=timezone(timedelta(hours=2)))


def verified(at: datetime) -> VerifiedSnapshot:
    return VerifiedSnapshot("x.json", at.astimezone(UTC).isoformat(), at.astimezone(UTC).isoformat())


def manifest(at: datetime) -> Manifest:
    entries = [Entry("paper", "p1", "a" * 64, None, 1, 0)]
    return Manifest(FORMAT, "0.1", at.isoformat(), 1, [Model("first", "m", "ab", 3, "active")], entries, at.isoformat())


@pytest.mark.parametrize(
    ("at", "taken", "due"),
    [
        ("03:00", None, True),
        ("03:00", NOW.replace(hour=2, minute=59), True),
        ("03:00", NOW.replace(hour=3), False),
        ("03:00", NOW.replace(hour=11), False),
        ("13:00", NOW.replace(hour=2), False),
        ("13:00", NOW.replace(hour=12) - timedelta(days=1), True),
        ("03:00", NOW + timedelta(days=400), True),  # the clock was ahead
    ],
)
def test_a_backup_is_due_once_after_each_time_of_day(at: str, taken: datetime | None, due: bool):
    assert is_due(NOW, at, None if taken is None else verified(taken)) is due


def test_the_last_verified_snapshot_is_noted_and_an_earlier_one_does_not_replace_it(tmp_path: Path):
    now = datetime.now(UTC)
    late, early, future = (manifest(now + timedelta(hours=hours)) for hours in (-1, -9, 99))

    path = late.write(tmp_path)
    note_verified(tmp_path, path, late)
    note_verified(tmp_path, early.write(tmp_path), early)

    last = last_verified(tmp_path)
    assert last is not None and last.snapshot == path.name
    assert {kind: round(age) for kind, age in ages(tmp_path)} == {"taken": 3600, "verified": 3600}
    note_verified(tmp_path, future.write(tmp_path), future)
    note_verified(tmp_path, path, late)
    last = last_verified(tmp_path)
    assert last is not None and last.snapshot == path.name
    for damaged in ("", "[]", "{}", '{"snapshot": 1, "created_at": 2, "verified_at": 3}'):
        (tmp_path / NOTE).write_text(damaged)
        assert last_verified(tmp_path) is None


def test_a_clock_that_was_set_back_does_not_hide_the_last_snapshot(tmp_path: Path):
    now = datetime.now(UTC)
    ahead, now_right, later = (manifest(now + timedelta(days=days)) for days in (400, 0, 1))
    paths = [one.write(tmp_path) for one in (ahead, now_right, later)]

    assert manifest_paths(tmp_path) == paths
    assert Manifest.read(chosen_manifest(tmp_path)) == later
    assert paths[-1] in kept_snapshots(paths, "1d")


def test_a_second_process_waits_for_the_archive_and_is_told(tmp_path: Path):
    second = archive_lock(tmp_path / "new", timeout_s=0.0)
    told = pytest.raises(ArchiveError, match="another process takes or prunes")
    with archive_lock(tmp_path / "new"), told, second:
        raise AssertionError("both hold it")
    with archive_lock(tmp_path / "new", timeout_s=0.0):
        assert (tmp_path / "new" / "lock").is_file()
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError, match="cannot be written"), archive_lock(tmp_path / "file"):
        pass


def test_the_age_of_backups_is_a_metric_and_missing_where_there_is_none():
    gauges = LedgerGauges()
    gauges.set_backups([("taken", 60.0), ("verified", 90.0)])
    assert b'papergraph_backup_age_seconds{kind="verified"} 90.0' in generate_latest(gauges)

    gauges.set_backups([])

    assert b"papergraph_backup_age_seconds{" not in generate_latest(gauges)


@pytest.mark.parametrize("wrong", [{"at": "24:00"}, {"at": "3"}, {"keep": "7"}, {"keep": "7d,"}])
def test_a_wrong_time_or_rule_is_refused(wrong: dict[str, str]):
    with pytest.raises(ValueError, match="pattern"):
        Settings(backup=wrong)
