"""Commands about groups of papers: their metadata, and the clusters that they form."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.commands import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    say,
    show,
    with_database,
    write,
)

if TYPE_CHECKING:
    from ingest.layers.metadata import MetadataReport

metadata_app = typer.Typer(
    help="What papers are described by: fields, values, and how many papers have each.",
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
