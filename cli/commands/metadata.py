"""``papergraph metadata``: the fields of papers, and the papers per value."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Collection,
    Json,
    Quiet,
    say,
    show,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.ingest.enrichments.metadata.enrichment import MetadataReport

app = new_app("Print metadata fields and count their values.")


@app.command("fields")
def show_fields(
    file: Annotated[Path | None, typer.Option("--file", help="Check and print this file instead.")] = None,
    as_json: Json = False,
) -> None:
    """Print the metadata fields as TOML."""
    from papergraph.ingest.enrichments.metadata.enrichment import fields_text, read_fields

    read_fields(file)
    if as_json:
        write_json(tomllib.loads(fields_text(file)))
    else:
        write(fields_text(file).rstrip())


@app.command("stats")
def metadata_stats(collection: Collection = DEFAULT_COLLECTION, as_json: Json = False, quiet: Quiet = False) -> None:
    """Count papers per metadata value."""
    from papergraph.ingest.enrichments.metadata.enrichment import metadata_report
    from papergraph.schema.ids import check_collection

    check_collection(collection)
    found = with_database(lambda database: metadata_report(database, collection=collection), quiet=quiet or as_json)
    show(found, _write_metadata, as_json=as_json)
    if not found.values:
        say("No paper has metadata. Run papergraph enrich --enrichments metadata.")


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


GROUP = Group("metadata", Section.EXPLORE, 44, app)
