"""``papergraph clusters``: list, show and summarize groups of papers."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    show,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.cli.output import TerminalProgress
    from papergraph.ingest.enrichments.clusters.stored_clusters import ListedCluster, WholeCluster
    from papergraph.ingest.enrichments.summaries import Summary
    from papergraph.store import Address

app = new_app("List, show and summarize clusters of papers.")


@app.command("list")
def list_them(
    collection: Collection = DEFAULT_COLLECTION,
    kind: Annotated[str | None, typer.Option(help="metadata, topic or community [all].")] = None,
    level: Annotated[int | None, typer.Option(help="Level; 0 is the finest [all].", min=0)] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of largest clusters.", min=1, max=10_000)] = 50,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """List clusters, largest first."""
    from papergraph.ingest.enrichments.clusters.stored_clusters import list_clusters

    found = with_database(
        lambda database: list_clusters(database, collection=collection, kind=kind, level=level, limit=limit),
        quiet=quiet or as_json,
    )
    if as_json:
        write_json([asdict(cluster) for cluster in found])
    for cluster in found if not as_json else ():
        _write_cluster(cluster)
    if not found:
        say("There are no clusters. Run papergraph enrich --enrichments clusters.")


@app.command("show")
def show_cluster(
    name: Annotated[str, typer.Argument(help="Id of a cluster, or its beginning.")],
    collection: Collection = DEFAULT_COLLECTION,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Number of papers.", min=1, max=10_000)] = 20,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a cluster and its papers."""
    from papergraph.ingest.enrichments.clusters.stored_clusters import find_cluster

    found = with_database(
        lambda database: find_cluster(database, collection=collection, begin=name, n_papers=limit),
        quiet=quiet or as_json,
    )
    show(found, _write_whole_cluster, as_json=as_json)


@app.command("summarize", epilog="Example: papergraph clusters summarize --where task=ranking")
def summarize(
    cluster: Annotated[str | None, typer.Option(help="Id of a cluster, or its beginning.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Metadata as FIELD=VALUE; repeatable."),
    ] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Summarize a group of papers.

    Values of the same field are alternatives. A summary is stored until one of its papers changes.
    """
    wanted: list[tuple[str, str]] = []
    for pair in where or []:
        field, equals, value = pair.partition("=")
        if not (field and equals and value):
            raise InputError(f"{pair[:80]!r} is not FIELD=VALUE, such as task=ranking.", field="where")
        wanted.append((field, value))
    from papergraph.ingest.enrichments.enrichment import EnrichmentContext
    from papergraph.ingest.enrichments.summaries import by_field
    from papergraph.ingest.enrichments.summaries import summarize as summary_of
    from papergraph.server.startup import language_model, open_service
    from papergraph.store import open_store

    chosen = settings()

    async def do(address: "Address", told: "TerminalProgress") -> "Summary":
        service_of = open_service(chosen, address, progress=told)
        async with service_of as service, language_model(chosen) as model:
            resources = EnrichmentContext(service.embedder, model)
            where = by_field(wanted)
            return await summary_of(service.database, resources, collection=collection, cluster=cluster, where=where)

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


GROUP = Group("clusters", Section.EXPLORE, 43, app)
