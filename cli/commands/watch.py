"""``papergraph watch``: follow folders, sites, retractions, queries, authors and citations."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

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
    write_records,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import PapergraphError

if TYPE_CHECKING:
    from papergraph.server.operations.watches import Watch

Id = Annotated[str, typer.Argument(help="Id of a watch, or its beginning.")]

LOG_CHARS = 120
"""Characters of the last run in a list of watches."""

app = new_app("Follow folders, sites, queries and authors.")


@app.command("add", epilog="Example: papergraph watch add folder ~/papers --every 1h --collection reading")
def add(
    kind: Annotated[str, typer.Argument(help="query, author, cites, snowball, folder, site, zotero, …")],
    subject: Annotated[str, typer.Argument(help="Words, ORCID, DOI, options, or a folder.")] = "",
    every: Annotated[str, typer.Option(help="Interval: 30m, 12h, 1d or 2w.")] = "1d",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add a watch, due at once.

    Kinds without subject are retractions and versions, over all papers of the collection.

    Finds of query, author, cites and snowball go to papergraph inbox. A server with PAPERGRAPH_WATCH_ENABLED=true runs
    it; so does papergraph watch run.
    """
    from papergraph.database import Database
    from papergraph.records import to_json
    from papergraph.server.local.watch_operations import add_watch
    from papergraph.server.operations.watches import find_watch, seconds_of

    every_s = seconds_of(every)

    async def work(database: Database) -> "Watch":
        return await find_watch(
            database, await add_watch(database, kind, subject, every_s=every_s, collection=collection)
        )

    made = with_database(work, quiet=quiet or as_json)
    write(to_json(made) if as_json else made.id)


@app.command("list")
def list_(as_json: Json = False, quiet: Quiet = False) -> None:
    """List watches."""
    from papergraph.server.operations.watches import list_watches

    found = with_database(list_watches, quiet=quiet or as_json)
    if as_json:
        write_records(found)
        return
    for one in found:
        write(_told(one))
    if not found:
        say("There is no watch; papergraph watch add makes one.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _told(one: "Watch") -> str:
    state = "paused" if one.is_paused else "running" if one.is_held else f"next {one.next_at}"
    last = f"; last {one.log[0][:LOG_CHARS]}" if one.log else ""
    return f"{one.id}  {' '.join(filter(None, (one.kind, one.subject)))} -> {one.collection}  {state}{last}"


@app.command("run", epilog="Example: papergraph watch run watch-1a2b --accept-deletions 40")
def run(
    name: Annotated[str, typer.Argument(help="Id of a watch, or its beginning [all that are due].")] = "",
    accept_deletions: Annotated[
        int | None, typer.Option(help="Accept the deletion of so many missing files.", min=0)
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a watch, or all that are due.

    The exit status is 1 if a run failed, or asks whether missing files were deleted.
    """
    from papergraph.server.local.watch_operations import run_watch
    from papergraph.server.operations.watches import find_watch, list_watches
    from papergraph.store import open_store

    chosen, runs = settings(), list[dict[str, Any]]()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:

        async def work() -> None:
            async with await address.connect() as database:
                due = [one for one in await list_watches(database) if one.is_due]
                for one in [await find_watch(database, name)] if name else due:
                    try:
                        result = await run_watch(
                            chosen, address, database, one, accept_deletions=accept_deletions, progress=told
                        )
                    except PapergraphError as error:
                        outcome, words = "failed", str(error)
                    else:
                        outcome = "running" if result is None else "asks" if result.asks else "done"
                        words = result.words if result else "another process runs it"
                    runs.append({"id": one.id, "outcome": outcome, "words": words})
                    told.pause()
                    if not as_json:
                        (say if outcome == "failed" else write)(f"{one.id}: {words}")

        asyncio.run(work())
    if as_json:
        write_json(runs)
    elif not runs:
        say("No watch is due; papergraph watch list shows when the next one is.")
    if any(one["outcome"] in ("failed", "asks") for one in runs):
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
def pause(name: Id, as_json: Json = False, quiet: Quiet = False) -> None:
    """Pause a watch; it runs only when it is named."""
    _pause(name, is_paused=True, as_json=as_json, quiet=quiet)


@app.command("resume")
def resume(name: Id, as_json: Json = False, quiet: Quiet = False) -> None:
    """Let a paused watch run again."""
    _pause(name, is_paused=False, as_json=as_json, quiet=quiet)


def _pause(name: str, *, is_paused: bool, as_json: bool, quiet: bool) -> None:
    from papergraph.records import to_json
    from papergraph.server.operations.watches import pause_watch

    one = with_database(lambda database: pause_watch(database, name, is_paused=is_paused), quiet=quiet or as_json)
    write(to_json(one) if as_json else _told(one))


@app.command("delete")
def delete(name: Id, as_json: Json = False, quiet: Quiet = False) -> None:
    """Delete a watch; the papers that it brought stay."""
    from papergraph.server.operations.watches import delete_watch

    one = with_database(lambda database: delete_watch(database, name), quiet=quiet or as_json)
    if as_json:
        write_json({"id": one.id})
    else:
        write(f"deleted {one.id}")


@app.command("feed", epilog="Example: papergraph watch feed watch-1a2b")
def feed(
    name: Id,
    revoke: Annotated[bool, typer.Option("--revoke", help="Only revoke the address.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a new address for the feed of a watch.

    The address needs no key: a running server gives the feed to everybody who has it. The old address ends.
    """
    from papergraph.records import to_json
    from papergraph.server.operations.watches import open_feed
    from papergraph.server.process.server_file import find_server

    chosen = settings()
    made = with_database(
        lambda database: open_feed(database, name, revoke=revoke), quiet=quiet or as_json, chosen=chosen
    )
    if as_json:
        write(to_json(made))
        return
    server = chosen.url or find_server(chosen.home, neo4j_uri=chosen.neo4j.uri) or ""
    for path in filter(None, (made.atom, made.json_feed)):
        write(f"{server}{path}")
    if made.atom is None:
        write(f"revoked the feed of {made.id}")
    elif not server:
        say("These are paths on your server; papergraph serve starts one.")


GROUP = Group("watch", Section.PAPERS, 28, app)
