"""``papergraph testset``: questions with answers to measure readers by, made by a model or brought in."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.commands import DEFAULT_COLLECTION, EXIT_PARTIAL, Collection, Json, Quiet, progress, settings, write

if TYPE_CHECKING:
    from evaluation.answers.testset import TestSet

testset_app = typer.Typer(
    help="Test sets: questions with answers, made of papers by a language model, or brought in.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@testset_app.command("make")
def make(
    file: Annotated[Path, typer.Argument(help="Where to write the questions, as JSON lines.")],
    n: Annotated[
        int, typer.Option("--n", "-n", help="How many: simple, reasoning and multi-context ones 2 to 1 to 1.", min=1)
    ] = 100,
    unanswerable: Annotated[
        int, typer.Option(help="How many of them to ask of another paper as well, which does not answer them.", min=0)
    ] = 0,
    share: Annotated[float, typer.Option(help="The share of papers that passages are drawn from.")] = 0.1,
    seed: Annotated[int, typer.Option(help="What is drawn follows from it.")] = 0,
    tokens: Annotated[int | None, typer.Option(help="Most tokens that the language model may take.", min=1)] = None,
    collection: Collection = DEFAULT_COLLECTION,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Have the language model write questions of drawn passages; status 4 when some could not be made."""
    from evaluation.answers.files import write_cases
    from evaluation.answers.testset import make_test_set
    from evaluation.report import check_folder
    from papergraph.language_model import Budget, LanguageModel
    from papergraph.store import open_store
    from server.opening import open_service

    check_folder(file, field="file")
    chosen = settings()
    model = LanguageModel.from_settings(chosen)  # before a Neo4j is started for nothing
    with progress(quiet=quiet or as_json) as told, open_store(chosen, progress=told) as address:

        async def work() -> "TestSet":
            async with model, open_service(chosen, address, progress=told, deferred=True) as service:
                return await make_test_set(
                    service.database,
                    model,
                    collection=collection,
                    n=n,
                    n_unanswerable=unanswerable,
                    share=share,
                    seed=seed,
                    budget=None if tokens is None else Budget(tokens=tokens),
                    progress=told,
                )

        found = asyncio.run(work())
        told.pause()
    write_cases(found.cases, file)
    if as_json:
        counts = {"questions": len(found.cases), "leftOut": dict(found.left_out), "short": dict(found.short)}
        write(json.dumps(counts, ensure_ascii=False))
    else:
        write(f"{len(found.cases)} questions in {file}")
        for reason, times in found.left_out.items():
            write(f"left out {times}: {reason}")
        for kind, lacking in found.short.items():
            write(f"{lacking} {kind} fewer than asked for")
    if found.short:
        raise typer.Exit(EXIT_PARTIAL)


@testset_app.command("import")
def bring_in(
    questions: Annotated[
        Path, typer.Argument(help="A .jsonl or .csv file with question, answer and source, or QASPER's .json.")
    ],
    file: Annotated[Path, typer.Argument(help="Where to write them, as JSON lines.")],
    source: Annotated[str | None, typer.Option(help="Where those come from that do not say so.")] = None,
) -> None:
    """Check questions and answers of others, and write them as a test set."""
    from evaluation.answers.files import read_cases, write_cases
    from evaluation.report import check_folder

    check_folder(file, field="file")
    found = read_cases(questions, source=source)
    write_cases(found, file)
    n_answered = sum(bool(case.answers) for case in found)
    write(f"{len(found)} questions in {file}, {n_answered} with an answer")
