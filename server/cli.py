"""The command line: thin over the same functions as every other face. What is heavy is imported when it is needed."""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from papergraph.errors import DatabaseError, InputError, OutboundError, PapergraphError
from server import entities_cli, questions_cli
from server.ask_cli import ask, collections_app
from server.clusters_cli import clusters_app, metadata_app, summarize
from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_BY_CODE,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_NOTHING_FOUND,
    EXIT_PARTIAL,
    EXIT_STOPPED,
    Collection,
    Json,
    Quiet,
)
from server.commands import progress as _progress
from server.commands import say as _say
from server.commands import service as _service
from server.commands import settings as _settings
from server.commands import show as _show
from server.commands import with_database as _with_database
from server.commands import write as _write
from server.cypher_cli import cypher
from server.keys_cli import keys_app
from server.layers_cli import enrich
from server.neo4j_cli import neo4j_app
from server.pbit_cli import pbit_emulator
from server.queries_cli import queries_app
from server.ratings_cli import ratings_app
from server.search_cli import pipelines_app, replay, search
from server.testset_cli import testset_app

if TYPE_CHECKING:
    from ingest.jobs import Job, Task
    from ingest.plan import Plan
    from ingest.run import Report
    from papergraph.database import Database

MOST_TASKS = 100_000
COMPARED, DEFAULT_PIPELINE = "vector,fulltext,fused,default", "default"
FIRST_QUERY = "How many physical qubits does a distance-7 surface code patch need?"

Dask = Annotated[
    str | None, typer.Option(help="Parse and embed on a Dask cluster: the address of its scheduler, tcp://HOST:PORT.")
]

