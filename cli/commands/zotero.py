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
    from papergraph.ingest.fetch.zotero import Changes
    from papergraph.server.local.zotero_operations import SyncReport
    from papergraph.server.operations.zotero import MarksReport

MOST_SHOWN = 5

Library = Annotated[str | None, typer.Option(help="users/ID or groups/ID [set by PAPERGRAPH_ZOTERO_LIBRARY].")]

app = new_app("Keep a Zotero library in step.")


@app.callback()
def group() -> None:
    """Keep a Zotero library in step."""


@app.command("status", epilog="Example: papergraph zotero status")
def status(library: Library = None, as_json: Json = False) -> None:
    """Show the libraries that Zotero offers."""
    from papergraph.server.local.zotero_operations import open_zotero

    zotero = open_zotero(settings(), library)
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
    from papergraph.server.local.zotero_operations import bring, is_needed, open_zotero
    from papergraph.store import open_store

    chosen = settings()
    zotero = open_zotero(chosen, library)
    with progress(quiet=quiet or as_json) as told, opened(chosen.home, zotero, check_collection(collection)) as folder:
        changes = folder.update(accept_deletions=accept_deletions, dry_run=dry_run, progress=told)
        told.pause()
        if not as_json:
            _write(changes)
        if dry_run or not is_needed(changes, prune=prune):
            if as_json:
                write_json({"changes": asdict(changes)})
            return
        with open_store(chosen, progress=told) as address:
            work = bring(
                chosen, address, folder, changes, prune=prune, accept_deletions=accept_deletions, progress=told
            )
            report = asyncio.run(work)
        told.pause()
    _finish(report, changes, as_json=as_json)


def _finish(report: "SyncReport", changes: "Changes", *, as_json: bool) -> None:
    from papergraph.cli.commands.ingest import finish

    if not as_json:
        _write_marks(report.marks)
    if report.papers is not None:
        finish(report.papers, as_json=as_json, changes=asdict(changes), marks=asdict(report.marks))
    elif as_json:
        write_json({"changes": asdict(changes), "marks": asdict(report.marks)})


def _write_marks(marks: "MarksReport") -> None:
    told = ", ".join(f"{n} {word}" for word in ("added", "changed", "deleted") if (n := getattr(marks, word)))
    write(f"tags, notes and highlights: {told or 'unchanged'}")
    _list("edited in papergraph, kept so", marks.edited)
    _list("highlights whose words are not found at their place", marks.unaligned)
    if marks.waiting:
        say(f"{marks.waiting} wait for their paper")


def _write(changes: "Changes") -> None:
    write(f"{changes.n_items} items, {changes.n_files} files, {changes.n_marks} tags, notes and highlights")
    for label, titles in (
        ("new", changes.added),
        ("changed", changes.changed),
        ("deleted in Zotero", changes.deleted),
        ("not there now, kept until the next sync", changes.absent),
        ("file missing", changes.missing_files),
    ):
        _list(label, titles)
    if changes.n_unshown:
        say(f"{changes.n_unshown} items: Zotero failed to show them; they stay as they were")
    if not (changes.is_new or changes.has_new_marks):
        write("nothing has changed since the last sync")


def _list(label: str, titles: list[str]) -> None:
    if titles:
        say(f"{len(titles)} {label}: {'; '.join(titles[:MOST_SHOWN])}{' …' if len(titles) > MOST_SHOWN else ''}")


GROUP = Group("zotero", Section.PAPERS, 29, app)
