"""``papergraph enrich``: layers over the papers of a collection."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.errors import InputError
from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_PARTIAL,
    EXIT_STOPPED,
    Collection,
    Json,
    Quiet,
    progress,
    say,
    settings,
    show,
    write,
)

if TYPE_CHECKING:
    from ingest.layers.plan import LayerPlan
    from ingest.layers.run import Report


def enrich(
    layers: Annotated[
        str,
        typer.Option(
            help="Which, with commas between: questions, entities, metadata, prototypes, clusters, links, or all."
        ),
    ] = "all",
    collection: Collection = DEFAULT_COLLECTION,
    config: Annotated[
        Path | None, typer.Option(help="TOML file of the layers' options; PAPERGRAPH_LAYERS if not given.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Write nothing; tell what it would take.")] = False,
    queue: Annotated[bool, typer.Option("--queue", help="Leave the work to papergraph worker; tells the job.")] = False,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop before the language model costs more, at the prices that are set.", min=0)
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make questions, entities, metadata, prototypes, clusters and links of papers without them; it can be repeated."""
    from ingest.layers.choice import LayerChoice
    from papergraph.store import open_store
    from schema.ids import check_collection
    from server import enriching

    check_collection(collection)
    if plan + queue + (max_cost is not None) > 1:
        raise InputError("of --plan, --queue and --max-cost, one at a time", field="plan")
    chosen = settings()
    choice = LayerChoice.read(config or chosen.layers, names=layers)
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        if queue:
            job = asyncio.run(enriching.enqueue(chosen, address, choice, collection=collection))
            told.pause()
            if as_json:
                write(json.dumps(job and asdict(job), default=str))
            elif job is None:
                write("all layers stand as they are configured; there is nothing to do")
            else:
                write(f"job {job.id}: {job.n_open} tasks queued; papergraph worker works them off")
            return
        if plan:
            found = asyncio.run(enriching.plan(chosen, address, choice, collection=collection, progress=told))
            told.pause()
            show(found, _write_plan, as_json=as_json)
            return
        working = enriching.enrich(chosen, address, choice, collection=collection, max_cost=max_cost, progress=told)
        report = asyncio.run(working)
        told.pause()
    show(report, _write_report, as_json=as_json)
    if report.stopped:
        raise typer.Exit(EXIT_STOPPED)
    if report.failed:
        raise typer.Exit(EXIT_PARTIAL)


def _write_plan(plan: "LayerPlan") -> None:
    write(f"{plan.n_due} of {plan.n_papers} papers lack a layer ({', '.join(plan.layers)}): {plan.n_chunks} chunks")
    write(f"language model  at most {plan.n_requests} requests, {plan.n_tokens:,} tokens, cost {plan.cost:g}")
    if plan.spanning:
        write(f"then over the whole collection: {', '.join(plan.spanning)}")
    write(f"nothing was written; this took {plan.elapsed_s:.1f} s")


def _write_report(report: "Report") -> None:
    unchanged = report.n_papers - report.n_due
    write(
        f"{report.n_made} papers given layers ({', '.join(report.layers)}), {unchanged} had them, "
        f"in {report.elapsed_s:.1f} s"
    )
    for layer, counts in report.counts.items():
        told = (f"{value:g} {name.removeprefix('n_').replace('_', ' ')}" for name, value in counts.items())
        write(f"  {layer}: {', '.join(told)}")
    usage = report.usage
    if usage.n_requests or usage.n_cached:
        kept = f", {usage.n_cached} answers kept" if usage.n_cached else ""
        write(f"  language model: {usage.n_requests} requests{kept}, {usage.tokens:,} tokens, cost {usage.cost:g}")
    for refused in report.failed:
        say(f"  {refused.source}: {refused.layer}: {refused.detail} [{refused.reason}]")
    if report.stopped:
        why = f": {report.detail}" if report.detail else ""
        say(f"job {report.job} is {report.stopped}{why}; the same command goes on")