app = typer.Typer(
    help="A graph-native knowledge base for research papers, on Neo4j.",
    epilog="Exit status: 0 done, 1 failed, 2 wrong use, 3 nothing found, 4 some documents refused, 5 Neo4j or server "
    "not available, 6 stopped before the end, 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help shows in half the time
)
app.add_typer(neo4j_app, name="neo4j")
jobs_app = typer.Typer(
    help="The ledger of ingestion: what was asked for, how far it is, and what went wrong.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(jobs_app, name="jobs")
app.add_typer(metadata_app, name="metadata")
app.add_typer(questions_cli.app, name="questions")
entities_cli.register(app)
app.command()(enrich)
app.add_typer(clusters_app, name="clusters")
app.command("summary")(summarize)
app.command()(search)
app.command()(ask)
app.command()(cypher)
app.add_typer(collections_app, name="collections")
app.command()(replay)
app.add_typer(pipelines_app, name="pipelines")
app.add_typer(queries_app, name="queries")
app.add_typer(keys_app, name="keys")
app.add_typer(testset_app, name="testset")
app.add_typer(ratings_app, name="ratings")
app.command("pbit-emulator")(pbit_emulator)


def main() -> NoReturn:
    """Run the command line and end with the exit status that its help tells.

    A command that goes on for long begins a log (:func:`server.commands.service`), all others have none: without a
    handler, Python would print the bare words of a warning.
    """
    logging.getLogger().addHandler(logging.NullHandler())
    signal.signal(signal.SIGTERM, _terminate)
    try:
        app()
    except PapergraphError as error:
        _say("\n".join([f"error: {error}", *getattr(error, "__notes__", [])]))
        sys.exit(EXIT_BY_CODE[error.code])
    except SystemExit as end:
        if end.code == EXIT_INTERRUPTED:  # what Typer makes of Ctrl-C
            _say("interrupted")
        raise
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(EXIT_FAILED)
    sys.exit(0)


def _show_version(wanted: bool) -> None:
    if wanted:
        from papergraph import __version__

        _write(__version__)
        raise typer.Exit


@app.callback()
def _papergraph(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take what stands before the command."""


@app.command()
def run(
    once: Annotated[
        bool, typer.Option("--once", help="Stop after the first search, with its success as status.")
    ] = False,
) -> None:
    """Set everything up, load the sample papers, show one search, and serve until Ctrl-C."""
    from papergraph.store import open_store
    from server import running

    settings = _settings()
    with _service(settings, "server") as progress, open_store(settings, progress=progress) as address:
        asyncio.run(running.run(settings, address, query=FIRST_QUERY, once=once, progress=progress))


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(help="An address of this machine, or with keys any; PAPERGRAPH_HOST.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port, 8000 by default; PAPERGRAPH_PORT.", min=1, max=65535)] = None,
) -> None:
    """Serve GraphQL until Ctrl-C."""
    from server import running, serving
    from server.access.policy import Policy

    settings = _settings()
    host = host or settings.host
    sock = serving.listen(host, port or settings.port, policy=Policy.of(settings))
    from papergraph.store import open_store

    with _service(settings, "server") as progress, sock, open_store(settings, progress=progress) as address:
        asyncio.run(running.serve(settings, address, sock, host=host, progress=progress))


@app.command()
def mcp() -> None:
    """Speak the Model Context Protocol over standard input and output, for an agent that starts this command."""
    from papergraph.store import open_store
    from server import running

    settings = _settings()
    with _service(settings, "mcp") as progress, open_store(settings, progress=progress) as address:
        asyncio.run(running.serve_stdio(settings, address, progress=progress))


@app.command()
def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files (PDF, LaTeX, docx, JATS, TEI, HTML, Markdown, text, JSONL, BibTeX), folders, URLs, or arxiv:ID."
        ),
    ],
    collection: Collection = DEFAULT_COLLECTION,
    chunker: Annotated[
        str, typer.Option(help="How to cut: default, sentence, markdown, hierarchical, topic, quim or tokens256.")
    ] = "default",
    max_tokens: Annotated[
        int | None, typer.Option(help="Longest chunk in the embedding model's tokens; the chunker's own if not given.")
    ] = None,
    max_chars: Annotated[
        int | None, typer.Option(help="Longest chunk in characters, for chunkers that count these.")
    ] = None,
    overlap: Annotated[
        int | None, typer.Option(help="What a chunk shares with the one before, in tokens or characters as it counts.")
    ] = None,
    drop_back_matter: Annotated[
        bool, typer.Option("--drop-back-matter", help="Make no chunks of references, acknowledgements and appendices.")
    ] = False,
    mask_urls: Annotated[bool, typer.Option("--mask-urls", help="Embed [URL] in place of URLs.")] = False,
    trim_stops: Annotated[
        bool, typer.Option(help="Leave out full stops that a cut left at a chunk's beginning.")
    ] = True,
    embed_parents: Annotated[
        bool, typer.Option("--embed-parents", help="Give the parents of a hierarchy vectors too.")
    ] = False,
    parser: Annotated[
        str | None, typer.Option(help="What reads PDFs: own, docling, marker or grobid; PAPERGRAPH_PARSER.")
    ] = None,
    queue: Annotated[bool, typer.Option("--queue", help="Leave the work to papergraph worker; tells the job.")] = False,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Write nothing; tell the papers, chunks, tokens, time and cost it would take."),
    ] = False,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="Stop when it is spent: a time such as 30m, 500papers, or 20000chunks; can be repeated."),
    ] = None,
    dask: Dask = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Bring papers into the graph; what is there already is left alone, so it can be repeated and resumed."""
    from ingest.budget import Budget
    from ingest.chunk import ChunkOptions
    from ingest.sources import chosen_service
    from papergraph.store import open_store
    from schema.ids import check_collection
    from server import working

    check_collection(collection)
    limits = Budget.parse(budget or [])
    if plan + queue + (limits is not None or dask is not None) > 1:
        raise InputError("of --plan, --queue, and --budget or --dask, one at a time", field="plan")
    options = ChunkOptions.choose(
        chunker,
        max_tokens=max_tokens,
        max_chars=max_chars,
        overlap=overlap,
        drop_back_matter=drop_back_matter,
        mask_urls=mask_urls,
        trim_stops=trim_stops,
        embed_parents=embed_parents,
    )
    settings = _settings()
    pdf_by = chosen_service(settings, parser)
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        if plan:
            planned = working.plan(
                settings, address, sources, collection=collection, options=options, pdf_by=pdf_by, progress=progress
            )
            found = asyncio.run(planned)
            progress.pause()
            _write_plan(found, as_json=as_json)
            return
        if queue:
            opening = working.enqueue(settings, address, sources, collection=collection, options=options, pdf_by=pdf_by)
            job = asyncio.run(opening)
            progress.pause()
            _write_job(job, as_json=as_json)
            return
        work = working.ingest_papers(
            settings,
            address,
            sources,
            collection=collection,
            options=options,
            pdf_by=pdf_by,
            dask=dask,
            budget=limits,
            progress=progress,
        )
        try:
            report = asyncio.run(work)
        except DatabaseError as error:
            error.add_note("what was written stays; when Neo4j answers again, the same command goes on from there")
            raise
        except KeyboardInterrupt:
            _say("what was written stays; the same command goes on from there (papergraph jobs list shows it)")
            raise
        progress.pause()
        _write_report(report, as_json=as_json)
    if report.stopped:
        raise typer.Exit(EXIT_STOPPED)
    if report.failed:
        raise typer.Exit(EXIT_PARTIAL if len(report.failed) < len(report.items) else EXIT_FAILED)


@app.command()
def worker(
    once: Annotated[bool, typer.Option("--once", help="Stop when nothing is left to do.")] = False,
    dask: Dask = None,
    quiet: Quiet = False,
) -> None:
    """Work off queued jobs, those of other processes too, until Ctrl-C; several workers share the work."""
    from papergraph.store import open_store
    from server import working

    settings = _settings()
    serving = _service(settings, "worker", quiet=quiet)
    with serving as progress, open_store(settings, progress=progress) as address:
        n_documents = asyncio.run(working.work(settings, address, once=once, dask=dask, progress=progress))
        progress.pause()
        _write(f"{n_documents} documents seen to")


@app.command()
def collect(
    into: Annotated[Path, typer.Argument(help="Folder for the papers; it belongs to one search.")],
    phrase: Annotated[str, typer.Argument(help="Words that stand together; optional with --category.")] = "",
    where: Annotated[
        str, typer.Option("--field", help="Where: all, title, abstract, author, comment or journal.")
    ] = "all",
    category: Annotated[
        list[str] | None, typer.Option(help="A category such as quant-ph, cs.LG or cs.*; of several any will do.")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="First day of a paper's first version.")
    ] = None,
    until: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day of it.")] = None,
    sort: Annotated[str, typer.Option(help="What comes first: relevance, submitted or updated.")] = "relevance",
    most: Annotated[int, typer.Option("--max", help="How many papers at most.")] = 100,
    pdf: Annotated[bool, typer.Option("--pdf", help="Fetch the PDFs, to ingest them whole.")] = False,
    source: Annotated[bool, typer.Option("--source", help="Fetch the LaTeX sources instead.")] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Ask for all versions, licence and submitter of each paper.")
    ] = False,
    citations: Annotated[
        str | None, typer.Option(help="Whom to ask what each paper cites: openalex, or nobody if not given.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Search arXiv and keep what is found in a folder to ingest; repeat it to go on, or to look for what is new."""
    from ingest import collect as collecting
    from ingest.sources import Web
    from server.terminal import write_collection

    search = collecting.Search.choose(
        phrase,
        where=where,
        categories=category or (),
        since=since.date() if since else None,
        until=until.date() if until else None,
        sort=sort,
    )
    settings = _settings()
    if pdf and source:
        raise InputError("a folder holds PDFs or sources; name one of --pdf and --source", field="source")
    if citations is not None and citations != "openalex":
        raise InputError(f"there is no {citations[:40]!r} to ask for citations, but openalex", field="citations")
    web = Web.opened(settings)
    openalex = None
    if citations:
        from ingest.sources.openalex import OpenAlex

        openalex = OpenAlex(web.outside, url=settings.openalex_url, key=settings.openalex_key.get_secret_value())
    wanted = collecting.Wanted.PDF if pdf else collecting.Wanted.SOURCE if source else None
    with _progress(quiet=quiet or as_json) as progress:
        with _kept_in(into):
            found = collecting.collect(
                web.arxiv,
                search,
                into,
                most=most,
                wanted=wanted,
                versions=versions,
                citations=openalex,
                max_bytes=settings.max_file_bytes,
                progress=progress,
            )
        progress.pause()
        _show(found, write_collection, as_json=as_json)
    if found.missing:
        raise typer.Exit(EXIT_PARTIAL)


@app.command()
def crawl(
    into: Annotated[Path, typer.Argument(help="Folder for the pages; it belongs to one first page.")],
    url: Annotated[str, typer.Argument(help="The first page.")],
    scope: Annotated[
        str, typer.Option(help="Which links are followed: host, or folder for what is below the first page's.")
    ] = "host",
    depth: Annotated[int, typer.Option(help="How many links away from the first page at most.")] = 3,
    most: Annotated[int, typer.Option("--max", help="How many pages are kept at most.")] = 100,
    delay_s: Annotated[
        float, typer.Option("--delay", help="Seconds between requests, if the site does not ask for more.")
    ] = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Keep the pages of a site that may be kept and are worth reading in a folder to ingest; repeat it to go on."""
    from ingest import crawl as crawling
    from papergraph.outbound import open_outside
    from server.terminal import write_crawl

    settings = _settings()
    bounds = crawling.Bounds.choose(scope, depth=depth, most=most, delay_s=delay_s)
    with _progress(quiet=quiet or as_json) as progress:
        with _kept_in(into):
            found = crawling.crawl(
                open_outside(settings),
                url,
                into,
                bounds=bounds,
                max_bytes=settings.max_file_bytes,
                progress=progress,
            )
        progress.pause()
        _show(found, write_crawl, as_json=as_json)
    if found.lost:
        raise typer.Exit(EXIT_PARTIAL)


@app.command()
def delete(
    names: Annotated[list[str], typer.Argument(help="Keys, ids, DOIs, arXiv ids, files, or folders with all below.")],
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Delete papers with everything that is theirs alone."""
    from papergraph.store import open_store
    from server import working

    settings = _settings()
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        keys = asyncio.run(working.delete_papers(address, names, collection=collection))
        progress.pause()
        _write(
            json.dumps({"collection": collection, "deleted": keys})
            if as_json
            else "\n".join(f"deleted {k}" for k in keys)
        )


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="A key, id, DOI, arXiv id or file.")],
    format: Annotated[str, typer.Option(help="What to write; md is Markdown.")] = "md",
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a paper back from the graph: its title, authors, sections, tables, equations and references."""
    from papergraph.store import open_store
    from server import working
    from server.retrieval.export import check_format, to_markdown

    check_format(format)
    settings = _settings()
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        whole = asyncio.run(working.export_paper(address, name, collection=collection))
        progress.pause()
        text, paper = to_markdown(whole), whole.paper
        told = {"collection": paper.collection, "id": paper.id, "key": paper.key, "title": paper.title}
        _write(
            json.dumps({**told, "format": format, "text": text}, ensure_ascii=False) if as_json else text.rstrip("\n")
        )


@app.command()
def reembed(
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="The embedding model whose vectors to make and take into use.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Texts in a second at most.", min=0.01)] = None,
    share: Annotated[
        float,
        typer.Option(
            help="Share of the time spent working; it rests for the rest, so that searches stay quick.",
            min=0.01,
            max=1.0,
        ),
    ] = 0.5,
    switch: Annotated[
        bool, typer.Option("--switch/--no-switch", help="Whether to take the vectors into use when all are there.")
    ] = True,
    back: Annotated[bool, typer.Option("--back", help="Go back to the model before, whose vectors are kept.")] = False,
    drop_old: Annotated[bool, typer.Option("--drop-old", help="Delete the vectors that are not in use.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Change the embedding model while searches go on; without an option, show which models there are vectors of."""
    if (model is not None) + back + drop_old > 1:
        raise InputError("choose one of --model, --back and --drop-old", field="model")
    from ingest.reembed import Pace
    from papergraph.store import open_store
    from server import working
    from server.terminal import write_models, write_reembedding

    settings, pace = _settings(), Pace(rate, share)
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        if model is None and not back and not drop_old:
            status = asyncio.run(working.reembed_status(address))
            progress.pause()
            _show(status, write_models, as_json=as_json)
            return
        if drop_old:
            report = asyncio.run(working.drop_old(address, pace=pace, progress=progress))
        else:
            report = asyncio.run(
                working.reembed(settings, address, model=model, pace=pace, switch=switch, progress=progress)
            )
        progress.pause()
        _show(report, write_reembedding, as_json=as_json)


@app.command()
def digest(quiet: Quiet = False, as_json: Json = False) -> None:
    """Show one number for the whole graph: equal for two graphs that hold the same papers."""
    from papergraph.store import open_store
    from server import working

    settings = _settings()
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        found = asyncio.run(working.digest(address))
        progress.pause()
        counts = {"nodes": found.n_nodes, "relationships": found.n_relationships, "vectors": len(found.vectors)}
        _write(json.dumps({"sha256": found.sha256, **counts}) if as_json else found.sha256)


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without losing anything.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Look the whole graph over for what must not be; status 1 when something is wrong and stays so."""
    from papergraph.store import open_store
    from server import working

    settings = _settings()
    with _progress(quiet=quiet or as_json) as progress, open_store(settings, progress=progress) as address:
        report = asyncio.run(working.doctor(settings, address, fix=fix, progress=progress))
        progress.pause()
        if as_json:
            _write(json.dumps({"healthy": report.healthy, **asdict(report)}, ensure_ascii=False))
        else:
            from server.terminal import write_examination

            write_examination(report)
    if not report.healthy:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(help="A folder with task.json, or in BEIR's layout; with --answers a file of questions too."),
    ],
    split: Annotated[str | None, typer.Option(help="Which queries; the folder's default split if not given.")] = None,
    corpus: Annotated[str | None, typer.Option(help="One of the folder's alternative corpora.")] = None,
    pipeline: Annotated[
        str, typer.Option(help="Which to compare, with commas between; differences are to the first.")
    ] = COMPARED,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
    run_file: Annotated[
        Path | None,
        typer.Option("--run", help="Write the ranking as a TREC run; of several pipelines, a file for each beside it."),
    ] = None,
    chunker: Annotated[
        str | None,
        typer.Option(help="How to cut the documents; else papers are cut as always, and abstracts and passages not."),
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest chunk that the chunker makes, in tokens.")] = None,
    overlap: Annotated[int | None, typer.Option(help="Overlap of its chunks, in tokens or characters.")] = None,
    sweep: Annotated[
        str | None,
        typer.Option(help="Instead compare ways of selecting among what these pipelines find, with commas between."),
    ] = None,
    alpha: Annotated[str, typer.Option(help="Of a sweep: the weights of relevance, with commas between.")] = (
        "0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95"
    ),
    k: Annotated[str, typer.Option("-k", "--k", help="Of a sweep: how many are selected, with commas between.")] = "10",
    backend: Annotated[
        str, typer.Option(help="Of a sweep: who selects beside top_k, with commas between.")
    ] = "own,mmr",
    pool: Annotated[str, typer.Option(help="Of a sweep: of how many candidates, with commas between.")] = "100",
    relevance: Annotated[
        str, typer.Option(help="Of a sweep: score, coverage or feedback, with commas between; docs/evaluation.md.")
    ] = "score",
    tune: Annotated[
        str | None,
        typer.Option(help="Of a sweep: choose settings on the queries whose ids match, as 'c*'; report the others."),
    ] = None,
    page_file: Annotated[
        Path | None, typer.Option("--page", help="Of a sweep: write a page with plots to this file.")
    ] = None,
    answers: Annotated[
        str | None,
        typer.Option(help="Measure answers instead, of these readers: extractive, model, passages, questions, pages."),
    ] = None,
    judge: Annotated[bool, typer.Option("--judge", help="Of answers: have the language model judge them too.")] = False,
    judge_tokens: Annotated[int | None, typer.Option(help="Of a judge: most tokens that it may take.", min=1)] = None,
    judge_model: Annotated[
        str | None, typer.Option(help="Of a judge: another model of the same server; else the one that answers.")
    ] = None,
    questions: Annotated[int | None, typer.Option(help="Of answers: ask so many questions, drawn.", min=1)] = None,
    unanswerable: Annotated[
        int, typer.Option(help="Of answers: ask so many of them of another paper as well, which has no answer.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Of answers: what is drawn follows from it.")] = 0,
    given_file: Annotated[
        Path | None, typer.Option("--given", help="Of answers: write all of them to this file, for experts to rate.")
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    quiet: Quiet = False,
) -> None:
    """Measure retrieval, or answers, on judged queries, in a local Neo4j of the corpus' own, which is kept."""
    if answers is not None:
        from server.answers_cli import evaluate_answers

        evaluate_answers(
            folder,
            answers,
            split=split,
            corpus=corpus,
            collection=collection,
            pipeline=DEFAULT_PIPELINE if pipeline == COMPARED else pipeline,
            judge=judge,
            judge_tokens=judge_tokens,
            judge_model=judge_model,
            n=questions,
            n_unanswerable=unanswerable,
            seed=seed,
            chunker=chunker,
            max_tokens=max_tokens,
            overlap=overlap,
            json_file=json_file,
            given_file=given_file,
            quiet=quiet,
        )
        return
    if judge or given_file is not None or questions is not None or unanswerable:
        raise InputError("--judge, --given, --questions and --unanswerable go with --answers", field="answers")
    from evaluation import evaluate, report
    from evaluation.task import read_task
    from ingest.chunk import ChunkOptions
    from server.retrieval.resources import known_pipelines

    chunking = None
    if (chunker, max_tokens, overlap) != (None, None, None):
        chunking = ChunkOptions.choose(chunker or "default", max_tokens=max_tokens, overlap=overlap)
    settings = _settings()
    pipelines = evaluate.parse_pipelines(pipeline, known_pipelines(settings))
    report.check_folder(json_file, field="json")
    report.check_folder(run_file, field="run")
    task = read_task(folder, split=split, corpus=corpus)
    if sweep is not None:
        from evaluation.page import check_plots, write_page
        from evaluation.sweep import Grid
        from evaluation.sweep import table as sweep_table

        if run_file is not None:
            raise InputError("a sweep writes no TREC run; give --run without --sweep", field="run")
        if page_file is not None:
            report.check_folder(page_file, field="page")
            check_plots()
        grid = Grid.parsed(alpha=alpha, k=k, backend=backend, pool=pool, relevance=relevance)
        candidates = evaluate.parse_pipelines(sweep, known_pipelines(settings))
        with _progress(quiet=quiet) as progress:
            swept = evaluate.evaluate_selection(
                settings, task, candidates, pipelines, grid, tune=tune, chunking=chunking, progress=progress
            )
            progress.pause()
        if json_file is not None:
            report.write_report(swept, json_file)
        if page_file is not None:
            write_page(swept, page_file)
        _write(sweep_table(swept))
        return
    if (tune, page_file) != (None, None):
        raise InputError(f"--{'tune' if tune else 'page'} goes with --sweep", field="tune" if tune else "page")
    with _progress(quiet=quiet) as progress:
        found, runs = evaluate.evaluate(settings, task, pipelines, chunking=chunking, progress=progress)
        progress.pause()
    if json_file is not None:
        report.write_report(found, json_file)
    if run_file is not None:
        report.write_trec_runs(runs, run_file)
    _write(report.table(found))


@app.command("schema")
def show_schema() -> None:
    """Write the GraphQL schema, as schema/schema.graphql holds it."""
    from server.graphql.schema import sdl

    sys.stdout.write(sdl())


JobName = Annotated[str, typer.Argument(help="A job's id, or its beginning.")]


@jobs_app.command("list")
def list_jobs(
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many of the newest.", min=1, max=1000)] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the newest jobs and how far they are; status 3 when there is none."""
    from ingest import jobs

    found = _with_database(lambda database: jobs.list_jobs(database, limit=limit), quiet=quiet or as_json)
    if as_json:
        _write(json.dumps([asdict(job) for job in found], default=str))
    elif found:
        from server.terminal import write_jobs

        write_jobs(found)
    if not found:
        _say("nothing found")
        raise typer.Exit(EXIT_NOTHING_FOUND)


@jobs_app.command("show")
def show_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show a job, and each of its documents with what became of it."""
    from ingest import jobs

    async def find(database: "Database") -> "tuple[Job, list[Task]]":
        job = await jobs.find_job(database, name)
        return job, await jobs.tasks_of(database, job.id, limit=MOST_TASKS)

    job, tasks = _with_database(find, quiet=quiet or as_json)
    if as_json:
        _write(json.dumps(asdict(job) | {"documents": [asdict(task) for task in tasks]}, default=str))
        return
    from server.terminal import write_job

    write_job(job, tasks)


@jobs_app.command("retry")
def retry_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Queue what of a job was refused, given up or cancelled, and a job that is paused; papergraph worker goes on."""
    from ingest import jobs

    _change_job(name, jobs.retry, "documents queued; papergraph worker works them off", as_json=as_json, quiet=quiet)


@jobs_app.command("cancel")
def cancel_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Begin nothing more of a job; what it has written stays."""
    from ingest import jobs

    _change_job(name, jobs.cancel, "documents left undone", as_json=as_json, quiet=quiet)


@jobs_app.command("forget")
def forget_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Delete a finished job from the ledger; its papers stay."""
    from ingest import jobs

    _change_job(name, jobs.forget, "documents forgotten", as_json=as_json, quiet=quiet)


def _change_job(
    name: str, change: "Callable[[Database, str], Awaitable[int]]", what: str, *, as_json: bool, quiet: bool
) -> None:
    from ingest import jobs

    async def do(database: "Database") -> "tuple[Job, int]":
        job = await jobs.find_job(database, name)
        return job, await change(database, job.id)

    job, n = _with_database(do, quiet=quiet or as_json)
    _write(json.dumps({"job": job.id, "documents": n}) if as_json else f"job {job.id}: {n} {what}")


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Add to what ends a long search or crawl that it can be gone on with."""
    try:
        yield
    except OutboundError as error:
        error.add_note(f"what was had stays in {folder}; the same command goes on from there")
        raise


def _write_job(job: "Job", *, as_json: bool) -> None:
    if as_json:
        _write(json.dumps(asdict(job), default=str))
    else:
        _write(f"job {job.id}: {job.n_open} of {job.n_documents} documents queued; papergraph worker works them off")


def _write_plan(plan: "Plan", *, as_json: bool) -> None:
    if as_json:
        _write(json.dumps(asdict(plan) | {"n_new": plan.n_new, "total_s": plan.total_s}))
        return
    from server.terminal import write_plan

    write_plan(plan)


def _write_report(report: "Report", *, as_json: bool) -> None:
    if as_json:
        _write(json.dumps(asdict(report), ensure_ascii=False))
        return
    from server.terminal import write_report

    write_report(report)


def _terminate(*_: Any) -> NoReturn:
    sys.exit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
