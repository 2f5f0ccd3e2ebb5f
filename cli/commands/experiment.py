"""``papergraph experiment``: the best pipeline of a grid for one's own questions."""

import re
from pathlib import Path
from typing import Annotated

import typer

from papergraph.cli.common import Json, Quiet, progress, settings, write, write_json
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

File = Annotated[Path, typer.Argument(help="TOML file of the experiment.")]
Record = Annotated[Path, typer.Argument(help="Folder of the record of an experiment.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for records.")]
RECORDS = Path("experiments")
NAME = re.compile(r"[a-z0-9][a-z0-9*._-]{0,63}")

app = new_app("Find the best pipeline for your own questions.")


@app.command(epilog="Example: papergraph experiment run mine.toml --output experiments")
def run(file: File, output: Output = RECORDS, as_json: Json = False, quiet: Quiet = False) -> None:
    """Run an experiment and write its record."""
    from papergraph.evaluation.experiment.record import run_experiment

    with progress(quiet=quiet or as_json) as told:
        folder = run_experiment(settings(), file, output, progress=told)
        told.pause()
    _show(folder, as_json=as_json)


@app.command()
def show(record: Record, as_json: Json = False) -> None:
    """Show the result of an experiment."""
    _show(record, as_json=as_json)


@app.command(epilog="Example: papergraph experiment adopt experiments/0f3a --name mine")
def adopt(
    record: Record,
    name: Annotated[str, typer.Option(help="Name of the new pipeline.")],
) -> None:
    """Print the chosen arm as a pipeline for papergraph.toml."""
    from papergraph.cli.commands.pipelines import as_toml
    from papergraph.evaluation.experiment.record import adopted, read_record

    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name of a pipeline: write small letters, digits, . _ * -", field="name")
    found = read_record(record)["found"]
    write(f"# {found['verdict']}")
    write(f"# {len(found['questions'])} questions of {found['name']}; record {record.name}")
    write(as_toml(adopted(record, name)).replace("[", "[pipelines.", 1))


def _show(folder: Path, *, as_json: bool) -> None:
    from papergraph.evaluation.experiment.record import PAGE, read_record, report_of

    record = read_record(folder)
    if as_json:
        write_json({"record": folder, **record["found"]})
        return
    write(report_of(record).as_text())
    write(f"Page: {folder / PAGE}")


GROUP = Group("experiment", Section.MEASURE, 64, app)
