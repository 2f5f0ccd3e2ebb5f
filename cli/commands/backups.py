"""``papergraph backups``: list, verify and prune the snapshots of an archive."""

from pathlib import Path
from typing import Annotated

import typer

from papergraph.cli.common import EXIT_FAILED, EXIT_NOTHING_FOUND, Json, Quiet, progress, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app

Folder = Annotated[Path, typer.Argument(help="Folder of the archive.")]

app = new_app("List, verify and prune backups.")


@app.command("list")
def list_(folder: Folder, as_json: Json = False) -> None:
    """List the snapshots of an archive."""
    from papergraph.server.local import backup_operations as working

    found = working.list_snapshots(folder)
    if as_json:
        write_json(
            [
                {"snapshot": path.name, "root": one.root, "created_at": one.created_at, **one.counts}
                for path, one in found
            ]
        )
    for path, one in [] if as_json else found:
        write(f"{path.name}  {one.counts['papers']:,} papers, {one.counts['nodes']:,} nodes")
    if not found:
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command("verify", epilog="Example: papergraph backups verify ~/backups/papers --deep")
def verify(
    folder: Folder,
    snapshot: Annotated[str | None, typer.Option(help="Beginning of a snapshot's name [the last].")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Also restore it into a temporary Neo4j.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check every object of a snapshot."""
    from papergraph.server.local import backup_operations as working

    with progress(quiet=quiet or as_json) as told:
        found = working.verify_snapshot(folder, snapshot, progress=told)
        if deep and not found.faults:
            found = working.deep_verification(settings(), folder, found, progress=told)
        told.pause()
    if as_json:
        write_json(
            {
                "snapshot": found.snapshot.name,
                "root": found.root,
                "objects": found.n_objects,
                "restorable": found.is_restorable,
                "faults": list(found.faults),
            }
        )
    else:
        for fault in found.faults:
            write(fault)
        restored = "; a temporary Neo4j held the same after a restore" if found.is_restorable else ""
        state = f"{len(found.faults):,} faults" if found.faults else f"nothing is wrong{restored}"
        write(f"{found.snapshot.name}: {found.n_objects:,} objects, {state}")
    if found.faults:
        raise typer.Exit(EXIT_FAILED)


@app.command("prune", epilog="Example: papergraph backups prune ~/backups/papers --keep 7d,4w,12m")
def prune(
    folder: Folder,
    keep: Annotated[str, typer.Option(help="Days, weeks and months to keep.")] = "7d,4w,12m",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Delete old snapshots.

    The last snapshot of each day, week and month stays. A backup that is being taken refuses it.
    """
    from papergraph.server.local import backup_operations as working

    with progress(quiet=quiet or as_json) as told:
        n_snapshots, n_objects, n_bytes = working.prune_archive(folder, keep, progress=told)
        told.pause()
    if as_json:
        write_json({"snapshots": n_snapshots, "objects": n_objects, "bytes": n_bytes})
    else:
        write(f"deleted {n_snapshots:,} snapshots and {n_objects:,} objects, {n_bytes / 1e6:,.1f} MB")


GROUP = Group("backups", Section.OPERATE, 57, app)
