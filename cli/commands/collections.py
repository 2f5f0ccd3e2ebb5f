"""``papergraph collections``: list, create, describe and delete collections, and set their subjects."""

from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import DryRun, Json, Quiet, Yes, confirm, say, settings, with_database, write, write_json
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.graph.related import Collection

Name = Annotated[str, typer.Argument(help="Name of the collection.")]
Title = Annotated[str | None, typer.Option(help="Title for people; '' for the name.")]
Description = Annotated[str | None, typer.Option(help="Use of the collection; '' for none.")]

app = new_app("List, create, describe and delete collections.")


@app.command("list")
def list_collections(as_json: Json = False, quiet: Quiet = False) -> None:
    """List collections."""
    from papergraph.server.graph import related as exploring

    found = with_database(exploring.list_collections, quiet=quiet or as_json)
    if as_json:
        write_json([vars(one) | {"ingested_at": one.ingested_at.isoformat()} for one in found])
        return
    from rich.markup import escape

    from papergraph.cli.output import write_table

    write_table(
        ("collection", "title", "papers", "chunks", "subject"),
        [
            (
                one.name,
                escape("" if one.title == one.name else one.title),
                f"{one.n_papers}",
                f"{one.n_chunks}",
                escape(one.subject or ""),
            )
            for one in found
        ],
    )


@app.command("subject", epilog='Example: papergraph collections subject main "quantum error correction"')
def subject(
    collection: Annotated[str, typer.Argument(help="Name of the collection.")],
    text: Annotated[str | None, typer.Argument(help="Subject; '' removes it, without one it is printed.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Set the subject of a collection.

    The server refuses questions outside the subject as out of scope.
    """
    from papergraph.server.answers.follow_up import set_subject, subject_of

    if text is None:
        found = with_database(lambda database: subject_of(database, collection), quiet=quiet or as_json)
    else:
        found = with_database(lambda database: set_subject(database, collection, text), quiet=quiet or as_json)
    if as_json:
        write_json({"collection": collection, "subject": found})
    elif text is None:
        write(found or "")
    else:
        say(f"{collection}: {found}" if found else f"{collection} has no subject now")


@app.command("create", epilog='Example: papergraph collections create reading --title "To read"')
def create(
    collection: Name, title: Title = None, description: Description = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Create an empty collection."""
    from papergraph.server.operations.collections import create_collection

    made = with_database(
        lambda database: create_collection(database, collection, title, description), quiet=quiet or as_json
    )
    _show(made, as_json=as_json)


@app.command("describe", epilog='Example: papergraph collections describe reading --title "Read"')
def describe(
    collection: Name, title: Title = None, description: Description = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Change the title or the description of a collection."""
    from papergraph.server.operations.collections import describe_collection

    told = with_database(
        lambda database: describe_collection(database, collection, title, description), quiet=quiet or as_json
    )
    _show(told, as_json=as_json)


@app.command("delete")
def delete(
    collection: Name, yes: Yes = False, dry_run: DryRun = False, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Delete a collection with its papers, after a question."""
    from papergraph.ingest.originals import Originals
    from papergraph.server.operations.collections import delete_collection, find_collection

    async def work(database: "Database") -> tuple[int, int]:
        n_found = (await find_collection(database, collection)).n_papers
        if dry_run:
            return n_found, 0
        whole = f"the collection {collection!r} with {n_found} papers"
        confirm(f"Delete {whole}?", yes=yes, refusal=f"Nothing was deleted. Add --yes to delete {whole}.")
        originals, n_deleted = Originals.of(settings()), 0
        while True:
            done = await delete_collection(database, collection, originals=originals)
            n_deleted += done.n_deleted
            if not done.n_left:
                return n_found, n_deleted

    n_found, n_deleted = with_database(work, quiet=quiet or as_json)
    if as_json:
        write_json({"collection": collection, "deleted": n_deleted, "found": n_found})
    elif dry_run:
        write(f"would delete {collection}: {n_found} papers")
    else:
        write(f"deleted {collection}: {n_deleted} papers")


def _show(found: "Collection", *, as_json: bool) -> None:
    if as_json:
        write_json(vars(found) | {"ingested_at": found.ingested_at.isoformat()})
    else:
        write(f"{found.name}: {found.title}")


GROUP = Group("collections", Section.PAPERS, 25, app)
