"""``papergraph ingest``: papers into a collection."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_FAILED,
    EXIT_PARTIAL,
    EXIT_STOPPED,
    Chunker,
    Collection,
    Dask,
    Estimate,
    Json,
    MaxTokens,
    Overlap,
    Queue,
    Quiet,
    progress,
    say,
    settings,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import DatabaseError, InputError

if TYPE_CHECKING:
    from papergraph.cli.output import TerminalProgress
    from papergraph.ingest.ingestor import IngestReport
    from papergraph.ingest.jobs.model import Job
    from papergraph.ingest.jobs.worker import Budget
    from papergraph.ingest.pipeline.estimate import IngestionEstimate
    from papergraph.server.local.store_operations import IngestCommand
    from papergraph.settings import Settings
    from papergraph.store import Address

Sources = Annotated[list[str] | None, typer.Argument(help="Files, folders, URLs, DOIs, arxiv:ID, pmid:ID or ISBNs.")]
Titles = Annotated[list[str] | None, typer.Option("--title", help="Title to look up; repeatable.")]
Pdf = Annotated[bool, typer.Option("--pdf", help="Fetch open-access PDFs of identifiers too.")]
MaxChars = Annotated[int | None, typer.Option(help="Maximum characters per chunk.")]
DropBackMatter = Annotated[bool, typer.Option("--drop-back-matter", help="Skip references and appendices.")]
MaskUrls = Annotated[bool, typer.Option("--mask-urls", help="Embed [URL] in place of URLs.")]
TrimStops = Annotated[bool, typer.Option(help="Remove full stops at the start of chunks.")]
EmbedParents = Annotated[bool, typer.Option("--embed-parents", help="Embed the parents of a hierarchy too.")]
AcrossHeadings = Annotated[bool | None, typer.Option(help="Let chunks run on over headings.")]
PdfParser = Annotated[str | None, typer.Option(help="Parser of PDF files: builtin, docling, marker or grobid.")]
Prune = Annotated[bool, typer.Option("--prune", help="Delete sources that are gone from the folders or sites.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Visit the sites of crawled folders again, and --prune.")]
Budgets = Annotated[
    list[str] | None, typer.Option(help="Stop after 30m, 500papers, 20000chunks or 1000000tokens; repeatable.")
]
GOES_ON = "Written documents are kept. Run the same command again to resume."

app = new_app()


@app.command(epilog="Example: papergraph ingest ~/papers arxiv:2601.05286 --collection reading")
def ingest(
    sources: Sources = None,
    collection: Collection = DEFAULT_COLLECTION,
    chunker: Chunker = "default",
    max_tokens: MaxTokens = None,
    max_chars: MaxChars = None,
    overlap: Overlap = None,
    drop_back_matter: DropBackMatter = False,
    mask_urls: MaskUrls = False,
    trim_stops: TrimStops = True,
    embed_parents: EmbedParents = False,
    across_headings: AcrossHeadings = None,
    parser: PdfParser = None,
    queue: Queue = False,
    estimate: Estimate = False,
    budget: Budgets = None,
    prune: Prune = False,
    refresh: Refresh = False,
    title: Titles = None,
    pdf: Pdf = False,
    dask: Dask = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ingest papers into a collection.

    Read PDF, LaTeX, docx, JATS, TEI, HTML, Markdown, text, JSONL and BibTeX files. Run an interrupted command again
    to resume it.
    """
    from papergraph.ingest.chunkers import ChunkOptions
    from papergraph.ingest.jobs.worker import Budget
    from papergraph.ingest.sources import chosen_service
    from papergraph.schema.ids import check_collection
    from papergraph.server.local.store_operations import IngestCommand
    from papergraph.store import open_store

    check_collection(collection)
    limits = Budget.parse(budget or [])
    _check_ways(estimate, queue, limits is not None or dask is not None or prune or refresh)
    options = ChunkOptions.choose(
        chunker or "default",
        max_tokens=max_tokens,
        max_chars=max_chars,
        overlap=overlap,
        drop_back_matter=drop_back_matter,
        mask_urls=mask_urls,
        trim_stops=trim_stops,
        embed_parents=embed_parents,
        across_headings=across_headings,
    )
    chosen, named = settings(), _named(sources or [], title or [], pdf=pdf)
    wanted = IngestCommand(named, collection, options, chosen_service(chosen, parser), prune or refresh)
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        _refresh(chosen, named if refresh else [], told)
        if estimate:
            _estimate(chosen, address, wanted, told, as_json=as_json)
        elif queue:
            _queue(chosen, address, wanted, told, as_json=as_json)
        else:
            _ingest(chosen, address, wanted, told, as_json=as_json, dask=dask, budget=limits)


