"""``papergraph zotero``: the library of Zotero, brought into a collection and kept up to date."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.cli.output import TerminalProgress
    from papergraph.ingest.fetch.zotero import Changes, LibraryFolder, Zotero
    from papergraph.settings import Settings

MOST_SHOWN = 5

Library = Annotated[str | None, typer.Option(help="users/ID or groups/ID [set by PAPERGRAPH_ZOTERO_LIBRARY].")]

app = new_app("Keep a Zotero library in step.")


@app.callback()
def group() -> None:
    """Keep a Zotero library in step."""


@app.command("status", epilog="Example: papergraph zotero status")
def status(library: Library = None, as_json: Json = False) -> None:
    """Show the libraries that Zotero offers."""
    zotero = _zotero(settings(), library)
    n_items, groups = zotero.n_items(), dict(zotero.groups())
    if as_json:
        write_json({"library": zotero.library, "items": n_items, "groups": groups})
        return
    write(f"{zotero.library}: {n_items} items")
    for name, title in groups.items():
        write(f"{name}: {title}")


@app.command("sync", epilog="Example: papergraph zotero sync --collection reading")
def sync(
    library: Library = None,
    collection: Collection = DEFAULT_COLLECTION,
    prune: Annotated[bool, typer.Option("--prune", help="Delete papers whose items Zotero has no more.")] = False,
    accept_deletions: Annotated[int, typer.Option(min=0, help="Accept so many deleted items.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes and exit.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring items and files of a library into a collection.

    Ingest only what changed since the last call. Keep papers of deleted items, unless --prune is given.
    """
    from papergraph.ingest.fetch.zotero import opened
    from papergraph.schema.ids import check_collection

    chosen = settings()
    zotero = _zotero(chosen, library)
    with progress(quiet=quiet or as_json) as told, opened(chosen.home, zotero, check_collection(collection)) as folder:
        changes = folder.update(accept_deletions=accept_deletions, dry_run=dry_run, progress=told)
        told.pause()
        if not as_json:
            _write(changes)
        if dry_run or not (changes.is_new or prune):
            if as_json:
                write_json({"changes": asdict(changes)})
            return
        _ingest(chosen, folder, changes, told, prune=prune, collection=collection, as_json=as_json)


def _zotero(chosen: "Settings", library: str | None) -> "Zotero":
    from papergraph.ingest.fetch.zotero import Zotero

    set_up = chosen.zotero
    return Zotero(set_up.url, library or set_up.library, set_up.key.get_secret_value())


def _ingest(
    chosen: "Settings",
    folder: "LibraryFolder",
    changes: "Changes",
    told: "TerminalProgress",
    *,
    prune: bool,
    collection: str,
    as_json: bool,
) -> None:
    """Ingest a folder into its collection, and note its state if all went well."""
    from papergraph.cli.commands.ingest import finish
    from papergraph.ingest.chunkers import ChunkOptions
    from papergraph.server.local.store_operations import IngestCommand, ingest_papers
    from papergraph.store import open_store

    options = ChunkOptions.choose("default")
    wanted = IngestCommand(folder.sources, collection, options, prune=prune, pruned=folder.pruned)
    with open_store(chosen, progress=told) as address:
        report = asyncio.run(ingest_papers(chosen, address, wanted, dask=None, budget=None, progress=told))
    told.pause()
    if not (report.failed or report.stopped):
        folder.note_ingested()
    finish(report, as_json=as_json, changes=asdict(changes))


def _write(changes: "Changes") -> None:
    write(f"{changes.n_items} items, {changes.n_files} files")
    for label, titles in (
        ("new", changes.added),
        ("changed", changes.changed),
        ("deleted in Zotero", changes.deleted),
        ("not there now, kept until the next sync", changes.absent),
        ("file missing", changes.missing_files),
    ):
        if titles:
            say(f"{len(titles)} {label}: {'; '.join(titles[:MOST_SHOWN])}{' …' if len(titles) > MOST_SHOWN else ''}")
    if changes.n_unshown:
        say(f"{changes.n_unshown} items: Zotero failed to show them; they stay as they were")
    if not changes.is_new:
        write("nothing has changed since the last sync")


GROUP = Group("zotero", Section.PAPERS, 29, app)
