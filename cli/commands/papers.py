"""``papergraph papers``: list, show, edit, correct, merge, split, open, export, copy and delete papers."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    DryRun,
    Json,
    Quiet,
    Yes,
    confirm,
    say,
    settings,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.request_options import Filter, json_of
from papergraph.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.ingest.graph.edits import Correction, StatedField
    from papergraph.schema.records import Paper
    from papergraph.server.graph.export import WholePaper
    from papergraph.server.papers.bibliographies import ExportedPaper
    from papergraph.server.papers.find import ListedPaper
    from papergraph.server.papers.records import DecidedPaper

Name = Annotated[str, typer.Argument(help="Key, id, DOI, arXiv id or file of a paper.")]
Names = Annotated[list[str], typer.Argument(help="Keys, ids, DOIs, arXiv ids, files or folders.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="Number of papers.", min=1, max=1000)]

app = new_app("List, edit, correct, merge, export and delete papers.")


@app.command("list", epilog="Example: papergraph papers list --text bates --sort year")
def list_papers(
    collection: Collection = DEFAULT_COLLECTION,
    text: Annotated[str, typer.Option(help="Words of the title, the abstract or an author.")] = "",
    filter_: Filter = None,
    sort: Annotated[str, typer.Option(help="title, year, ingested or cited.")] = "title",
    limit: Limit = 50,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List papers."""
    from papergraph.server.papers.find import PaperQuery, PaperSort, listed_papers
    from papergraph.server.retrieval.filters import parse_filter

    if sort not in list(PaperSort):
        raise InputError(f"sort is {sort[:80]!r}; it must be one of {', '.join(PaperSort)}.", field="sort")
    filter = None if filter_ is None else parse_filter(json_of(filter_))
    query = PaperQuery(collection, filter, text, PaperSort(sort)).seen_by(None)

    async def find(database: "Database") -> "tuple[list[ListedPaper], str]":
        async def has_some(other: str) -> bool:
            return bool(await listed_papers(database, replace(query, collection=other), limit=1))

        found = await listed_papers(database, query, limit=limit)
        return found, "" if found or as_json else await _elsewhere(database, collection, has_some)

    found, elsewhere = with_database(find, quiet=quiet or as_json)
    if as_json:
        write_json([asdict(one.paper) | {"authors": one.authors} for one in found])
        return
    if not found:
        say(f"No paper of collection {collection!r} matches.{elsewhere}")
        return
    from papergraph.cli.output import marked, people

    for one in found:
        write(one.paper.title + " [PARTIAL]" * one.paper.is_partial + marked(one.paper.editorial_status))
        about = ", ".join(told for told in (people(one.authors), str(one.paper.year or "")) if told)
        write(f"  {one.paper.key}{f'  ({about})' if about else ''}")
    if len(found) == limit:
        say(f"the first {limit} papers; --limit shows more")


async def _elsewhere(database: "Database", collection: str, has_some: "Callable[[str], Awaitable[bool]]") -> str:
    """Return a sentence that names the other collections with a match; empty if there are none."""
    from papergraph.server.graph.related import list_collections

    others = [one.name for one in await list_collections(database) if one.name != collection]
    found = [name for name in others if await has_some(name)]
    return f" It is in {' and '.join(found)}: add --collection {found[0]}." if found else ""


async def _whole_paper(database: "Database", name: str, collection: str) -> "WholePaper":
    """Return the paper that a name means; the error for an unknown one names the collections that have it."""
    from papergraph.server.graph.export import whole_paper

    async def has_it(other: str) -> bool:
        try:
            await whole_paper(database, name, collection=other)
        except NotFoundError:
            return False
        except InputError:  # several papers
            return True
        return True

    try:
        return await whole_paper(database, name, collection=collection)
    except NotFoundError as error:
        message = f"{error}{await _elsewhere(database, collection, has_it)}"
        raise NotFoundError(error.what, error.value, field=error.field, message=message) from error


