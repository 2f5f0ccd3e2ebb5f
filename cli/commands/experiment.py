"""``papergraph experiment``: which configuration is best for one's own questions, with evidence."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cli.common import EXIT_FAILED, Json, Quiet, progress, settings, write, write_json
from cli.groups import Group, Section, new_app
from papergraph.errors import InputError

File = Annotated[Path, typer.Argument(help="TOML file of the experiment.")]
Record = Annotated[Path, typer.Argument(help="Folder of the record of an experiment.")]
BEST_SHOWN = 10
NAME = re.compile(r"[a-z0-9][a-z0-9*._-]{0,63}")

app = new_app("Find the best pipeline for your own questions.")


@app.command(epilog="Example: papergraph experiment run mine.toml --output experiments")
def run(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for records.")] = Path("experiments"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run an experiment and write its record."""
    from evaluation.experiment.evaluate import experiment

    with progress(quiet=quiet or as_json) as told:
        done = experiment(settings(), file, output, progress=told)
        told.pause()
    _show(done.folder, as_json=as_json)


@app.command()
def show(record: Record, as_json: Json = False) -> None:
    """Show what an experiment found."""
    _show(record, as_json=as_json)


@app.command(epilog="Example: papergraph experiment adopt experiments/0f3a --name mine")
def adopt(
    record: Record,
    name: Annotated[str, typer.Option(help="Name of the new pipeline.")],
) -> None:
    """Print the chosen arm as a pipeline for papergraph.toml."""
    from cli.commands.pipelines import as_toml
    from evaluation.experiment.record import read_record
    from server.retrieval.pipelines import find, known_pipelines

    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name of a pipeline: write small letters, digits, . _ * -", field="name")
    read = read_record(record)
    outcome = read["outcome"]
    arm = read["arms"][outcome["chosen"]]
    known = known_pipelines(settings())
    pipeline = find(outcome["chosen"].partition(" ")[0], known).overridden(arm["overrides"])
    write(f"# {outcome['verdict']}")
    write(f"# {outcome['measure']} of {outcome['n_questions']} questions; record {record.name}")
    written = as_toml(replace(pipeline, name=name, source=f"experiment {record.name}"))
    write(written.replace("[", "[pipelines.", 1))


@app.command(epilog="Example: papergraph experiment guard mine.toml --against experiments/0f3a --bound 0.01")
def guard(
    file: File,
    against: Annotated[Path, typer.Option(help="Record to compare with.")],
    bound: Annotated[float, typer.Option(help="Largest loss that is accepted.", min=0.0)] = 0.01,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for records.")] = Path("experiments"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fail if the baseline pipeline has become worse."""
    from evaluation.experiment.evaluate import experiment, regression
    from evaluation.experiment.record import read_record

    before = read_record(against)
    with progress(quiet=quiet or as_json) as told:
        done = experiment(settings(), file, output, progress=told)
        told.pause()
    worse = regression(read_record(done.folder), before, bound=bound)
    if as_json:
        write_json({"record": done.folder, "worse": worse})
    else:
        write(worse or "the baseline has not become worse")
    if worse:
        raise typer.Exit(EXIT_FAILED)


def _show(folder: Path, *, as_json: bool) -> None:
    from evaluation.experiment.record import PAGE, read_record

    read = read_record(folder)
    outcome = read["outcome"]
    if as_json:
        write_json({"record": folder, **outcome})
        return
    means = outcome["means"]
    for name in sorted(means, key=lambda one: -means[one])[:BEST_SHOWN]:
        mark = "*" if name in outcome["not_worse"] else " "
        write(f"{means[name]:.4f} {mark} {name}")
    write(f"{len(means):,} arms, {outcome['n_questions']:,} questions, {outcome['measure']}; * not shown to be worse")
    for warning in outcome["warnings"]:
        write(f"Note: {warning}")
    write(outcome["verdict"])
    write(f"Page: {folder / PAGE}")


GROUP = Group("experiment", Section.MEASURE, 64, app)