def _check_ways(*ways: bool) -> None:
    if sum(ways) > 1:
        raise InputError("Choose --estimate, --queue, or --budget, --dask, --prune and --refresh.", field="estimate")


def _named(sources: list[str], titles: list[str], *, pdf: bool) -> list[str]:
    """Return the names of documents: paths that exist and URLs as they are, identifiers with their kind."""
    import os

    from papergraph.ingest.sources.catalogues import SOURCE, identifier

    if not sources and not titles:
        raise InputError("Name files, folders, URLs or identifiers, or give --title.", field="sources")
    named = [one if os.path.lexists(one) else identifier(one) or one for one in sources]
    named += [f"title:{title}" for title in titles]
    return named + [f"pdf:{one}" for one in named if pdf and SOURCE.accepts(one)]


def _refresh(chosen: "Settings", folders: list[str], told: "TerminalProgress") -> None:
    """Visit the sites of crawled folders again."""
    from papergraph.ingest.fetch.crawl import crawl_again
    from papergraph.outbound import open_outside

    for folder in folders:
        max_bytes = chosen.ingest.max_file_bytes
        found = crawl_again(open_outside(chosen, private=True), Path(folder), max_bytes=max_bytes, progress=told)
        if found.lost:
            say(f"{folder}: {len(found.lost)} pages could not be fetched; they stay as they were")


def _estimate(
    chosen: "Settings", address: "Address", wanted: "IngestCommand", told: "TerminalProgress", *, as_json: bool
) -> None:
    from papergraph.server.local.store_operations import plan

    found = asyncio.run(plan(chosen, address, wanted, progress=told))
    told.pause()
    _write_estimate(found, as_json=as_json)


def _queue(
    chosen: "Settings", address: "Address", wanted: "IngestCommand", told: "TerminalProgress", *, as_json: bool
) -> None:
    from papergraph.server.local.store_operations import enqueue

    job = asyncio.run(enqueue(chosen, address, wanted))
    told.pause()
    _write_job(job, as_json=as_json)


def _ingest(
    chosen: "Settings",
    address: "Address",
    wanted: "IngestCommand",
    told: "TerminalProgress",
    *,
    as_json: bool,
    dask: str | None,
    budget: "Budget | None",
) -> None:
    from papergraph.server.local.store_operations import ingest_papers

    try:
        report = asyncio.run(ingest_papers(chosen, address, wanted, dask=dask, budget=budget, progress=told))
    except DatabaseError as error:
        error.add_note(GOES_ON)
        raise
    except KeyboardInterrupt:
        say(f"{GOES_ON} See papergraph jobs list.")
        raise
    told.pause()
    finish(report, as_json=as_json)


def _write_job(job: "Job", *, as_json: bool) -> None:
    if as_json:
        write_json(asdict(job))
    else:
        from papergraph.cli.output import write_queued

        write_queued(job, f"{job.n_pending} of {job.n_documents} documents")


def _write_estimate(plan: "IngestionEstimate", *, as_json: bool) -> None:
    if as_json:
        write_json(asdict(plan) | {"n_new": plan.n_new, "total_s": plan.total_s})
        return
    from papergraph.cli.output import write_plan

    write_plan(plan)


def finish(report: "IngestReport", *, as_json: bool, **told: Any) -> None:
    """Write a report and exit with its status; its JSON also has the members of ``told``."""
    if as_json:
        write_json(asdict(report) | told)
    else:
        from papergraph.cli.output import write_report

        write_report(report)
    if report.stopped:
        raise typer.Exit(EXIT_STOPPED)
    if report.failed:
        raise typer.Exit(EXIT_PARTIAL if len(report.failed) < len(report.items) else EXIT_FAILED)


GROUP = Group("ingest", Section.PAPERS, 21, app, top=True)
