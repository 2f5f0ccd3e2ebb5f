"""The process beside a server that takes its daily backups, ``python -m server.backup_worker``.

A process of its own, at a lower priority, as workers of jobs are. The order on standard input is the store's address.
"""

import asyncio
import json
import logging
import os
import sys
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from papergraph.errors import PapergraphError
from papergraph.progress import silent
from papergraph.settings import Settings
from papergraph.store import Address
from papergraph.telemetry.setup import telling
from schema.archive.schedule import is_due, last_verified
from server.backup_operations import take_backup
from server.process.beside_server import kept_beside, until_told
from server.process.kept_process import Program
from server.store_operations import LOW_PRIORITY

POLL_S, RETRY_S = 30.0, 3600.0

log = logging.getLogger(__name__)


def backup_worker(settings: Settings, address: Address) -> AbstractAsyncContextManager[None]:
    """Keep a process taking daily backups while the context is open, if the settings name a folder."""
    order = json.dumps(asdict(address)) + "\n"
    wanted = settings.backup.dir is not None
    return kept_beside([Program("the process of backups", "server.backup_worker", order)] if wanted else [])


async def keep_backed_up(settings: Settings, address: Address, folder: Path) -> None:
    """Take a backup each time that one is due, without end; one that failed is tried again after an hour."""
    while True:
        pause_s = POLL_S
        if is_due(datetime.now().astimezone(), settings.backup.at, last_verified(folder)):
            try:
                found = await take_backup(address, folder, settings.backup.keep, progress=silent)
                log.info(
                    "backup taken and verified", extra={"snapshot": found.snapshot.name, "objects": found.n_objects}
                )
            except (PapergraphError, OSError) as error:
                log.error("the backup failed and is tried again in an hour: %s", error)
                pause_s = RETRY_S
        await asyncio.sleep(pause_s)


def main() -> None:
    """Work as standard input says."""
    os.nice(LOW_PRIORITY)
    settings, address = Settings(), Address(**json.loads(sys.stdin.readline()))
    with telling(settings, service="papergraph-backups"):
        if settings.backup.dir is not None:
            asyncio.run(until_told(keep_backed_up(settings, address, settings.backup.dir)))


if __name__ == "__main__":
    main()
