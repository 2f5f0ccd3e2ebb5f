"""``papergraph experiment``: which configuration is best for one's own questions, with evidence."""

import asyncio
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.common import EXIT_FAILED, Json, Quiet, progress, settings, write, write_json
from cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from evaluation.experiment.evaluate import Comparison, Needed

File = Annotated[Path, typer.Argument(help="TOML file of the experiment.")]
Record = Annotated[Path, typer.Argument(help="Folder of the record of an experiment.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for records.")]
RECORDS = Path("experiments")
BEST_SHOWN = 10
POOL_DEPTH = 10
NAME = re.compile(r"[a-z0-9][a-z0-9*._-]{0,63}")

app = new_app("Find the best pipeline for your own questions.")


@app.command(epilog="Example: papergraph experiment run mine.toml --output experiments")
def run(file: File, output: Output = RECORDS, as_json: Json = False, quiet: Quiet = False) -> None:
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


@app.command(epilog="Example: papergraph experiment compare experiments/0f3a experiments/77bc")
def compare(
    record: Record,
    other: Annotated[Path, typer.Argument(help="Folder of another record.")],
    as_json: Json = False,
) -> None:
    """Compare the arms that two records chose."""
    from evaluation.experiment.evaluate import compare as compare_records

    found = compare_records(record, other)
    if as_json:
        write_json(asdict(found))
    else:
        _write_comparison(found)


@app.command(epilog="Example: papergraph experiment repeat experiments/0f3a")
def repeat(record: Record, output: Output = RECORDS, as_json: Json = False, quiet: Quiet = False) -> None:
    """Run the experiment of a record again and compare.

    Exit 1 if what was found differs.
    """
    from evaluation.experiment.evaluate import repeat as repeat_record

    with progress(quiet=quiet or as_json) as told:
        folder, differences = repeat_record(settings(), record, output, progress=told)
        told.pause()
    if as_json:
        write_json({"record": folder, "same": not differences, "differences": differences})
    else:
        write("\n".join(differences) if differences else "the same figures")
        write(f"Record: {folder}")
    if differences:
        raise typer.Exit(EXIT_FAILED)


@app.command(epilog="Example: papergraph experiment adopt experiments/0f3a --name mine")
def adopt(
    record: Record,
    name: Annotated[str, typer.Option(help="Name of the new pipeline.")],
) -> None:
    """Print the chosen arm as a pipeline for papergraph.toml."""
    from cli.commands.pipelines import as_toml
    from evaluation.experiment.record import read_record
    from server.retrieval.pipelines import parse

    if not NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name of a pipeline: write small letters, digits, . _ * -", field="name")
    read = read_record(record)
    outcome = read["outcome"]
    arm = read["arms"][outcome["chosen"]]
    write(f"# {outcome['verdict']}")
    write(f"# {outcome['measure']} of {outcome['n_questions']} questions; record {record.name}")
    if model := arm["place"]["model"]:
        write(f"# chosen with another embedding model: papergraph embeddings switch {model}")
    if where := arm["place"]["where"]:
        kind = "chunker" if "data" in read["experiment"] else "collection"
        write(f"# chosen for {kind} {where}")
    pipeline = replace(parse(name, arm["pipeline"]), source=f"experiment {record.name}")
    write(as_toml(pipeline).replace("[", "[pipelines.", 1))


