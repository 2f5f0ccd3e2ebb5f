"""A process that works on an archive, and is killed or finds the disk full at a chosen point.

A point is the moment before or after a call that changes a file or the store. The process starts as a fork of one that
has imported what it needs, so that many of them take little time.
"""

import asyncio
import errno
import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from papergraph.database import Database, Login
from papergraph.errors import DatabaseUnavailableError, PapergraphError
from papergraph.schema.archive.backup import back_up
from papergraph.schema.archive.manifest import Manifest, manifest_paths
from papergraph.schema.archive.restore import restore_over
from papergraph.schema.archive.schedule import prune

FAILED = 3
PROCESSES = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Order:
    """What a process is to do.

    Attributes:
        task: ``backup``, ``prune``, or ``restore`` over what is there.
        archive: Folder of the archive.
        points: Archive of restore points.
        login: The store.
        snapshot: Number of the snapshot to restore.
        at: The point, from 1; 0 for none.
        fault: ``kill`` or ``full``, the disk from that point on.
    """

    task: str
    archive: Path
    points: Path
    login: Login
    snapshot: int = 0
    at: int = 0
    fault: str = "kill"


def run(order: Order) -> tuple[int | None, int]:
    """Run a process, and return its exit status and how many points it came to."""
    PROCESSES.set_forkserver_preload([__name__])
    count = PROCESSES.Value("i", 0)
    process = PROCESSES.Process(target=_work, args=(order, count))
    process.start()
    process.join(120.0)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode, count.value


def _work(order: Order, count: Any) -> None:
    def point(full: Exception) -> None:
        count.value += 1
        if order.at and order.fault == "kill" and count.value == order.at:
            os.kill(os.getpid(), signal.SIGKILL)
        if order.at and order.fault == "full" and count.value >= order.at:
            raise full

    _patch(point)
    try:
        asyncio.run(_do(order))
    except PapergraphError as error:
        print(error)
        os._exit(FAILED)


def _patch(point: Callable[[Exception], None]) -> None:
    full, unavailable = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), DatabaseUnavailableError("the disk is full")
    fsync, replace, unlink = os.fsync, Path.replace, Path.unlink
    run_alone, transact = Database.run_alone, Database.transact

    def writing(call: Callable[..., Any]) -> Callable[..., Any]:
        def patched(*given: Any, **named: Any) -> Any:
            point(full)
            done = call(*given, **named)
            point(full)
            return done

        return patched

    def deleting(call: Callable[..., Any]) -> Callable[..., Any]:
        def patched(*given: Any, **named: Any) -> Any:
            _pass(point, full)
            done = call(*given, **named)
            _pass(point, full)
            return done

        return patched

    def asking(call: Callable[..., Any]) -> Callable[..., Any]:
        async def patched(*given: Any, **named: Any) -> Any:
            point(unavailable)
            done = await call(*given, **named)
            point(unavailable)
            return done

        return patched

    os.fsync = writing(fsync)
    Path.replace = writing(replace)
    Path.unlink = deleting(unlink)
    Database.run_alone = asking(run_alone)
    Database.transact = asking(transact)


def _pass(point: Callable[[Exception], None], full: Exception) -> None:
    """Count a point at which a full disk is no obstacle."""
    try:
        point(full)
    except OSError:
        return


async def _do(order: Order) -> None:
    paths = manifest_paths(order.archive)
    if order.task == "prune":
        prune(order.archive, paths[-1:])
        return
    login = order.login
    async with await Database.connect(
        login.uri, user=login.user, password=login.password, name=login.database, deadline_s=30.0
    ) as database:
        manifest = Manifest.read(paths[order.snapshot])
        if order.task == "backup":
            await back_up(database, order.archive)
        else:
            await restore_over(database, order.archive, manifest, order.points, examine=_nothing)


async def _nothing(database: Database) -> list[str]:
    return []
