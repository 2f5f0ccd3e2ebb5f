"""``papergraph backup`` and ``papergraph restore``: archives of the store, taken while it is used."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from papergraph.cli.common import Json, Quiet, progress, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app

Folder = Annotated[Path, typer.Argument(help="Folder of the archive.")]

app = new_app()


@app.command("backup", epilog="Example: papergraph backup ~/backups/papers")
def backup(
    folder: Folder,
    keys: Annotated[bool, typer.Option("--keys", help="Include API keys and what they spent.")] = False,
    jobs: Annotated[bool, typer.Option("--jobs", help="Include jobs and their tasks.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Read all papers, changed or not.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Back up the store while it is used.

    Repeated with the same folder, it adds new objects only.
    """
    from papergraph.schema.archive.backup import BackupOptions
    from papergraph.server.local import backup_operations as working
    from papergraph.store import open_store

    chosen = settings()
    options = BackupOptions(keys=keys, jobs=jobs)
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        done = asyncio.run(working.back_up_store(address, folder, options, full=full, progress=told))
        told.pause()
    about = {"snapshot": done.path, "root": done.manifest.root, **done.manifest.counts}
    if as_json:
        read = {"readings": done.n_passes, "papers_read": done.n_read, "changed_unnoticed": list(done.unnoticed)}
        new = {"new_objects": done.n_new, "new_bytes": done.n_bytes, "writers_waited": done.waited}
        write_json(about | new | read)
        return
    counts = done.manifest.counts
    write(f"{counts['papers']:,} papers, {counts['nodes']:,} nodes, {counts['relationships']:,} relationships")
    write(f"{done.n_new:,} new objects, {done.n_bytes / 1e6:,.1f} MB, in {folder}")
    if done.unnoticed:
        write(
            f"{len(done.unnoticed):,} papers changed although their revision did not, such as {done.unnoticed[0]}: "
            "somebody writes to Neo4j past papergraph. Use --full after that."
        )
    write(f"Snapshot {done.path.name if done.path else ''}")
    write(f"Check it: papergraph backups verify {folder}")


@app.command("restore", epilog="Example: PAPERGRAPH_HOME=~/restored papergraph restore ~/backups/papers")
def restore(
    folder: Folder,
    snapshot: Annotated[str | None, typer.Option(help="Beginning of a snapshot's name [the last].")] = None,
    over: Annotated[bool, typer.Option("--over", help="Replace what the store holds.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Restore a snapshot into an empty store.

    With --over, what the store holds is backed up first, and put back if
    anything is wrong. Run an interrupted command again to resume it.
    """
    from papergraph.server.local import backup_operations as working
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        points, point = chosen.home.expanduser() / "restore-points", None
        if over:
            manifest, point = asyncio.run(working.replace_store(address, folder, snapshot, points, progress=told))
        else:
            manifest = asyncio.run(working.restore_store(chosen, address, folder, snapshot, progress=told))
        told.pause()
    if as_json:
        about = {"root": manifest.root, "created_at": manifest.created_at, "restore_point": point}
        write_json(about | manifest.counts)
        return
    write(f"{manifest.counts['papers']:,} papers as of {manifest.created_at}; the store has the root of the snapshot")
    if point is not None:
        write(f"Go back: papergraph restore {points} --over --snapshot {point.stem}")


GROUP = Group("backup", Section.OPERATE, 56, app, top=True)
