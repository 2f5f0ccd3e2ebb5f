"""``papergraph authors``: list, merge, split and undo."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import DEFAULT_COLLECTION, Collection, Json, Quiet, show, with_database, write, write_json
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.ingest.graph.authors import ListedAuthor

Author = Annotated[str, typer.Argument(help="Name, ORCID or id of an author.")]

app = new_app("List, merge and split authors.")


@app.command("list")
def list_(
    words: Annotated[str, typer.Argument(help="Part of the name.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of authors.")] = 50,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List authors, those with most papers first."""
    from papergraph.ingest.graph.authors import list_authors

    found = with_database(
        lambda database: list_authors(database, collection=collection, words=words, limit=limit),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json([asdict(one) for one in found])
        return
    from papergraph.cli.output import write_table

    rows = [(one.name, str(len(one.papers)), one.key or "", ", ".join(one.aliases), one.id) for one in found]
    write_table(("name", "papers", "key", "also", "id"), rows)


@app.command("merge", epilog="Example: papergraph authors merge 'D. Bates' 'Douglas Bates'")
def merge(
    author: Author,
    into: Annotated[str, typer.Argument(help="Name, ORCID or id of the author that remains.")],
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mark two authors as one person."""
    from papergraph.ingest.graph.authors import merge_authors

    found = with_database(
        lambda database: merge_authors(database, author, into, collection=collection), quiet=quiet or as_json
    )
    show(found, _write_author, as_json=as_json)


@app.command("split", epilog="Example: papergraph authors split 'Wei Wang' 10.1000/182")
def split(
    author: Author,
    papers: Annotated[list[str], typer.Argument(help="Keys, ids, DOIs or arXiv ids of papers of another person.")],
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Mark the author of some papers as another person."""
    from papergraph.ingest.graph.authors import split_author

    found = with_database(
        lambda database: split_author(database, author, papers, collection=collection), quiet=quiet or as_json
    )
    show(found, _write_author, as_json=as_json)


@app.command("undo", epilog="Example: papergraph authors undo 'Douglas Bates'")
def undo(
    author: Author, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Undo all merges and splits of an author."""
    from papergraph.ingest.graph.authors import undo_author

    number = with_database(
        lambda database: undo_author(database, author, collection=collection), quiet=quiet or as_json
    )
    if as_json:
        write_json({"author": author, "undone": number})
    else:
        write(f"{number} decisions undone")


def _write_author(one: "ListedAuthor") -> None:
    write(f"{one.name}{f' ({one.key})' if one.key else ''}  {one.id}")
    for paper in one.papers:
        write(f"  {paper['title']}  ({paper['key']})")


GROUP = Group("authors", Section.PAPERS, 27, app)
