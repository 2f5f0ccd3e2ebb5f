"""``papergraph inbox``: works that watches found."""

import asyncio
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
    write_records,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.server.operations.inbox import InboxItem

Ids = Annotated[list[str], typer.Argument(help="Ids of items, or their beginnings.")]

app = new_app("Accept or reject papers that watches found.")


@app.command("list", epilog="Example: papergraph inbox list --collection reading -n 10")
def list_(
    collection: Collection = DEFAULT_COLLECTION,
    state: Annotated[list[str] | None, typer.Option(help="new, accepted, rejected or never; repeatable [new].")] = None,
    source: Annotated[str | None, typer.Option(help="Id of the watch that found them [any].")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of items.", min=1, max=10_000)] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List new papers, those that are likely accepted first.

    Exit 3 if there are none.
    """
    from papergraph.server.operations.inbox import InboxState, list_inbox

    if unknown := [one for one in state or () if one not in list(InboxState)]:
        raise InputError(f"{unknown[0][:40]!r} is no state. States: {', '.join(InboxState)}.", field="state")
    states = [InboxState(one) for one in state or (InboxState.NEW,)]
    found = with_database(
        lambda one: list_inbox(one, collection, states=states, source=source, first=limit), quiet=quiet or as_json
    )
    _write(found, as_json=as_json)
    if not found:
        say(f"The inbox of {collection!r} has no such items; papergraph watch add query brings papers.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _write(found: "list[InboxItem]", *, as_json: bool) -> None:
    if as_json:
        write_records(found)
        return
    for one in found:
        names = f"{', '.join(one.authors[:3])}{' et al.' if len(one.authors) > 3 else ''}"
        id = f"doi:{one.doi}" if one.doi else f"arxiv:{one.arxiv_id}" if one.arxiv_id else ""
        write(f"{one.id[:8]}  {one.score:.2f}  {one.title}")
        write("          " + "; ".join(filter(None, (names, str(one.year or ""), id, ", ".join(one.sources)))))
        why = [f"words {' '.join(one.words)}"] if one.words else []
        why += [f"near «{near.title}» ({near.score:.2f})" for near in one.near[:1]]
        if why:
            write(f"          {'; '.join(why)}")


def _decide(ids: list[str], state: str, collection: str, *, as_json: bool, quiet: bool) -> None:
    from papergraph.database import Database
    from papergraph.records import to_json
    from papergraph.server.operations.inbox import InboxDecision, InboxState, decide_inbox, find_ids

    async def work(database: Database) -> InboxDecision:
        return await decide_inbox(database, await find_ids(database, collection, ids), InboxState(state))

    done = with_database(work, quiet=quiet or as_json)
    write(to_json(done) if as_json else f"{state}: {len(done.ids)}")


@app.command("reject", epilog="Example: papergraph inbox reject 1a2b3c4d")
def reject(ids: Ids, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Reject items; they return if another source finds them."""
    _decide(ids, "rejected", collection, as_json=as_json, quiet=quiet)


@app.command("never", epilog="Example: papergraph inbox never 1a2b3c4d")
def never(ids: Ids, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Reject items, even if another source finds them."""
    _decide(ids, "never", collection, as_json=as_json, quiet=quiet)


@app.command("restore", epilog="Example: papergraph inbox restore 1a2b3c4d")
def restore(ids: Ids, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Take decisions back."""
    _decide(ids, "new", collection, as_json=as_json, quiet=quiet)


@app.command("accept", epilog="Example: papergraph inbox accept 1a2b3c4d --text")
def accept(
    ids: Ids,
    text: Annotated[bool, typer.Option("--text", help="Fetch texts, too: from arXiv, or open-access PDFs.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Accept items: ingest them as papers."""
    from papergraph.server.local.inbox_operations import accept_items
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        accepted, failures = asyncio.run(
            accept_items(chosen, address, ids, collection=collection, with_text=text, progress=told)
        )
    if as_json:
        write_json({"ids": accepted, "state": "accepted", "failures": failures})
    else:
        write(f"accepted: {len(accepted)}")
        for line in failures:
            say(line)
    if failures:
        raise typer.Exit(EXIT_FAILED)


GROUP = Group("inbox", Section.PAPERS, 291, app)
