"""Commands about groups of papers: their metadata, the clusters that they form, and summaries of these."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.errors import InputError
from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    show,
    with_database,
    write,
)

if TYPE_CHECKING:
    from ingest.layers.clusters.looking import ListedCluster, WholeCluster
    from ingest.layers.metadata import MetadataReport
    from ingest.layers.summaries import Summary
    from papergraph.store import Address
    from server.terminal import TerminalProgress

metadata_app = typer.Typer(
    help="What papers are described by: fields, values, and how many papers have each.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
clusters_app = typer.Typer(
    help="Clusters: papers of one value, topics (chunks alike), communities (papers that hang together).",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@metadata_app.command("fields")
def show_fields(
    file: Annotated[Path | None, typer.Option("--file", help="Check a file of your own, and write that.")] = None,
) -> None:
    """Write the TOML file of fields and values that papers are described by, to be copied and changed."""
    from ingest.layers.fields import fields_text, read_fields

    read_fields(file)
    write(fields_text(file).rstrip())


@metadata_app.command("report")
def report_metadata(collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Tell how many papers have each value, what was said where none fits, and papers without any."""
    from ingest.layers.metadata import metadata_report
    from schema.ids import check_collection

    check_collection(collection)
    found = with_database(lambda database: metadata_report(database, collection=collection), quiet=quiet or as_json)
    show(found, _write_metadata, as_json=as_json)
    if not found.values:
        say("no paper has metadata; papergraph enrich makes it")
        raise typer.Exit(EXIT_NOTHING_FOUND)


def _write_metadata(report: "MetadataReport") -> None:
    write(f"{report.n_papers} papers in {report.collection}")
    for field, n_without in report.without.items():
        write(f"\n{field}, {n_without} papers without")
        for value in report.values:
            if value.field == field:
                write(f"{value.n_papers:8}  {value.value}")
        for other in report.other:
            if other.field == field:
                write(f"{'':8}  other: {other.said or 'nothing said'} ({other.n_papers}, for example {other.example})")
    if report.papers_without:
        write("\nwithout any: " + ", ".join(report.papers_without))


@clusters_app.command("list")
def list_them(
    collection: Collection = DEFAULT_COLLECTION,
    kind: Annotated[str | None, typer.Option(help="metadata, topic or community; all if not given.")] = None,
    level: Annotated[int | None, typer.Option(help="0 for the finest; all if not given.", min=0)] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many of the largest.", min=1, max=10_000)] = 50,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show clusters, the largest first; status 3 when there is none."""
    from ingest.layers.clusters.looking import list_clusters

    found = with_database(
        lambda database: list_clusters(database, collection=collection, kind=kind, level=level, limit=limit),
        quiet=quiet or as_json,
    )
    if as_json:
        write(json.dumps([asdict(cluster) for cluster in found], ensure_ascii=False))
    for cluster in found if not as_json else ():
        _write_cluster(cluster)
    if not found:
        say("nothing found; papergraph enrich --layers clusters makes topics and communities")
        raise typer.Exit(EXIT_NOTHING_FOUND)


@clusters_app.command("show")
def show_cluster(
    name: Annotated[str, typer.Argument(help="A cluster's id, or its beginning.")],
    collection: Collection = DEFAULT_COLLECTION,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many of its papers.", min=1, max=10_000)] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a cluster: keywords, clusters above and below it, and its papers."""
    from ingest.layers.clusters.looking import find_cluster

    found = with_database(
        lambda database: find_cluster(database, collection=collection, begin=name, n_papers=limit),
        quiet=quiet or as_json,
    )
    show(found, _write_whole_cluster, as_json=as_json)


def summarize(
    cluster: Annotated[str | None, typer.Option(help="A cluster's id, or its beginning.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="FIELD=VALUE of metadata; several values of a field are alternatives. Can be repeated."),
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Summarise the papers of a cluster, or of a combination of metadata; kept until one of them changes."""
    wanted: dict[str, list[str]] = {}
    for pair in where or []:
        field, equals, value = pair.partition("=")
        if not (field and equals and value):
            raise InputError(f"{pair[:80]!r} is not FIELD=VALUE, such as task=ranking", field="where")
        wanted.setdefault(field, []).append(value)
    from ingest.layers.layer import Means
    from ingest.layers.summaries import summarize as summary_of
    from papergraph.store import open_store
    from server.opening import language_model, open_service

    chosen = settings()

    async def do(address: "Address", told: "TerminalProgress") -> "Summary":
        service_of = open_service(chosen, address, progress=told, deferred=True)
        async with service_of as service, language_model(chosen) as model:
            means = Means(service.embedder, model)
            return await summary_of(service.database, means, collection=collection, cluster=cluster, where=wanted)

    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        found = asyncio.run(do(address, told))
    show(found, _write_summary, as_json=as_json)


def _write_cluster(cluster: "ListedCluster") -> None:
    of = f"{cluster.field}: " if cluster.field else ""
    write(f"{cluster.id[:12]}  {cluster.kind:9}  level {cluster.level}  {cluster.n_members:6}  {of}{cluster.name}")


def _write_whole_cluster(found: "WholeCluster") -> None:
    _write_cluster(found.cluster)
    write("keywords: " + ", ".join(found.cluster.keywords))
    for name, relatives in (("above", found.parents), ("below", found.children)):
        for one in relatives:
            write(f"{name} {one.id[:12]}  {one.n_members:6}  {one.name}")
    for member in found.papers:
        write(f"{member.n:6}  {member.key}  {member.title}")


def _write_summary(summary: "Summary") -> None:
    by = summary.model or "no language model: keywords and central sentences"
    write(f"{summary.about}: {summary.n_papers} papers, {summary.n_questions} questions ({by})\n")
    write(summary.text)
    write("\nkeywords: " + ", ".join(summary.keywords))
