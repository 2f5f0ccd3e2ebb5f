"""``papergraph papers``: list, show, export and delete papers."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    Json,
    Quiet,
    progress,
    settings,
    with_database,
    write,
    write_json,
)
from cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.database import Database
    from schema.records import Paper
    from server.graph.export import WholePaper

Name = Annotated[str, typer.Argument(help="Key, id, DOI, arXiv id or file of a paper.")]
Names = Annotated[list[str], typer.Argument(help="Keys, ids, DOIs, arXiv ids, files or folders.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="Number of papers.", min=1, max=1000)]

app = new_app("List, show, export and delete papers.")


@app.command("list")
def list_papers(
    collection: Collection = DEFAULT_COLLECTION, limit: Limit = 50, as_json: Json = False, quiet: Quiet = False
) -> None:
    """List papers."""
    from server.graph import nodes

    async def find(database: "Database") -> "list[Paper]":
        return await nodes.list_papers(database, collection=collection, limit=limit)

    found = with_database(find, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(paper) for paper in found])
        return
    from cli.output import write_table

    write_table(("key", "year", "title"), [(one.key, str(one.year or ""), one.title) for one in found])


@app.command("show")
def show_paper(
    name: Name, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Show a paper and its sections."""
    whole = _whole(name, collection, quiet=quiet or as_json)
    if as_json:
        sections = [{"title": one.title, "level": one.level, "n_chunks": len(one.pieces)} for one in whole.parts]
        write_json(asdict(whole.paper) | {"authors": whole.authors, "sections": sections})
        return
    paper = whole.paper
    about = {
        "key": paper.key,
        "id": paper.id,
        "authors": ", ".join(whole.authors),
        "year": paper.year,
        "doi": paper.doi,
    }
    write(paper.title)
    for field, value in about.items():
        if value:
            write(f"{field + ':':9} {value}")
    for one in whole.parts:
        write(f"{'  ' * one.level}{one.title}  ({len(one.pieces)} chunks)")


@app.command("export", epilog="Example: papergraph papers export arXiv:2401.01234 > paper.md")
def export(
    name: Name,
    format: Annotated[str, typer.Option(help="Format; md is Markdown.")] = "md",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export a paper as Markdown."""
    from server.graph.export import check_format, to_markdown

    check_format(format)
    whole = _whole(name, collection, quiet=quiet or as_json)
    text, paper = to_markdown(whole), whole.paper
    if as_json:
        about = {"collection": paper.collection, "id": paper.id, "key": paper.key, "title": paper.title}
        write_json({**about, "format": format, "text": text})
    else:
        write(text.rstrip("\n"))


@app.command("delete", epilog="Example: papergraph papers delete ~/papers --collection reading")
def delete(
    names: Names, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Delete papers and their data."""
    from papergraph.store import open_store
    from server import store_operations as working

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        keys = asyncio.run(working.delete_papers(chosen, address, names, collection=collection))
        told.pause()
    if as_json:
        write_json({"collection": collection, "deleted": keys})
    else:
        write("\n".join(f"deleted {key}" for key in keys))


def _whole(name: str, collection: str, *, quiet: bool) -> "WholePaper":
    from papergraph.store import open_store
    from server import store_operations as working

    chosen = settings()
    with progress(quiet=quiet) as told, open_store(chosen, progress=told) as address:
        return asyncio.run(working.export_paper(address, name, collection=collection))


GROUP = Group("papers", Section.PAPERS, 24, app)
