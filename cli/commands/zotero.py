"""``papergraph zotero``: the library of Zotero, brought into a collection, and answers and highlights brought back."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_FAILED,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from papergraph.database import Database
    from papergraph.ingest.fetch.zotero import Changes, Zotero
    from papergraph.ingest.fetch.zotero_log import LoggedChange
    from papergraph.server.local.zotero_operations import SyncReport
    from papergraph.server.operations.zotero import MarksReport
    from papergraph.server.operations.zotero_push import PushReport, PushRequest
    from papergraph.settings import Settings

MOST_SHOWN = 5

Library = Annotated[str | None, typer.Option(help="users/ID or groups/ID [set by PAPERGRAPH_ZOTERO_LIBRARY].")]

app = new_app("Keep a Zotero library in step.")


@app.callback()
def group() -> None:
    """Keep a Zotero library in step."""


@app.command("status", epilog="Example: papergraph zotero status")
def status(
    library: Library = None,
    check: Annotated[
        bool, typer.Option("--check", help="Check the protocol by a few requests that only read.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the libraries that Zotero offers."""
    from papergraph.server.operations.zotero_access import ZoteroAccess, list_libraries

    access = ZoteroAccess.of(settings())
    if check:
        _check(access.library(library), as_json=as_json)
        return
    found = asyncio.run(list_libraries(access, library))
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(f"{one.name}: {one.title if one.n_items is None else f'{one.n_items} items'}")


def _check(zotero: "Zotero", *, as_json: bool) -> None:
    from papergraph.ingest.fetch.zotero_check import check_protocol

    found = list(check_protocol(zotero))
    if as_json:
        write_json([asdict(one) for one in found])
    else:
        for one in found:
            write(f"{'good' if one.is_good else 'BAD '}  {one.name}: {one.told}")
    if not all(one.is_good for one in found):
        raise typer.Exit(EXIT_FAILED)


