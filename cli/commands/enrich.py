"""``papergraph enrich``: questions, entities, topics and links of papers."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_PARTIAL,
    EXIT_STOPPED,
    Collection,
    Estimate,
    Json,
    Queue,
    Quiet,
    progress,
    say,
    settings,
    show,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.ingest.enrichments.estimate import EnrichmentEstimate
    from papergraph.ingest.enrichments.run import EnrichReport


def write_enrichments(report: "EnrichReport") -> None:
    """Write what making enrichments did."""
    unchanged = report.n_papers - report.n_due
    write(
        f"{report.n_made} papers given enrichments ({', '.join(report.enrichments)}), {unchanged} had them, "
        f"in {report.elapsed_s:.1f} s"
    )
    for layer, note in report.notes.items():
        write(f"  {layer}: {note}")
    for layer, counts in report.counts.items():
        told = (f"{value:g} {name.removeprefix('n_').replace('_', ' ')}" for name, value in counts.items())
        write(f"  {layer}: {', '.join(told)}")
    usage = report.usage
    if usage.requests or usage.cached:
        kept = f", {usage.cached} answers kept" if usage.cached else ""
        write(f"  language model: {usage.requests} requests{kept}, {usage.tokens:,} tokens, cost {usage.cost:g}")
    for refused in report.failed:
        say(f"  {refused.source}: {refused.enrichment}: {refused.detail} [{refused.reason}]")
    if report.stopped:
        why = f": {report.detail}" if report.detail else ""
        say(f"job {report.job} is {report.stopped}{why}; run the same command again to resume")


Enrichments = Annotated[str, typer.Option(help="Comma-separated list, or all; the names are above.")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="TOML file of the options of enrichments.")]
QuestionsFrom = Annotated[
    str | None,
    typer.Option("--questions", help="Questions by auto, model, template, extractive, both, or none."),
]
MaxCost = Annotated[float | None, typer.Option(help="Stop before the language model costs more.", min=0)]

app = new_app()


@app.command(epilog="Example: papergraph enrich --enrichments questions,entities --estimate")
def enrich(
    enrichments: Enrichments = "all",
    collection: Collection = DEFAULT_COLLECTION,
    config: ConfigFile = None,
    questions: QuestionsFrom = None,
    estimate: Estimate = False,
    queue: Queue = False,
    max_cost: MaxCost = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add questions, entities, topics and links.

    The names are metadata, questions, entities, prototypes, clusters, links and map. Papers that have an enrichment
    keep it, so the command can be repeated.
    """
    from papergraph.ingest.enrichments.options import EnrichmentOptions
    from papergraph.server.local import enrich_operations as enriching
    from papergraph.store import open_store

    if estimate + queue + (max_cost is not None) > 1:
        raise InputError("Choose one of --estimate, --queue and --max-cost.", field="estimate")
    chosen = settings()
    if config:
        choice = EnrichmentOptions.read(config, names=enrichments)
    else:
        choice = EnrichmentOptions.of(chosen.enrichments, names=enrichments, folder=chosen.folder)
    choice = choice.with_questions(questions)
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        if queue:
            job = asyncio.run(enriching.enqueue(chosen, address, choice, collection=collection))
            told.pause()
            if as_json:
                write_json(job and asdict(job))
            elif job is None:
                write("All papers have these enrichments already.")
            else:
                from papergraph.cli.output import write_queued

                write_queued(job, f"{job.n_pending} tasks")
            return
        if estimate:
            found = asyncio.run(enriching.plan(chosen, address, choice, collection=collection, progress=told))
            told.pause()
            show(found, _write_plan, as_json=as_json)
            return
        working = enriching.enrich(chosen, address, choice, collection=collection, max_cost=max_cost, progress=told)
        report = asyncio.run(working)
        told.pause()
    show(report, write_enrichments, as_json=as_json)
    if report.stopped:
        raise typer.Exit(EXIT_STOPPED)
    if report.failed:
        raise typer.Exit(EXIT_PARTIAL)


def _write_plan(plan: "EnrichmentEstimate") -> None:
    write(
        f"{plan.n_due} of {plan.n_papers} papers lack an enrichment ({', '.join(plan.enrichments)}): "
        f"{plan.n_chunks} chunks"
    )
    for one in plan.expected:
        write(f"{one.enrichment:15} about {one.n_requests} requests, {one.n_tokens:,} tokens, cost {one.cost:g}")
    write(f"language model  at most {plan.n_requests} requests, {plan.n_tokens:,} tokens, cost {plan.cost:g}")
    if plan.spanning:
        write(f"then over the whole collection: {', '.join(plan.spanning)}")
    write(f"nothing was written; this took {plan.elapsed_s:.1f} s")


GROUP = Group("enrich", Section.PAPERS, 23, app, top=True)