@app.command("show")
def show_paper(
    name: Name,
    version: Annotated[int | None, typer.Option(help="Number of an earlier text to print as Markdown.", min=1)] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a paper, its fields and sections."""
    from papergraph.ingest.graph.edits import stated_fields
    from papergraph.server.graph.export import to_markdown
    from papergraph.server.operations.versions import version_of

    async def earlier(database: "Database", number: int) -> "WholePaper":
        return await version_of(database, (await _whole_paper(database, name, collection)).paper.id, number)

    if version is not None:
        text = to_markdown(with_database(lambda one: earlier(one, version), quiet=quiet or as_json))
        if as_json:
            write_json({"version": version, "text": text})
        else:
            write(text)
        return

    async def find(database: "Database") -> "tuple[WholePaper, list[StatedField]]":
        whole = await _whole_paper(database, name, collection)
        return whole, await stated_fields(database, whole.paper.id, collection=collection)

    whole, stated = with_database(find, quiet=quiet or as_json)
    if as_json:
        sections = [{"title": one.title, "level": one.level, "n_chunks": len(one.pieces)} for one in whole.parts]
        fields = [asdict(one) for one in stated]
        write_json(asdict(whole.paper) | {"authors": whole.authors, "sections": sections, "fields": fields})
        return
    write(whole.paper.title)
    write(f"{'key:':9} {whole.paper.key}")
    write(f"{'id:':9} {whole.paper.id}")
    _write_fields(one for one in stated if one.name != "abstract")
    for note in whole.paper.notes:
        write(f"{'PARTIAL:' if whole.paper.is_partial else 'note:':9} {note}")
    for part in whole.parts:
        write(f"{'  ' * part.level}{part.title}  ({len(part.pieces)} chunks)")


@app.command("versions", epilog="Example: papergraph papers versions arxiv:2401.01234")
def versions(
    name: Name, collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Compare earlier texts of a paper with its present one.

    Shows the sections that differ, and quotes of stored answers and highlights that the present text lacks.
    papers show NAME --version 1 prints an earlier text.
    """
    from papergraph.records import to_json
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.versions import BrokenQuote, PaperVersion, broken_quotes, paper_versions

    async def find(database: "Database") -> tuple[list[PaperVersion], list[BrokenQuote]]:
        paper = (await _whole_paper(database, name, collection)).paper
        lost = await broken_quotes(database, everything(), collection=collection, paper=paper.id)
        return await paper_versions(database, paper.id), lost

    found, lost = with_database(find, quiet=quiet or as_json)
    if as_json:
        versions, quotes = ([json.loads(to_json(one)) for one in several] for several in (found, lost))
        write_json({"versions": versions, "brokenQuotes": quotes})
        return
    for one in found:
        arxiv = f", arXiv v{one.arxiv_version}" if one.arxiv_version else ""
        write(f"version {one.number}, replaced {one.replaced_at:%Y-%m-%d %H:%M}{arxiv}: {one.share:.0%} differ")
        for change in one.changes:
            write(f"  {change.change:8} {change.share:>5.0%}  {change.section}")
    for quote in lost:
        words = " ".join(quote.quote.split())
        write(f"{quote.kind} {quote.id[:12]} quotes what is gone: “{words}” {quote.about}".rstrip())
    say(f"earlier versions: {len(found)}; quotes that the present text lacks: {len(lost)}")


@app.command("edit", epilog="Example: papergraph papers edit 10.1000/182 --set year=2015")
def edit(
    name: Name,
    set_: Annotated[list[str] | None, typer.Option("--set", help="FIELD=VALUE; semicolons separate values.")] = None,
    clear: Annotated[list[str] | None, typer.Option(help="Field to empty; repeatable.")] = None,
    undo: Annotated[list[str] | None, typer.Option(help="Field to restore from the sources; repeatable.")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Edit fields of a paper."""
    from papergraph.ingest.graph.edits import edit_paper, stated_fields, value_of

    pairs = [one.partition("=") for one in set_ or ()]
    fields = {field: value_of(field, value) for field, _, value in pairs} | dict.fromkeys(clear or ())
    if not fields and not undo:
        raise InputError("Pass --set, --clear or --undo.", field="set")

    async def change(database: "Database") -> "list[StatedField]":
        id = await _id_of(database, name, collection)
        await edit_paper(database, id, fields, collection=collection, undo=undo or ())
        return await stated_fields(database, id, collection=collection)

    stated = [one for one in with_database(change, quiet=quiet or as_json) if one.name in {*fields, *(undo or ())}]
    if as_json:
        write_json([asdict(one) for one in stated])
    else:
        _write_fields(stated)


def _write_fields(stated: "Iterable[StatedField]") -> None:
    for one in stated:
        value = ", ".join(one.value) if isinstance(one.value, list) else one.value
        write(f"{one.name + ':':9} {'' if value is None else value}  ({one.provider}: {one.source})")


Accept = Annotated[list[str] | None, typer.Option(help="Field whose proposal to store; repeatable.")]
Reject = Annotated[list[str] | None, typer.Option(help="Field whose proposal is wrong; repeatable.")]
Different = Annotated[bool, typer.Option("--different", help="Mark both papers as different instead.")]
Undo = Annotated[bool, typer.Option("--undo", help="Take the mark back.")]


@app.command("corrections", epilog="Example: papergraph papers corrections 10.1000/182 --accept title --reject year")
def corrections(
    names: Annotated[list[str] | None, typer.Argument(help="Papers [those without records].")] = None,
    accept: Accept = None,
    reject: Reject = None,
    undo: Annotated[list[str] | None, typer.Option(help="Field to restore from the sources; repeatable.")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    limit: Limit = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List or store what a catalogue states otherwise.

    Papers are looked up by DOI, arXiv id or title.
    """
    from papergraph.errors import SourceError
    from papergraph.ingest.graph import edits
    from papergraph.ingest.sources import Web

    if (accept or reject or undo) and not names:
        raise InputError("Name the papers whose fields to decide on.", field="names")
    web, refused = Web.opened(settings()), {}

    async def work(database: "Database") -> "dict[str, list[Correction]]":
        ids = [await _id_of(database, name, collection) for name in names or ()]
        found = {}
        for id in ids or await edits.find_bare(database, collection=collection, limit=limit):
            try:
                found[id] = await edits.correct_paper(
                    database, web, id, accept=accept or (), reject=reject or (), undo=undo or (), collection=collection
                )
            except SourceError as error:
                refused[id] = str(error)
        return found

    found = with_database(work, quiet=quiet or as_json)
    if as_json:
        listed = {id: [asdict(one) for one in several] for id, several in found.items()}
        write_json({"corrections": listed, "refused": refused})
        return
    decided = dict.fromkeys(accept or (), "accepted") | dict.fromkeys(reject or (), "rejected")
    for id, several in found.items():
        for one in several:
            old, new = (edits.as_text(value or "") for value in (one.value, one.proposed))
            write(f"{id[:16]}  {one.name}: {old} -> {new}  ({decided.get(one.name, one.source)})")
    for id, told in refused.items():
        say(f"{id[:16]}  {told}")


@app.command("pairs", epilog="Example: papergraph papers pairs --collection reading")
def pairs(
    collection: Collection = DEFAULT_COLLECTION, limit: Limit = 50, as_json: Json = False, quiet: Quiet = False
) -> None:
    """List pairs of papers that may be one."""
    from papergraph.ingest.graph.edits import find_pairs

    found = with_database(
        lambda database: find_pairs(database, collection=collection, limit=limit), quiet=quiet or as_json
    )
    if as_json:
        write_json([asdict(one) for one in found])
        return
    for one in found:
        write(f"same {one.common}{f'; a merge removes {_listed(one.removed)} of one' if one.removed else ''}")
        for key, title, year in zip(one.keys, one.titles, one.years, strict=True):
            write(f"  {title}{f', {year}' if year else ''}  ({key})")


@app.command("merge", epilog="Example: papergraph papers merge 10.1000/182 2401.01234")
def merge(
    name: Name,
    other: Annotated[str, typer.Argument(help="Key, id, DOI, arXiv id or file of the other paper.")],
    different: Different = False,
    undo: Undo = False,
    yes: Yes = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Merge two papers, or mark a pair as different.

    A merge hides one of two texts. Its enrichments are removed; papergraph enrich makes them again after a split.
    """
    from papergraph.ingest.graph.edits import removed_by_merge
    from papergraph.server.operations import papers as operations

    async def work(database: "Database") -> "DecidedPaper | None":
        one, second = [await _id_of(database, each, collection) for each in (name, other)]
        if not different:
            if removed := await removed_by_merge(database, one, second, collection=collection):
                again = f"papergraph enrich --enrichments {','.join(removed)} --collection {collection}"
                told = f"A merge removes {_listed(removed)} of the hidden text. After a split make them again: {again}."
                confirm(f"{told} Merge?", yes=yes, refusal=f"Nothing was merged. {told} Add --yes to merge.")
            return await operations.merge_papers(database, one, second, collections=[collection])
        await operations.decide_pair(database, one, second, undo=undo, collections=[collection])
        return None

    _write_decided(with_database(work, quiet=quiet or as_json), as_json=as_json)


@app.command("split", epilog="Example: papergraph papers split 10.1000/182 library.bib#smith2019")
def split(
    name: Name,
    sources: Annotated[list[str] | None, typer.Argument(help="Names of sources [those merged by hand].")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Undo all merges and splits of the paper.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Split sources from a paper, or undo merges and splits."""
    from papergraph.server.operations import papers as operations

    async def work(database: "Database") -> "DecidedPaper":
        id = await _id_of(database, name, collection)
        if undo:
            return await operations.undo_paper(database, id, collections=[collection])
        return await operations.split_paper(database, id, sources or (), collections=[collection])

    _write_decided(with_database(work, quiet=quiet or as_json), as_json=as_json)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


async def _id_of(database: "Database", name: str, collection: str) -> str:
    return (await _whole_paper(database, name, collection)).paper.id


def _write_decided(one: "DecidedPaper | None", *, as_json: bool) -> None:
    if as_json:
        write_json(None if one is None else asdict(one))
    elif one is not None:
        write("\n".join((f"{one.title}  {one.paper_id}", *(f"  {source}" for source in one.sources))))


@app.command("open", epilog="Example: papergraph papers open 10.1000/182")
def open_paper(
    name: Name,
    only_print: Annotated[bool, typer.Option("--print", help="Print the path or address instead.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Open the file of a paper, otherwise its web page."""
    from papergraph.ingest.graph.stored_papers import sources_of
    from papergraph.server.answers.sources import url_of_paper

    async def find(database: "Database") -> "tuple[Paper, list[str]]":
        paper = (await _whole_paper(database, name, collection)).paper
        sources = await sources_of(database, paper.id, collection=collection)
        return paper, [one["name"] for one in sources if one["kind"] == "text"]

    paper, texts = with_database(find, quiet=quiet)
    place = next((one for one in texts if Path(one).is_file()), None) or url_of_paper(paper)
    if place is None:
        raise NotFoundError("file or address of the paper", name, field="name")
    if only_print:
        write(place)
    else:
        typer.launch(place)


@app.command("export", epilog="Example: papergraph papers export --format bibtex > papers.bib")
def export(
    names: Annotated[list[str] | None, typer.Argument(help="Keys, ids, DOIs, arXiv ids or files [all papers].")] = None,
    format: Annotated[str, typer.Option(help="md (Markdown), bibtex, csl-json, ris or text.")] = "md",
    style: Annotated[str | None, typer.Option(help="Citation style, such as apa or ieee; the format is text.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Folder for Markdown files, one per paper.")] = None,
    notes: Annotated[bool, typer.Option("--notes", help="Add tags as keywords, and notes as notes.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export papers as Markdown or as a bibliography."""
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.annotations import with_annotations
    from papergraph.server.papers.bibliographies import DEFAULT_STYLE, check_format, exported, write_bibliography

    format = "text" if style else check_format(format)
    if format == "md" and folder is None and len(names or ()) != 1 and not as_json:
        raise InputError("Pass --folder for Markdown of several papers.", field="folder")

    async def find(database: "Database") -> "list[ExportedPaper]":
        found = await exported(database, names or (), collection=collection, whole=format == "md")
        if not notes:
            return found
        listed = await with_annotations(database, everything(), [one.listed for one in found])
        return [replace(one, listed=other) for one, other in zip(found, listed, strict=True)]

    found = with_database(find, quiet=quiet or as_json)
    if format != "md":
        text = write_bibliography(format, [one.listed for one in found], style=style or DEFAULT_STYLE)
        if as_json:
            write_json({"collection": collection, "format": format, "n_papers": len(found), "text": text})
        else:
            write(text.rstrip("\n"))
    else:
        _write_markdown(found, folder, one=len(names or ()) == 1, as_json=as_json)


def _write_markdown(found: "Sequence[ExportedPaper]", folder: Path | None, *, one: bool, as_json: bool) -> None:
    from papergraph.server.papers.bibliographies import cite_keys

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for paper, key in zip(found, cite_keys([paper.listed for paper in found]), strict=True):
            (folder / f"{key}.md").write_text(paper.markdown, encoding="utf-8")
    if as_json:
        told = [
            {
                **{name: getattr(paper.listed.paper, name) for name in ("collection", "id", "key", "title")},
                "format": "md",
                "text": paper.markdown,
            }
            for paper in found
        ]
        write_json(told[0] if one else told)
    elif folder is not None:
        write(f"{len(found)} papers in {folder}")
    else:
        write(found[0].markdown.rstrip("\n"))


@app.command("copy", epilog="Example: papergraph papers copy 10.1000/182 --from main --to reading")
def copy(
    names: Annotated[list[str], typer.Argument(help="Ids, keys, DOIs or arXiv ids of 1 to 100 papers.")],
    to: Annotated[str, typer.Option(help="Collection of the copies; a new one is created.")],
    from_: Annotated[str, typer.Option("--from", help="Collection of the papers.")] = DEFAULT_COLLECTION,
    move: Annotated[bool, typer.Option("--move", help="Delete the papers afterwards.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Copy or move papers to another collection.

    Enrichments are not copied; papergraph enrich makes them.
    """
    from papergraph.ingest.originals import Originals
    from papergraph.server.auth.access import everything
    from papergraph.server.operations.papers import copy_papers

    done = with_database(
        lambda database: copy_papers(
            database,
            names,
            from_collection=from_,
            to_collection=to,
            principal=everything(),
            move=move,
            originals=Originals.of(settings()),
        ),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json(asdict(done))
    else:
        for one in done.papers:
            there = "there already:" if one.moved or not move else "stays, with other fields than the one there:"
            write(f"{'copied' if one.copied else there} {one.key}")


@app.command("delete", epilog="Example: papergraph papers delete ~/papers --collection reading")
def delete(
    names: Names,
    collection: Collection = DEFAULT_COLLECTION,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Delete papers and their data, after a question."""
    from papergraph.ingest.ingestor import delete, find_sources
    from papergraph.ingest.originals import Originals

    async def work(database: "Database") -> list[str]:
        keys = list(dict.fromkeys((await find_sources(database, names, collection=collection)).values()))
        if dry_run:
            return keys
        wanted = ", ".join(keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
        refusal = f"Nothing was deleted. Add --yes to delete {wanted} from {collection!r}, or --dry-run to see which."
        confirm(f"Delete {wanted} from {collection!r}?", yes=yes, refusal=refusal)
        return await delete(database, names, collection=collection, originals=Originals.of(settings()))

    keys = with_database(work, quiet=quiet or as_json)
    if as_json:
        write_json({"collection": collection, "deleted": [] if dry_run else keys, "found": keys})
    else:
        write("\n".join(f"{'would delete' if dry_run else 'deleted'} {key}" for key in keys))


GROUP = Group("papers", Section.PAPERS, 24, app)
