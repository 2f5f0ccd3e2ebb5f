"""``papergraph check``: citations of a draft, bibliographies, and retractions and newer versions of papers."""

import asyncio
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Annotated, Any

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_FAILED,
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
from papergraph.cli.request_options import Server
from papergraph.errors import InputError

VERDICTS = {
    "supported": "supported",
    "partly": "only partly supported",
    "contradicts": "contradicted",
    "not_said": "not said",
    "unchecked": "cannot be checked",
    "suggested": "suggested citation",
}
STYLE = (
    "body{font:1rem/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "article{border-left:.3rem solid #999;padding:.2rem 1rem;margin:1rem 0}.contradicts{border-color:#b00}"
    ".supported{border-color:#080}.partly,.not_said{border-color:#c80}blockquote{margin:.3rem 1rem;color:#333}"
)

app = new_app("Check drafts, bibliographies and papers.")


@app.command("draft", epilog="Example: papergraph check draft paper.tex --bib refs.bib --html report.html")
def draft(
    file: Annotated[Path, typer.Argument(help="Draft: .md, .tex or .docx.")],
    bib: Annotated[Path | None, typer.Option(help="BibTeX file.")] = None,
    suggest: Annotated[bool, typer.Option("--suggest", help="Suggest citations for uncited sentences.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with all quotes to this file.")] = None,
    fail_on: Annotated[
        list[str] | None, typer.Option(help="Verdict that makes the exit status 1 [contradicts]; repeatable.")
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    server: Server = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare each citation of a draft with its paper.

    Verdicts: supported, partly, contradicts, not_said, and unchecked if the paper or its text is not in the collection.
    """
    from papergraph.cli.client import request
    from papergraph.evaluation.report import check_folder

    check_folder(html, field="html")
    if missing := next((one for one in (file, bib) if one is not None and not one.is_file()), None):
        raise InputError(f"There is no file {missing}.", field="bib" if missing == bib else "file")
    failing = fail_on or ["contradicts"]
    if unknown := sorted(set(failing) - set(VERDICTS)):
        raise InputError(f"{unknown[0][:80]!r} is no verdict: {', '.join(VERDICTS)}.", field="fail-on")
    asked = {**_content(file), "name": file.name, "collection": collection, "suggest": suggest}
    asked["bibliography"] = "" if bib is None else bib.read_text(encoding="utf-8", errors="replace")
    report = request("/drafts", asked, server=server, quiet=quiet or as_json)
    if html is not None:
        html.write_text(page_of(report), encoding="utf-8")
    if as_json:
        write_json(report)
    else:
        _write(report)
    if any(one["verdict"] in failing for one in report["citations"]):
        raise typer.Exit(EXIT_FAILED)


@app.command("retractions", epilog="Example: papergraph check retractions --csv retraction_watch.csv")
def retractions(
    csv: Annotated[Path | None, typer.Option(help="Table of Retraction Watch.")] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look up retractions and corrections of all papers.

    Asks Crossref and OpenAlex by DOI if PAPERGRAPH_FETCH_CATALOGUES is true. The status is stored on the paper. The
    exit status is 1 if a paper was found retracted or questioned since the last check, or a source failed.
    """
    from papergraph.cli.output import write_table
    from papergraph.ingest.sources import Web
    from papergraph.ingest.sources.editorial import RetractionWatch
    from papergraph.records import to_json
    from papergraph.server.operations.retractions import check_retractions

    table = RetractionWatch(csv) if csv else None
    catalogues = Web.opened(settings()).catalogues
    report = with_database(
        lambda database: check_retractions(database, collection, catalogues=catalogues, table=table),
        quiet=quiet or as_json,
    )
    if as_json:
        write(to_json(report))
    else:
        rows = [(one.title, one.status + " (new)" * one.is_new, one.date, one.doi) for one in report.papers]
        if rows:
            write_table(("title", "status", "date", "doi"), rows)
        for answer in report.answers:
            write(f"answer {answer.id} quotes {len(answer.paper_ids)} of them: {answer.question}")
        told = ", ".join(f"{n} {status}" for status, n in sorted(Counter(one.status for one in report.papers).items()))
        say(f"{report.n_checked} DOIs checked: {told or 'nothing is known against them'}")
        for failure in report.failures:
            say(failure)
    if report.failures or any(one.is_new and one.status in ("retracted", "concern") for one in report.papers):
        raise typer.Exit(EXIT_FAILED)


@app.command("references", epilog="Example: papergraph check references refs.bib --fail-on retracted")
def references(
    file: Annotated[Path, typer.Argument(help="Bibliography: .bib, .ris, .json (CSL), .enw, .nbib or .csv.")],
    csv: Annotated[Path | None, typer.Option(help="Table of Retraction Watch.")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Use the collection and the table only.")] = False,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(help="Result with exit status 1 [retracted, mismatch, not_found]."),
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check whether works of a bibliography exist.

    Each entry is compared with the collection, Crossref, OpenAlex and arXiv: exists, mismatch (the DOI is of another
    title), title_found (the title has another DOI), not_found or unchecked; and retracted, concern, corrected or
    reinstated. A similar title alone is no proof.
    """
    from papergraph.ingest.sources import Web
    from papergraph.ingest.sources.editorial import RetractionWatch, Status
    from papergraph.ingest.sources.records import read_bibliography
    from papergraph.records import to_json
    from papergraph.server.operations.references import ReferenceVerdict, Sources, check_references

    failing, known = fail_on or ["retracted", "mismatch", "not_found"], [*ReferenceVerdict, *Status]
    if unknown := sorted(set(failing) - set(known)):
        raise InputError(f"{unknown[0][:80]!r} is no result: {', '.join(known)}.", field="fail-on")
    entries, refused = read_bibliography(file)
    sources = Sources(table=RetractionWatch(csv) if csv else None, failures=dict.fromkeys(map(str, refused)))
    if not offline:
        web = Web.opened(settings())
        sources.catalogues, sources.arxiv = web.catalogues, web.arxiv
        if web.catalogues is None:
            told = "Catalogues are disabled. Set PAPERGRAPH_FETCH_CATALOGUES=true, or add --offline."
            raise InputError(told, field="offline")
    report = with_database(
        lambda database: check_references(database, entries, sources, collection=collection), quiet=quiet or as_json
    )
    counts = report.count()
    if as_json:
        write(to_json(report))
    else:
        for one in report.references:
            status = f", {one.status.upper()} {one.date or ''}".rstrip() if one.status else ""
            detail = f": {one.detail}" if one.detail else ""
            write(f"{file.name}:{one.line} {one.key or one.title[:60]}: {one.verdict}{status}{detail}")
        say(f"{len(report.references)} entries: {', '.join(f'{n} {name}' for name, n in counts.most_common())}")
        for failure in report.failures:
            say(failure)
    if report.failures or any(counts[name] for name in failing):
        raise typer.Exit(EXIT_FAILED)


@app.command("versions", epilog="Example: papergraph check versions --collection reading --update")
def versions(
    update: Annotated[bool, typer.Option("--update", help="Ingest newer versions of arXiv.")] = False,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look for newer versions of all papers.

    Asks arXiv and Crossref if PAPERGRAPH_WATCH_SOURCES names them: newer versions at arXiv, and articles of preprints.
    The exit status is 1 if there are some, or a source failed.
    """
    from papergraph.cli.output import write_table
    from papergraph.ingest.chunkers import ChunkOptions
    from papergraph.ingest.fetch.works import WorkCatalogues
    from papergraph.records import to_json
    from papergraph.server.local.store_operations import IngestCommand, ingest_papers
    from papergraph.server.operations.new_versions import VersionKind, find_new_versions, in_words
    from papergraph.store import open_store

    catalogues = WorkCatalogues.opened(settings())
    report = with_database(lambda one: find_new_versions(one, collection, catalogues), quiet=quiet or as_json)
    names = [one.source for one in report.versions if one.kind is VersionKind.ARXIV] if update else []
    if as_json:
        write(to_json(report))
    else:
        rows = [(one.title, one.known, one.found, one.source, "here" * one.in_collection) for one in report.versions]
        if rows:
            write_table(("title", "known", "newer", "source", ""), rows)
        say(in_words(report))
        for failure in report.failures:
            say(failure)
    if names:
        wanted = IngestCommand(names, collection, ChunkOptions())
        with progress(quiet=quiet or as_json) as told, open_store(settings(), progress=told) as address:
            done = asyncio.run(ingest_papers(settings(), address, wanted, dask=None, budget=None, progress=told))
        for item in done.items:
            say(f"{item.source}: {item.outcome or item.reason} {item.detail or ''}".rstrip())
    if report.versions or report.failures:
        raise typer.Exit(EXIT_FAILED)


def _content(file: Path) -> dict[str, str]:
    """Return the file as a request holds it, LaTeX with its parts.

    Raises:
        SourceError: The file cannot be read.
    """
    from papergraph.ingest.sources.tex import LatexFile
    from papergraph.settings import Settings

    if file.suffix.lower() == ".tex":
        whole = LatexFile(str(file.resolve())).read(max_bytes=Settings().ingest.max_file_bytes)
        return {"text": whole.data.decode()}
    return {"data": b64encode(file.read_bytes()).decode()}


def _write(report: Mapping[str, Any]) -> None:
    from papergraph.cli.output import write_table

    rows = [
        (str(one["number"]), one["sentence"], one["cited"] or one["detail"], _told(one), _quoted(one["quotes"]))
        for one in report["citations"]
    ]
    write_table(("#", "sentence", "citation", "verdict", "quote"), rows)
    say(_summary(report))


def _told(one: Mapping[str, Any]) -> str:
    verdict = VERDICTS[one["verdict"]]
    return f"{verdict}: {one['detail']}" if one["detail"] and one["cited"] else verdict


def _quoted(quotes: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"“{' '.join(one['text'].split())}”{_page(one)}" for one in quotes)


def _page(quote: Mapping[str, Any]) -> str:
    return f" (p. {quote['page']})" if quote["page"] else ""


def _summary(report: Mapping[str, Any]) -> str:
    counts = Counter(one["verdict"] for one in report["citations"])
    told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in VERDICTS.items() if counts[verdict])
    left_out = f"; {report['leftOut']} citations beyond the limit were not checked" if report["leftOut"] else ""
    return f"{report['nSentences']} sentences: {told or 'no citation was found'}{left_out}"


def page_of(report: Mapping[str, Any]) -> str:
    """Return the report as one HTML page."""
    name = escape(report["name"])
    articles = "".join(
        f'<article class="{one["verdict"]}"><p><b>{escape(_told(one))}</b> [{escape(one["cited"])}] '
        f"{escape(one['paperTitle'] or one['reference'])}</p><p>{one['number']}. {escape(one['sentence'])}</p>"
        + "".join(f"<blockquote>{escape(quote['text'])}{_page(quote)}</blockquote>" for quote in one["quotes"])
        + "</article>"
        for one in report["citations"]
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Citations of {name}</title>'
        f"<style>{STYLE}</style><h1>Citations of {name}</h1><p>{escape(_summary(report))}</p>{articles}</html>\n"
    )


GROUP = Group("check", Section.QUERY, 36, app)
