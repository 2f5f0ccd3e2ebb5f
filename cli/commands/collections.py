"""``papergraph collections``: list collections, and set their subjects."""

from typing import Annotated

import typer

from cli.common import Json, Quiet, say, with_database, write, write_json
from cli.groups import Group, Section, new_app

app = new_app("List collections and set their subjects.")


@app.command("list")
def list_collections(as_json: Json = False, quiet: Quiet = False) -> None:
    """List collections."""
    from server.graph import related as exploring

    found = with_database(exploring.list_collections, quiet=quiet or as_json)
    if as_json:
        write_json([vars(one) | {"ingested_at": one.ingested_at.isoformat()} for one in found])
        return
    from rich.markup import escape

    from cli.output import write_table

    write_table(
        ("collection", "papers", "chunks", "subject"),
        [(one.name, f"{one.n_papers}", f"{one.n_chunks}", escape(one.subject or "")) for one in found],
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
    from server.answers.subject import set_subject, subject_of

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


GROUP = Group("collections", Section.PAPERS, 25, app)
