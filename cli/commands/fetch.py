"""``papergraph fetch``: papers and pages into a folder, to be ingested."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import EXIT_PARTIAL, Json, Quiet, progress, settings, show
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError, OutboundError

if TYPE_CHECKING:
    from papergraph.ingest.fetch.arxiv import RequestedPaper

Folder = Annotated[Path, typer.Argument(help="Folder of the files; one search or site each.")]
Phrase = Annotated[str, typer.Argument(help="Phrase; optional with --category.")]
Field = Annotated[str, typer.Option("--field", help="all, title, abstract, author, comment or journal.")]
Category = Annotated[list[str] | None, typer.Option(help="Category such as quant-ph or cs.*; repeatable.")]
Since = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First date of submission.")]
Until = Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last date of submission.")]
Sort = Annotated[str, typer.Option(help="relevance, submitted or updated.")]
MaxPapers = Annotated[int, typer.Option("--max", help="Maximum number of papers.")]
Pdf = Annotated[bool, typer.Option("--pdf", help="Download the PDF files.")]
Source = Annotated[bool, typer.Option("--source", help="Download the LaTeX sources instead.")]
Versions = Annotated[bool, typer.Option("--versions", help="Add versions, licence and submitter.")]
Citations = Annotated[str | None, typer.Option(help="Add references from this service: openalex.")]
Url = Annotated[str, typer.Argument(help="First page.")]
Scope = Annotated[str, typer.Option(help="Links to follow: host, or folder for pages below the first.")]
Depth = Annotated[int, typer.Option(help="Maximum number of links from the first page.")]
MaxPages = Annotated[int, typer.Option("--max", help="Maximum number of pages.")]
Delay = Annotated[float, typer.Option("--delay", help="Minimum seconds between requests.")]

app = new_app("Download papers or pages into a folder.")


@app.command(
    epilog='Example: papergraph fetch arxiv ~/topic "surface code" --category quant-ph --pdf; papergraph ingest ~/topic'
)
def arxiv(
    into: Folder,
    phrase: Phrase = "",
    where: Field = "all",
    category: Category = None,
    since: Since = None,
    until: Until = None,
    sort: Sort = "relevance",
    most: MaxPapers = 100,
    pdf: Pdf = False,
    source: Source = False,
    versions: Versions = False,
    citations: Citations = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Download papers from arXiv into a folder.

    Run the command again to resume it, or to download new papers.
    """
    from papergraph.cli.output import write_collection
    from papergraph.ingest.fetch.arxiv import FetchOptions, Search, collect
    from papergraph.ingest.sources import Web
    from papergraph.ingest.sources.openalex import OpenAlex

    search = Search.choose(
        phrase,
        where=where,
        categories=category or (),
        since=since.date() if since else None,
        until=until.date() if until else None,
        sort=sort,
    )
    chosen, wanted = settings(), _wanted(pdf=pdf, source=source)
    if citations is not None and citations != "openalex":
        raise InputError(f"There is no source of citations {citations[:40]!r}. Use openalex.", field="citations")
    web = Web.opened(chosen)
    key = chosen.fetch.openalex_key.get_secret_value()
    openalex = OpenAlex(web.outside, url=chosen.mirrors.openalex, key=key) if citations else None
    with progress(quiet=quiet or as_json) as told:
        with _kept_in(into):
            found = collect(
                web.arxiv,
                search,
                into,
                FetchOptions(most, wanted, versions, openalex, chosen.ingest.max_file_bytes),
                progress=told,
            )
        told.pause()
        show(found, write_collection, as_json=as_json)
    if found.missing:
        raise typer.Exit(EXIT_PARTIAL)


@app.command(epilog="Example: papergraph fetch crawl ~/site https://example.org/docs/ --scope folder")
def crawl(
    into: Folder,
    url: Url,
    scope: Scope = "host",
    depth: Depth = 3,
    most: MaxPages = 100,
    delay_s: Delay = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Download pages of a website into a folder.

    Obey robots.txt and skip pages without text. Run the command again to resume it.
    """
    from papergraph.cli.output import write_crawl
    from papergraph.ingest.fetch import crawl as crawling
    from papergraph.outbound import open_outside

    chosen = settings()
    bounds = crawling.Bounds.choose(scope, depth=depth, most=most, delay_s=delay_s)
    with progress(quiet=quiet or as_json) as told:
        with _kept_in(into):
            found = crawling.crawl(
                open_outside(chosen, private=True),
                url,
                into,
                bounds=bounds,
                max_bytes=chosen.ingest.max_file_bytes,
                progress=told,
            )
        told.pause()
        show(found, write_crawl, as_json=as_json)
    if found.lost:
        raise typer.Exit(EXIT_PARTIAL)


def _wanted(*, pdf: bool, source: bool) -> "RequestedPaper | None":
    """Return which files are downloaded.

    Raises:
        InputError: Both are.
    """
    from papergraph.ingest.fetch.arxiv import RequestedPaper

    if pdf and source:
        raise InputError("A folder holds PDF files or sources. Choose one of --pdf and --source.", field="source")
    return RequestedPaper.PDF if pdf else RequestedPaper.SOURCE if source else None


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Add a note to an error that ends a long download: it can be resumed."""
    try:
        yield
    except OutboundError as error:
        error.add_note(f"Downloaded files stay in {folder}. Run the same command again to resume.")
        raise


GROUP = Group("fetch", Section.PAPERS, 22, app)
