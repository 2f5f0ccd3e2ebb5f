"""The command doctor."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import EXIT_FAILED, Json, Quiet, progress, settings, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.cli.output import write_models

if TYPE_CHECKING:
    from papergraph.ingest.doctor import DoctorReport, Store


# Output of an examination of the store


def write_examination(report: "DoctorReport") -> None:
    """Write the state of the store, the repairs, and a table of findings with advice."""
    from rich.console import Console
    from rich.table import Table

    store = report.store
    version = "none" if store.schema_version is None else store.schema_version
    print(f"Neo4j {store.neo4j}, schema {version}, {store.n_online} of {store.n_indexes} indexes online")  # noqa: T201
    print(f"{store.n_papers} papers, {store.n_sections} sections, {store.n_chunks} chunks")  # noqa: T201
    write_models(store.models)
    print(_index_memory(store))  # noqa: T201
    for repair in report.repairs:
        print(f"{repair.check}: {repair.n} {repair.action}")  # noqa: T201
    told = f"{len(report.findings)} found something" if report.findings else "nothing is wrong"
    print(f"{report.n_checks} checks in {report.elapsed_s:.1f} s: {told}")  # noqa: T201
    if not report.findings:
        return
    table = Table("check", "faults", "what is wrong", "what to do", show_lines=True)
    for finding in report.findings:
        name = f"{finding.check} (warning)" if finding.is_warning else finding.check
        table.add_row(name, str(finding.n), finding.means, finding.advice)
    Console(markup=False, highlight=False).print(table)
    for finding in report.findings:
        for fault in finding.examples:
            place = f" (paper {fault.paper_id} from {fault.source})" if fault.source else ""
            print(f"{finding.check}: {fault.id} {fault.problem}{place}")  # noqa: T201


def _index_memory(store: "Store") -> str:
    if store.memory is None:
        return "vector and full-text indexes: sizes unknown, because this Neo4j is not the local one"
    vector, fulltext = store.memory.vector_bytes / 1e9, store.memory.fulltext_bytes / 1e9
    left = store.memory.file_cache_bytes / 1e9
    return f"vector indexes {vector:.1f} GB, full-text {fulltext:.1f} GB; {left:.1f} GB of memory are left for them"


# ``papergraph doctor``: the integrity of the graph


app = new_app()


@app.command(epilog="Example: papergraph doctor --fix")
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Apply lossless repairs.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check graph integrity (exit 1 if problems remain)."""
    from papergraph.server.local import store_operations as working
    from papergraph.store import open_store

    chosen = settings()
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:
        report = asyncio.run(working.doctor(chosen, address, fix=fix, progress=told))
        told.pause()
    if as_json:
        write_json({"healthy": report.healthy, **asdict(report)})
    else:
        write_examination(report)
    if not report.healthy:
        raise typer.Exit(EXIT_FAILED)


GROUP = Group("doctor", Section.OPERATE, 51, app, top=True)
