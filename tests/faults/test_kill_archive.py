"""Backups, pruning and restores that are killed, or find the disk full, at any point lose nothing."""

import asyncio
import shutil
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from papergraph.database import Database, Login
from papergraph.embedding import Embedder
from papergraph.schema.archive.backup import back_up
from papergraph.schema.archive.manifest import Manifest, chosen_manifest, manifest_paths
from papergraph.schema.archive.objects import Objects
from papergraph.schema.archive.restore import RestoreState, verify
from papergraph.schema.archive.schedule import prune
from tests.support.archive_worker import FAILED, Order, run
from tests.support.ingestion import ingest, paper

pytestmark = pytest.mark.faults

N_POINTS = 4
KILLED = -9
FAULTS = ["kill", "full"]
MIDDLE = 5
"""A point after the first object of a backup is written, and before its manifest."""


def login_of(database: Database) -> Login:
    assert database.login is not None
    return database.login


async def snapshots(database: Database, embedder: Embedder, folder: Path, *, n: int) -> list[Manifest]:
    """Return that many snapshots of a store, each with one paper more than the one before."""
    manifests = []
    for number in range(n):
        file = folder / f"{number}.md"
        file.write_text(paper(f"Paper number {number}", authors="Ada Byron"))
        await ingest(database, embedder, [file])
        manifests.append((await back_up(database, folder / "archive")).manifest)
    return manifests


async def work(order: Order) -> tuple[int | None, int]:
    return await asyncio.to_thread(run, order)


def points_of(n: int) -> list[int]:
    """Return four points, from the first to the last of ``n``; all if they are fewer."""
    return sorted({1 + round(number * (n - 1) / (N_POINTS - 1)) for number in range(N_POINTS)})


def assert_whole(archive: Path) -> list[Path]:
    """Assert that nothing is wrong with any snapshot of an archive."""
    paths = manifest_paths(archive)
    for path in paths:
        assert verify(archive, Manifest.read(path)).faults == ()
    return paths


def assert_pruned(archive: Path, last: Manifest, names: list[str]) -> None:
    """Assert that an archive holds one snapshot and its objects, and nothing half written."""
    (path,) = assert_whole(archive)
    assert Manifest.read(path).root == last.root
    assert list(Objects(archive).names()) == names
    assert list((archive / "unfinished").iterdir()) == []


@pytest.mark.slow
async def test_a_backup_that_is_killed_in_the_middle(database: Database, embedder: Embedder, tmp_path: Path):
    archive = tmp_path / "archive"
    await snapshots(database, embedder, tmp_path, n=1)
    file = tmp_path / "1.md"
    file.write_text(paper("Paper number 1", authors="Ada Byron"))
    await ingest(database, embedder, [file])

    status, _ = await work(Order("backup", archive, tmp_path, login_of(database), at=MIDDLE))

    assert status == KILLED
    assert len(assert_whole(archive)) == 1
    again = await back_up(database, archive)
    assert len(assert_whole(archive)) == 2
    prune(archive, manifest_paths(archive)[-1:])
    assert_pruned(archive, again.manifest, list(Objects(archive).names()))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_backup(database: Database, embedder: Embedder, tmp_path: Path, fault: str):
    base = tmp_path / "archive"
    await snapshots(database, embedder, tmp_path, n=1)
    shutil.copytree(base, tmp_path / "before")
    _, last = await snapshots(database, embedder, tmp_path, n=2)
    prune(base, manifest_paths(base)[-1:])
    names = list(Objects(base).names())
    trial = shutil.copytree(tmp_path / "before", tmp_path / "trial")
    status, n_points = await work(Order("backup", trial, tmp_path, login_of(database)))
    assert status == 0 and n_points >= N_POINTS

    for at in points_of(n_points):
        archive = shutil.copytree(tmp_path / "before", tmp_path / f"{fault}{at}")
        status, _ = await work(Order("backup", archive, tmp_path, login_of(database), at=at, fault=fault))
        assert status == (KILLED if fault == "kill" else FAILED), at
        assert len(assert_whole(archive)) in (1, 2)
        again = await back_up(database, archive)
        assert again.manifest.root == last.root
        assert_whole(archive)
        prune(archive, manifest_paths(archive)[-1:])
        assert_pruned(archive, last, names)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_pruning(database: Database, embedder: Embedder, tmp_path: Path, fault: str):
    base = tmp_path / "archive"
    *_, last = await snapshots(database, embedder, tmp_path, n=8)
    trial = shutil.copytree(base, tmp_path / "trial")
    status, n_points = await work(Order("prune", trial, tmp_path, login_of(database)))
    assert status == 0 and n_points >= N_POINTS
    names = list(Objects(trial).names())

    for at in points_of(n_points):
        archive = shutil.copytree(base, tmp_path / f"{fault}{at}")
        status, _ = await work(Order("prune", archive, tmp_path, login_of(database), at=at, fault=fault))
        assert status == (KILLED if fault == "kill" else 0), at
        assert_whole(archive)
        prune(archive, manifest_paths(archive)[-1:])
        assert_pruned(archive, last, names)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # on a busy machine; most of it is making and dropping indexes
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_restore_over_what_is_there(database: Database, embedder: Embedder, tmp_path: Path, fault: str):
    archive, points = tmp_path / "archive", tmp_path / "points"
    manifests = await snapshots(database, embedder, tmp_path, n=2)
    order = Order("restore", archive, points, login_of(database))
    status, n_points = await work(order)
    assert status == 0 and n_points >= N_POINTS

    held = n_faults = 0
    while n_faults < N_POINTS:
        wanted = 1 - held
        for at in count(1, n_points // (N_POINTS // 2)):  # later at each call, so that one comes to the end
            status, _ = await work(replace(order, snapshot=wanted, at=at, fault=fault))
            if status == 0:
                break
            assert status == (KILLED if fault == "kill" else FAILED), at
            n_faults += 1
            state = await RestoreState.of(database)
            if state.root is None:
                assert (await back_up(database, None)).manifest.root in [one.root for one in manifests]
            elif state.point is not None:
                assert verify(points, Manifest.read(chosen_manifest(points, state.point))).faults == ()
        assert (await back_up(database, None)).manifest.root == manifests[wanted].root
        assert (await RestoreState.of(database)).root is None
        held = wanted
