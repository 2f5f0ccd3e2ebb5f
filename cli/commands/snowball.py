"""``papergraph snowball``: follow citations from the papers of a collection."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import EXIT_FAILED, Json, Quiet, progress, say, settings, write
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.operations.snowball import SnowballReport
    from papergraph.server.operations.watches import Watch

EVERY_S = 28 * 86_400
BAR = 20

app = new_app()


@app.command(epilog="Example: papergraph snowball reading --backward --rounds 1 --offline")
def snowball(
    collection: Annotated[str, typer.Argument(help="Collection whose papers are the start.")],
    backward: Annotated[bool, typer.Option("--backward", help="Follow what papers cite [both directions].")] = False,
    forward: Annotated[bool, typer.Option("--forward", help="Follow what cites papers [both directions].")] = False,
    rounds: Annotated[int, typer.Option(help="Number of rounds, 1 to 5.")] = 2,
    limit: Annotated[int, typer.Option(help="Most new works of a round for the inbox, 1 to 2000.")] = 200,
    offline: Annotated[bool, typer.Option("--offline", help="Use the references of the library only.")] = False,
    report: Annotated[bool, typer.Option("--report", help="Show the last run again, with the decisions.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Follow citations; new works go to the inbox.

    Uses the references of all papers here, and OpenAlex and Crossref if PAPERGRAPH_WATCH_SOURCES names them. The next
    round follows the citations of all works but rejected ones. Exit 1 if a source failed.
    """
    from papergraph.records import to_json
    from papergraph.server.local.watch_operations import run_watch
    from papergraph.server.operations.snowball import SnowballOptions, snowball_reports
    from papergraph.store import open_store

    both = not (backward or forward)
    options = SnowballOptions(both or backward, both or forward, rounds, limit, offline)
    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:

        async def work() -> "SnowballReport":
            async with await address.connect() as database:
                watch = await _watch_of(database, collection, str(options), create=not report)
                if not report and await run_watch(chosen, address, database, watch, progress=told) is None:
                    words = f"Another process runs it; papergraph watch log {watch.id} shows its end."
                    raise ConflictError(words, field="collection")
                told.pause()
                return next(one for one in await snowball_reports(database, collection) if one.id == watch.id)

        found = asyncio.run(work())
    if as_json:
        write(to_json(found))
    else:
        _write(found)
    if found.remarks:
        raise typer.Exit(EXIT_FAILED)


async def _watch_of(database: "Database", collection: str, subject: str, *, create: bool) -> "Watch":
    """Return the watch with these options, whose log has the results; a created one is paused and never runs by itself.

    Raises:
        NotFoundError: The watch is missing, and ``create`` is false.
    """
    from papergraph.server.local.watch_operations import add_watch
    from papergraph.server.operations.snowball import KIND
    from papergraph.server.operations.watches import list_watches, pause_watch

    for one in await list_watches(database):
        if (one.kind, one.collection, one.subject) == (KIND, collection, subject):
            return one
    if not create:
        raise NotFoundError("run with these options", subject, field="report")
    id = await add_watch(database, KIND, subject, every_s=EVERY_S, collection=collection)
    return await pause_watch(database, id, is_paused=True)


def _write(found: "SnowballReport") -> None:
    from papergraph.cli.output import write_table

    columns = {
        "round": "number",
        "from": "n_seeds",
        "citations": "n_links",
        "works": "n_works",
        "own": "n_papers",
        "seen": "n_seen",
        "inbox": "n_known",
        "new": "n_new",
        "kept": "n_kept",
        "accepted": "n_accepted",
        "rejected": "n_refused",
    }
    write_table(list(columns), [[str(getattr(one, name)) for name in columns.values()] for one in found.rounds])
    total = 0
    for one in found.rounds:
        total += one.n_new
        bar = "#" * round(BAR * one.share_new)
        write(f"yield of round {one.number}: {bar:{BAR}} {one.share_new:.0%} of its works are new, {total} so far")
    counts = found.counts
    sources = ", ".join(f"{one.source} {one.n_records}" for one in counts.sources)
    write(f"PRISMA, citation searching: identified {counts.identified} ({sources or 'no source'}),")
    write(
        f"  duplicates removed {counts.duplicates}, unknown works {counts.unnamed}, in collection {counts.in_library},"
    )
    write(f"  beyond the limit {counts.beyond_limit}, screened {counts.screened}, excluded {counts.excluded},")
    write(f"  included {counts.included}, waiting {counts.waiting} (papergraph inbox list --source {found.id})")
    for remark in found.remarks:
        say(remark)


GROUP = Group("snowball", Section.PAPERS, 292, app, top=True)