@app.command("sync", epilog="Example: papergraph zotero sync --collection reading")
def sync(
    library: Library = None,
    collection: Collection = DEFAULT_COLLECTION,
    prune: Annotated[bool, typer.Option("--prune", help="Delete papers whose items Zotero has no more.")] = False,
    accept_deletions: Annotated[int, typer.Option(min=0, help="Accept so many deleted items.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show changes in both directions and exit.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring items and files of a library into a collection.

    Ingest only what changed since the last call. Keep papers of deleted items, unless --prune is given.
    """
    from papergraph.ingest.fetch.zotero import LIBRARY, note_user, opened
    from papergraph.schema.ids import check_collection
    from papergraph.server.local.zotero_operations import bring, is_needed
    from papergraph.server.operations.zotero_access import ZoteroAccess
    from papergraph.store import open_store

    chosen, report = settings(), None
    zotero = ZoteroAccess.of(chosen).library(library)
    note_user(chosen.home, zotero, check_collection(collection))
    with progress(quiet=quiet or as_json) as told, opened(chosen.home, zotero, collection) as folder:
        changes = folder.update(accept_deletions=accept_deletions, dry_run=dry_run, progress=told)
        told.pause()
        was_synced = (folder.path / LIBRARY).exists()
        if not as_json:
            _write(changes, shows_all=dry_run)
        if not dry_run and is_needed(changes, prune=prune):
            with open_store(chosen, progress=told) as address:
                work = bring(
                    chosen, address, folder, changes, prune=prune, accept_deletions=accept_deletions, progress=told
                )
                report = asyncio.run(work)
            told.pause()
    if dry_run:
        _preview_push(chosen, library, collection, changes, was_synced=was_synced, as_json=as_json)
    else:
        _finish(report, changes, as_json=as_json)


def _preview_push(
    chosen: "Settings", library: str | None, collection: str, changes: "Changes", *, was_synced: bool, as_json: bool
) -> None:
    """Write what a push would write, after what a sync would bring."""
    from papergraph.server.operations.zotero_push import PushRequest

    report = None
    if was_synced:
        report = _push(chosen, PushRequest(library=library, collection=collection, dry_run=True), quiet=True)
    if as_json:
        write_json({"changes": asdict(changes), "push": None if report is None else asdict(report)})
    elif report is None:
        write("To Zotero: nothing before the first sync.")
    else:
        write("To Zotero, by papergraph zotero push:")
        _write_push(report, dry_run=True)


def _finish(report: "SyncReport | None", changes: "Changes", *, as_json: bool) -> None:
    from papergraph.cli.commands.ingest import finish

    if report is None:
        if as_json:
            write_json({"changes": asdict(changes)})
        return
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


def _write(changes: "Changes", *, shows_all: bool) -> None:
    from papergraph.ingest.fetch.zotero import MARKS_LABEL

    write(f"{changes.n_items} items, {changes.n_files} files, {changes.n_marks} tags, notes and highlights")
    for label, titles in changes.lists():
        if shows_all or label != MARKS_LABEL:
            _list(label, titles, most=None if shows_all else MOST_SHOWN)
    if changes.n_unshown:
        say(f"{changes.n_unshown} items: Zotero failed to show them; they stay as they were")
    if not (changes.is_new or changes.has_new_marks):
        write("nothing has changed since the last sync")


def _list(label: str, titles: "Sequence[str]", *, most: int | None = MOST_SHOWN) -> None:
    if titles:
        say(f"{len(titles)} {label}: {'; '.join(titles[:most])}{' …' if most and len(titles) > most else ''}")


@app.command("push", epilog="Example: papergraph zotero push --collection reading --dry-run")
def push(
    library: Library = None,
    collection: Collection = DEFAULT_COLLECTION,
    answer: Annotated[
        list[str] | None, typer.Option(help="Id of a stored answer [all of yours; none in a group].")
    ] = None,
    collect: Annotated[str, typer.Option(metavar="TAG", help="Make a collection of the papers with this tag.")] = "",
    edits: Annotated[bool, typer.Option("--edits", help="Write corrections that you made of papers, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the writes and exit.")] = False,
    as_json: Json = False,
) -> None:
    """Write answers, highlights and tags into Zotero.

    Leave what you changed or deleted in Zotero as it is. A second push writes nothing.
    """
    from papergraph.server.operations.zotero_push import PushRequest

    wanted = PushRequest(
        library=library, collection=collection, answers=answer, collect=collect, edits=edits, dry_run=dry_run
    )
    report = _push(settings(), wanted, quiet=as_json)
    if as_json:
        write_json(asdict(report))
    else:
        _write_push(report, dry_run=dry_run)


def _push(chosen: "Settings", wanted: "PushRequest", *, quiet: bool) -> "PushReport":
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.zotero_access import ZoteroAccess, push_library

    def work(database: "Database") -> "Awaitable[PushReport]":
        return push_library(ZoteroAccess.of(chosen), database, everything(), wanted)

    return with_database(work, quiet=quiet, chosen=chosen)


def _write_push(report: "PushReport", *, dry_run: bool) -> None:
    for one in report.changes:
        write(f"{one.action} {one.kind}: {one.title}: {one.words}")
    write(f"{len(report.changes)} {'would be written' if dry_run else 'written'}, {report.unchanged} unchanged")
    _list("edited in Zotero, left so", report.conflicts, most=None)
    _list("deleted in Zotero, left so", report.kept_deleted)
    _list("corrections that --edits writes", report.offers, most=None)
    _list("without a place in Zotero", report.unplaced)


@app.command("authorize", epilog="Example: papergraph zotero authorize")
def authorize(library: Library = None) -> None:
    """Ask Zotero 10 for a key that may write.

    Answer Always Allow in the dialog that Zotero shows.
    """
    from papergraph.ingest.fetch.zotero_writer import ZoteroWriter
    from papergraph.server.operations.zotero_access import ZoteroAccess

    say("Zotero asks you now whether papergraph may write: choose Always Allow.")
    key, lasts = ZoteroWriter(ZoteroAccess.of(settings()).library(library), "").authorize("papergraph")
    write(f"PAPERGRAPH_ZOTERO_KEY={key}")
    if not lasts:
        say("This key is good for one write only; run the command again and choose Always Allow.")


@app.command("log", epilog="Example: papergraph zotero log --first 20")
def log(
    library: Library = None,
    collection: Collection = DEFAULT_COLLECTION,
    first: Annotated[int, typer.Option("-n", "--first", min=1, help="Number of changes.")] = 20,
    as_json: Json = False,
) -> None:
    """List changes between Zotero and papergraph."""
    from papergraph.server.operations.zotero_access import ZoteroAccess, list_changes

    found = list_changes(ZoteroAccess.of(settings()), library, collection, first=first)
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(_told(one))
    if not found:
        say("Nothing was changed yet.")


def _told(one: "LoggedChange") -> str:
    arrow = "-> Zotero" if one.direction == "to-zotero" else "<- Zotero"
    words = ": ".join(filter(None, (one.title, one.words)))
    return f"{one.number}  {one.at}  {arrow}  {one.action} {one.kind}  {words}{'  (undone)' if one.is_undone else ''}"


@app.command("undo", epilog="Example: papergraph zotero undo 12")
def undo(
    number: Annotated[int, typer.Argument(help="Number of a change in papergraph zotero log.")],
    library: Library = None,
    collection: Collection = DEFAULT_COLLECTION,
) -> None:
    """Take back a change that a push made in Zotero."""
    from papergraph.server.operations.zotero_access import ZoteroAccess, undo_change

    write(_told(asyncio.run(undo_change(ZoteroAccess.of(settings()), library, collection, number))))


GROUP = Group("zotero", Section.PAPERS, 29, app)
