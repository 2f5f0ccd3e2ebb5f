"""Watch over a folder: new, changed and deleted files, by polling, which also works on network shares."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from papergraph.errors import InputError, Reason, SourceError
from papergraph.ingest.fetch.folder import are_too_many
from papergraph.ingest.pipeline.work import IngestReport
from papergraph.ingest.sources.paths import find_files
from papergraph.server.local.watches import WatchContext, WatchKind, WatchResult

SETTLE_S = 5.0
"""Seconds between the two looks at a folder; a file that changes meanwhile waits for the next run."""

Seen = dict[str, list[int]]
"""Size in bytes and time of the last change in nanoseconds, by path."""


def _subject(text: str) -> str:
    path = Path(text).expanduser().resolve()
    if not path.is_dir():
        raise InputError(f"There is no folder {path}.", field="subject")
    return str(path)


def look(folder: Path) -> tuple[Seen, list[SourceError]]:
    """Return the files of papers in a folder, and what could not be read."""
    seen: Seen = {}
    errors: list[SourceError] = []
    for found in find_files(str(folder)):
        if isinstance(found, SourceError):
            errors.append(found)
            continue
        path = getattr(found, "path", None) or found.name
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            continue  # deleted meanwhile
        seen[path] = [status.st_size, status.st_mtime_ns]
    return seen, errors


async def run(context: WatchContext, state: Mapping[str, Any]) -> WatchResult:
    """Ingest new and changed files, and delete what is missing for the second time.

    Raises:
        InputError: The folder is missing, as when its disk is not mounted; nothing is deleted.
        DatabaseError: Neo4j failed.
    """
    folder = Path(context.subject)
    if not await asyncio.to_thread(folder.is_dir):
        raise InputError(f"There is no folder {folder}; nothing was changed. Is its disk mounted?", field="subject")
    done: Seen = dict(state.get("done", {}))
    seen, errors = await asyncio.to_thread(look, folder)
    if any(done.get(path) != stamp for path, stamp in seen.items()):
        first = seen
        await asyncio.sleep(SETTLE_S)
        seen, errors = await asyncio.to_thread(look, folder)
        settled = {path for path, stamp in seen.items() if first.get(path) == stamp}
    else:
        settled = set(seen)
    if context.accept_deletions:  # an empty folder may be an unmounted disk, unless the user says that it is not
        errors = [one for one in errors if one.reason is not Reason.EMPTY]
    changed = sorted(path for path in settled if done.get(path) != seen[path])
    failed = failed_files(await context.ingest(changed)) if changed else set()
    done |= {path: seen[path] for path in changed if path not in failed}
    missing = sorted(path for path in done if path not in seen)
    gone = [] if errors else [path for path in missing if path in set(state.get("missing", ()))]
    waiting = len(seen) - len(settled)
    told = [f"{len(changed) - len(failed)} new or changed files", *([f"{len(failed)} failed"] if failed else [])]
    told += [f"{waiting} still being written"] if waiting else []
    if errors and missing:
        told.append(
            f"deletions wait, as {folder} is empty: is its disk mounted? If so, --accept-deletions {len(missing)}"
            if errors[0].reason is Reason.EMPTY
            else f"deletions wait: {errors[0]}"
        )
    if are_too_many(len(gone), len(done), accepted=context.accept_deletions or 0):
        told.append(f"{len(gone)} of {len(done)} files are gone; were they deleted? --accept-deletions {len(gone)}")
        return WatchResult(", ".join(told), {"done": done, "missing": missing}, asks=True)
    for path in gone:
        await context.delete(path)
        del done[path]
    told += [f"{len(gone)} deleted"] if gone else []
    return WatchResult(", ".join(told), {"done": done, "missing": missing if not gone else _without(missing, gone)})


def failed_files(report: IngestReport) -> set[str]:
    """Return the files of documents that failed."""
    return {item.source.partition("#")[0] for item in report.items if item.reason is not None}


def _without(paths: Sequence[str], removed: Sequence[str]) -> list[str]:
    return sorted({*paths} - {*removed})


WATCH = WatchKind("folder", "ingest new and changed files of a folder", "path of the folder", _subject, run)
