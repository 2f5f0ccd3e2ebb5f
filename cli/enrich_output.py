"""Output of what making enrichments did."""

from typing import TYPE_CHECKING

from cli.common import say, write

if TYPE_CHECKING:
    from ingest.enrichments.run import EnrichReport


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
