"""``papergraph watch``: follow folders, sites, retractions, queries, authors and citations."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_FAILED,
    EXIT_NOTHING_FOUND,
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
from papergraph.errors import PapergraphError

if TYPE_CHECKING:
    from papergraph.server.operations.watches import Watch

Id = Annotated[str, typer.Argument(help="Id of a watch, or its beginning.")]

app = new_app("Follow folders, sites, queries and authors.")


@app.command("add", epilog="Example: papergraph watch add folder ~/papers --every 1h --collection reading")
def add(
    kind: Annotated[str, typer.Argument(help="query, author, cites, snowball, folder, site, zotero, …")],
    subject: Annotated[str, typer.Argument(help="Words, ORCID, DOI, options, or a folder.")] = "",
    every: Annotated[str, typer.Option(help="Interval: 30m, 12h, 1d or 2w.")] = "1d",
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Add a watch, due at once.

    Kinds without subject are retractions and versions, over all papers of the collection.

    Finds of query, author, cites and snowball go to papergraph inbox. A server with PAPERGRAPH_WATCH_ENABLED=true runs
    it; so does papergraph watch run.
    """
    from papergraph.server.local.watch_operations import add_watch
    from papergraph.server.operations.watches import seconds_of

    every_s = seconds_of(every)
    write(with_database(lambda one: add_watch(one, kind, subject, every_s=every_s, collection=collection), quiet=quiet))


@app.command("list")
def list_(as_json: Json = False, quiet: Quiet = False) -> None:
    """List watches."""
    from papergraph.server.operations.watches import list_watches

    found = with_database(list_watches, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(_told(one))
    if not found:
        say("There is no watch; papergraph watch add makes one.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _told(one: "Watch") -> str:
    state = "paused" if one.is_paused else "running" if one.is_held else f"next {one.next_at}"
    last = f"; last {one.log[0]}" if one.log else ""
    return f"{one.id}  {' '.join(filter(None, (one.kind, one.subject)))} -> {one.collection}  {state}{last}"


@app.command("run", epilog="Example: papergraph watch run watch-1a2b --accept-deletions 40")
def run(
    name: Annotated[str, typer.Argument(help="Id of a watch, or its beginning [all that are due].")] = "",
    accept_deletions: Annotated[
        int | None, typer.Option(help="Accept the deletion of so many missing files.", min=0)
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run a watch, or all that are due.

    The exit status is 1 if a run failed, or asks whether missing files were deleted.
    """
    from papergraph.server.local.watch_operations import run_watch
    from papergraph.server.operations.watches import find_watch, list_watches
    from papergraph.store import open_store

    chosen, is_good = settings(), True
    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:

        async def work() -> bool:
            good = True
            async with await address.connect() as database:
                due = [one for one in await list_watches(database) if one.is_due]
                for one in [await find_watch(database, name)] if name else due:
                    try:
                        result = await run_watch(
                            chosen, address, database, one, accept_deletions=accept_deletions, progress=told
                        )
                    except PapergraphError as error:
                        told.pause()
                        say(f"{one.id}: {error}")
                        good = False
                        continue
                    told.pause()
                    write(f"{one.id}: {result.words if result else 'another process runs it'}")
                    good = good and not (result and result.asks)
            return good

        is_good = asyncio.run(work())
    if not is_good:
        raise typer.Exit(EXIT_FAILED)


@app.command("log")
def log(name: Id, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show the last runs of a watch, newest first."""
    from papergraph.server.operations.watches import find_watch

    found = with_database(lambda database: find_watch(database, name), quiet=quiet or as_json)
    if as_json:
        write_json(list(found.log))
    for line in [] if as_json else found.log:
        write(line)


@app.command("pause")
def pause(name: Id, quiet: Quiet = False) -> None:
    """Pause a watch."""
    from papergraph.server.operations.watches import pause_watch

    write(_told(with_database(lambda database: pause_watch(database, name, is_paused=True), quiet=quiet)))


@app.command("resume")
def resume(name: Id, quiet: Quiet = False) -> None:
    """Let a paused watch run again."""
    from papergraph.server.operations.watches import pause_watch

    write(_told(with_database(lambda database: pause_watch(database, name, is_paused=False), quiet=quiet)))


@app.command("delete")
def delete(name: Id, quiet: Quiet = False) -> None:
    """Delete a watch; the papers that it brought stay."""
    from papergraph.server.operations.watches import delete_watch

    write(f"deleted {with_database(lambda database: delete_watch(database, name), quiet=quiet).id}")


@app.command("feed", epilog="Example: papergraph watch feed watch-1a2b")
def feed(
    name: Id,
    revoke: Annotated[bool, typer.Option("--revoke", help="Only revoke the address.")] = False,
    quiet: Quiet = False,
) -> None:
    """Make a new address for the feed of a watch.

    The address needs no key: a running server gives the feed to everybody who has it. The old address ends.
    """
    from papergraph.server.operations.watches import open_feed

    made = with_database(lambda database: open_feed(database, name, revoke=revoke), quiet=quiet)
    write("\n".join(filter(None, (made.atom, made.json_feed))) or f"revoked the feed of {made.id}")


GROUP = Group("watch", Section.PAPERS, 28, app)
