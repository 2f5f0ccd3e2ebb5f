"""``papergraph notes``: tags, notes, stars, reading states and highlights of papers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    say,
    settings,
    with_database,
    write,
    write_records,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.server.papers.annotations import Annotation

Papers = Annotated[list[str], typer.Argument(help="Keys, ids, DOIs or arXiv ids of papers.")]
Paper = Annotated[str | None, typer.Argument(help="Key, id, DOI or arXiv id of a paper [all].")]
Tag = Annotated[str | None, typer.Option(help="Name of a tag.")]

app = new_app("Tag, star, annotate and highlight papers.")


@app.command("list", epilog="Example: papergraph notes list --kind highlight --text annealing")
def list_notes(
    paper: Paper = None,
    kind: Annotated[list[str] | None, typer.Option(help="tag, note, star, state or highlight; repeatable.")] = None,
    tag: Tag = None,
    text: Annotated[str, typer.Option(help="Words of the text, the quote or the title.")] = "",
    collection: Collection = DEFAULT_COLLECTION,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of entries.", min=1, max=10_000)] = 100,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List tags, notes, stars, states and highlights.

    Exit 3 if there are none.
    """
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.annotations import list_annotations
    from papergraph.server.papers.annotations import AnnotationKind, AnnotationQuery

    if unknown := [one for one in kind or () if one not in list(AnnotationKind)]:
        raise InputError(f"{unknown[0][:40]!r} is no kind. Kinds: {', '.join(AnnotationKind)}.", field="kind")
    kinds = [AnnotationKind(one) for one in kind] if kind else None

    async def find(database: "Database") -> "list[Annotation]":
        ids = await ids_of(database, [paper], collection) if paper else None
        query = AnnotationQuery(collection, ids, kinds=kinds, tag=tag, text=text)
        return await list_annotations(database, everything(), query, first=limit)

    found = with_database(find, quiet=quiet or as_json)
    _write(found, as_json)
    if not found:
        say("No tag, note, star, state or highlight matches.")
        raise typer.Exit(EXIT_NOTHING_FOUND)


@app.command("add", epilog="Example: papergraph notes add 10.1000/182 --tag annealing --star")
def add(
    papers: Papers,
    tag: Annotated[list[str] | None, typer.Option(help="Tag; repeatable.")] = None,
    note: Annotated[str | None, typer.Option(help="Text of a note, in Markdown.")] = None,
    star: Annotated[bool, typer.Option("--star", help="Star the papers.")] = False,
    state: Annotated[str | None, typer.Option(help="to-read, reading or read.")] = None,
    quote: Annotated[str | None, typer.Option(help="Words of the paper to highlight.")] = None,
    comment: Annotated[str, typer.Option(help="Comment of the highlight.")] = "",
    shared: Annotated[bool, typer.Option("--shared", help="Share it with the collection.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add tags, a note, a star, a state or a highlight."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.annotations import NewAnnotation, annotate
    from papergraph.server.papers.annotations import AnnotationKind

    wanted = [(AnnotationKind.TAG, one, "") for one in tag or ()]
    wanted += [(AnnotationKind.NOTE, note, "")] if note is not None else []
    wanted += [(AnnotationKind.STAR, "", "")] if star else []
    wanted += [(AnnotationKind.STATE, state, "")] if state is not None else []
    wanted += [(AnnotationKind.HIGHLIGHT, comment, quote)] if quote is not None else []
    if not wanted:
        raise InputError("Pass --tag, --note, --star, --state or --quote.", field="tag")

    async def work(database: "Database") -> "list[Annotation]":
        ids, made = await ids_of(database, papers, collection), []
        for kind, text, words in wanted:
            one = NewAnnotation(papers=ids, kind=kind, text=text, quote=words, shared=shared)
            made += await annotate(database, everything(), one)
        return made

    _write(with_database(work, quiet=quiet or as_json), as_json)


@app.command("delete", epilog="Example: papergraph notes delete NOTE_ID")
def delete(
    ids: Annotated[list[str], typer.Argument(help="Ids, as list --json shows them.")], quiet: Quiet = False
) -> None:
    """Delete entries by id."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.annotations import delete_annotations

    gone = with_database(lambda database: delete_annotations(database, everything(), ids), quiet=quiet)
    write(f"deleted: {len(gone.ids)}")


@app.command("export", epilog="Example: papergraph notes export --output notes.md")
def export(
    paper: Paper = None,
    tag: Tag = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File [standard output].")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Export them as Markdown."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.annotations import export_annotations
    from papergraph.server.papers.annotations import AnnotationQuery

    async def work(database: "Database") -> str:
        ids = await ids_of(database, [paper], collection) if paper else None
        return (await export_annotations(database, everything(), AnnotationQuery(collection, ids), tag=tag)).text

    text = with_database(work, quiet=quiet)
    if output is None:
        write(text.rstrip("\n"))
    else:
        output.write_text(text, encoding="utf-8")


@app.command("pdf", epilog="Example: papergraph notes pdf 10.1000/182 marked.pdf")
def save_pdf(
    paper: Annotated[str, typer.Argument(help="Key, id, DOI or arXiv id of a paper.")],
    output: Annotated[Path, typer.Argument(help="File to write.")],
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Save a paper's PDF with its notes and highlights.

    Other readers show them as annotations of the PDF.
    """
    from papergraph.ingest.originals import Originals
    from papergraph.schema.records import Paper
    from papergraph.server.auth.access import everything
    from papergraph.server.graph.nodes import node_by_id
    from papergraph.server.operations.annotations import annotated_pdf

    async def work(database: "Database") -> bytes:
        (id,) = await ids_of(database, [paper], collection)
        found = await node_by_id(database, id, Paper)
        return await annotated_pdf(database, everything(), Originals.of(settings()), found)

    output.write_bytes(with_database(work, quiet=quiet))
    write(f"wrote {output}")


async def ids_of(database: "Database", names: list[str], collection: str) -> list[str]:
    """Return the ids of papers by keys, ids, DOIs or arXiv ids."""
    from papergraph.schema.ids import ID
    from papergraph.schema.records import Paper
    from papergraph.server.graph.nodes import node_by_id, paper_by_key

    found = []
    for name in names:
        if ID.fullmatch(name):
            found.append((await node_by_id(database, name, Paper)).id)
        else:
            found.append((await paper_by_key(database, name, collection=collection)).id)
    return found


def _write(found: "list[Annotation]", as_json: bool) -> None:
    if as_json:
        write_records(found)
        return
    from papergraph.cli.output import marked

    for one in found:
        told = " ".join(filter(None, (f"{one.kind}:", one.text, f"“{one.quote}”" if one.quote else "")))
        write(f"{told}  ({one.paper_title}){marked(one.paper_status)}{'' if one.shared else '  private'}")


GROUP = Group("notes", Section.PAPERS, 30, app)