@app.command(epilog="Example: papergraph experiment guard mine.toml --against experiments/0f3a --bound 0.01")
def guard(
    file: File,
    against: Annotated[Path, typer.Option(help="Record to compare with.")],
    bound: Annotated[float, typer.Option(help="Largest loss that is accepted.", min=0.0)] = 0.01,
    output: Output = RECORDS,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fail if the baseline pipeline has become worse.

    Only the baseline is asked. Exit 1 if its mean is lower by more than the bound.
    """
    from evaluation.experiment.evaluate import experiment, regression
    from evaluation.experiment.record import read_record

    before = read_record(against)
    with progress(quiet=quiet or as_json) as told:
        done = experiment(settings(), file, output, progress=told, baseline_only=True)
        told.pause()
    worse = regression(read_record(done.folder), before, bound=bound)
    if as_json:
        write_json({"record": done.folder, "worse": worse})
    else:
        write(worse or "the baseline has not become worse")
    if worse:
        raise typer.Exit(EXIT_FAILED)


@app.command(epilog="Example: papergraph experiment pool experiments/0f3a pool.jsonl")
def pool(
    record: Record,
    file: Annotated[Path, typer.Argument(help="File to write, for papergraph ratings collect.")],
    depth: Annotated[int, typer.Option(help="Results of each run.", min=1, max=100)] = POOL_DEPTH,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what arms found and nobody judged.

    Without the names of the arms. Persons judge it with papergraph ratings collect.
    """
    from evaluation.experiment.judging import pool as write_pool
    from evaluation.report import check_folder

    check_folder(file, field="file")
    with progress(quiet=quiet or as_json) as told:
        found = write_pool(settings(), record, file, depth=depth, progress=told)
        told.pause()
    if as_json:
        write_json({"file": file, **asdict(found)})
    else:
        write(f"{found.n:,} texts of {found.n_questions:,} questions in {file}")


@app.command(epilog="Example: papergraph experiment judge pool.jsonl judgements.jsonl --tokens 100000")
def judge(
    given: Annotated[Path, typer.Argument(help="File of papergraph experiment pool.")],
    judgements: Annotated[Path, typer.Argument(help="File to append the judgements to, as JSON lines.")],
    tokens: Annotated[int | None, typer.Option(help="Most tokens of the language model.", min=1)] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Have the language model judge a pool.

    It rates 0 to 10, in an order of its own. Judged texts are not judged again.
    """
    from evaluation.answers.answer_ratings import RatingFile, read_shown
    from evaluation.experiment.judging import judge as judge_all
    from evaluation.report import check_folder
    from papergraph.language_model import Budget, LanguageModel

    check_folder(judgements, field="judgements")
    shown, rated = read_shown(given), RatingFile(judgements)

    async def work() -> int:
        async with LanguageModel.from_settings(settings()) as model:
            budget = None if tokens is None else Budget(tokens=tokens)
            return await judge_all(model, shown, rated, budget=budget, progress=told)

    with progress(quiet=quiet or as_json) as told:
        n = asyncio.run(work())
        told.pause()
    if as_json:
        write_json({"file": judgements, "n": n})
    else:
        write(f"{n:,} judgements added to {judgements}")


@app.command(epilog="Example: papergraph experiment needed experiments/0f3a --difference 0.02 --pool pool.jsonl")
def needed(
    record: Record,
    difference: Annotated[float, typer.Option(help="Difference to be shown.", min=1e-6, max=1.0)],
    pool: Annotated[Path | None, typer.Option(help="Pool of the record, to count judgements.")] = None,
    as_json: Json = False,
) -> None:
    """Say how many more questions a difference needs."""
    from evaluation.answers.answer_ratings import read_shown
    from evaluation.experiment.evaluate import needed as questions_needed

    found = questions_needed(record, difference, pooled=None if pool is None else len(read_shown(pool)))
    if as_json:
        write_json(asdict(found))
    else:
        _write_needed(found, difference)


def _write_comparison(found: "Comparison") -> None:
    write(f"{found.mean_one:.4f} {found.one}")
    write(f"{found.mean_other:.4f} {found.other}")
    of = found.difference
    write(
        f"{found.measure}, {found.n:,} questions: difference {of.mean:+.4f}, 95 % interval {of.low:+.4f} to "
        f"{of.high:+.4f}, p = {of.p:.4f}"
    )


def _write_needed(found: "Needed", difference: float) -> None:
    write(
        f"{found.n_now:,} questions report, and show differences from {found.detectable:.4f} in 80 % of samples; "
        f"{difference:g} takes {found.n:,}"
    )
    if not found.n_more:
        write("There are enough.")
        return
    judgements = "" if found.n_judgements is None else f", about {found.n_judgements:,} judgements"
    write(f"Ask {found.n_more:,} more questions{judgements}.")


def _show(folder: Path, *, as_json: bool) -> None:
    from evaluation.experiment.record import PAGE, read_record

    read = read_record(folder)
    outcome = read["outcome"]
    if as_json:
        write_json({"record": folder, **outcome})
        return
    means, costs = outcome["means"], outcome["costs"]
    for name in sorted(means, key=lambda one: -means[one])[:BEST_SHOWN]:
        mark = "*" if name in outcome["not_worse"] else " "
        front = "◆" if name in outcome["pareto"] else " "
        took = f"  p95 {costs[name]['latency']['p95']:.0f} ms" if name in costs else ""
        write(f"{means[name]:.4f} {mark}{front} {name}{took}")
    write(
        f"{len(means):,} arms, {outcome['n_questions']:,} questions, {outcome['measure']} of {outcome['unit']}s; "
        "* not shown to be worse, ◆ not beaten by quality, time and cost"
    )
    for warning in outcome["warnings"]:
        write(f"Note: {warning}")
    write(outcome["verdict"])
    write(f"Page: {folder / PAGE}")


GROUP = Group("experiment", Section.MEASURE, 64, app)
