"""``papergraph ratings``: experts rate answers from 0 to 10, one by one."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    EXIT_NOTHING_FOUND,
    Collection,
    Json,
    Quiet,
    say,
    with_database,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.evaluation.answers.answer_ratings import Rated, RatingReport, Shown, Spread

SHOWN_SOURCE = 600
"""Characters of a source that are shown at first; typing ``m`` shows the whole source."""
HOW = "0 to 10, a comment behind it if you like; m shows the sources whole, s skips, q ends"
HOW_SIDE_BY_SIDE = "one rating from 0 to 10 for each answer, a comment behind them; m, s and q as for one answer"

app = new_app("Collect and summarize expert ratings.")


@app.command("collect", epilog="Example: papergraph ratings collect answers.jsonl ratings.jsonl --rater ada")
def collect(
    given: Annotated[Path, typer.Argument(help="File of papergraph eval answers --save-answers.")],
    ratings: Annotated[Path, typer.Argument(help="File to append the ratings to, as JSON lines.")],
    rater: Annotated[str, typer.Option(help="Name of the rater.")],
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", help="Show all answers to a question together.")
    ] = False,
) -> None:
    """Collect expert ratings.

    Show the answers one by one, without the name of the reader, and skip rated ones. Each rating is stored at once.
    With --side-by-side, show the answers of all readers to a question in a random order, and ask for a rating of each.
    """
    from papergraph.errors import InputError
    from papergraph.evaluation.answers.answer_ratings import RatingFile, read_shown
    from papergraph.evaluation.report import check_folder

    if not rater.strip():
        raise InputError("The rater needs a name: --rater NAME.", field="rater")
    check_folder(ratings, field="ratings")
    shown = read_shown(given)
    file = RatingFile(ratings)
    rater = rater.strip()
    groups = file.left_of_questions(shown, rater) if side_by_side else [[one] for one in file.left(shown, rater)]
    n_left = sum(map(len, groups))
    n_rated = 0
    try:
        for number, group in enumerate(groups, start=1):
            _write_group(group, f"{number} of {len(groups)}", whole=False)
            said = _asked(group)
            if said is None:
                break
            if said != "s":
                words = said.split(maxsplit=len(group))
                comment = " ".join(words[len(group) :])
                for one, score in zip(group, words, strict=False):
                    file.add(rater, one, float(score), comment)
                n_rated += len(group)
    finally:
        write(f"{n_rated} ratings added to {ratings}; {n_left - n_rated} answers are left")


@app.command("show")
def show(
    ratings: Annotated[list[Path], typer.Argument(help="Files of ratings: JSON lines, or CSV with a header.")],
    as_json: Json = False,
) -> None:
    """Summarize expert ratings.

    Print mean and spread per reader and rater, and the agreement of raters.
    """
    from papergraph.evaluation.answers.answer_ratings import read_ratings, summarised

    found = [rating for path in ratings for rating in read_ratings(path)]
    if not found:
        say("There are no ratings.")
        raise typer.Exit(EXIT_NOTHING_FOUND)
    report = summarised(found)
    if as_json:
        write_json(asdict(report))
    else:
        _write_report(report)


def _write_ratings(file: Path, ratings: "Sequence[Rated]") -> None:
    from papergraph.evaluation.report import write_text

    text = "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in ratings)
    write_text(file, text, field="ratings")


@app.command("stored", epilog="Example: papergraph ratings stored ratings.jsonl --questions questions.jsonl")
def stored(
    ratings: Annotated[Path, typer.Argument(help="File to write the ratings to, as JSON lines.")],
    collection: Collection = DEFAULT_COLLECTION,
    questions: Annotated[
        Path | None, typer.Option(help="File to write the questions of good answers to, as a test set.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Export ratings of stored answers.

    A good answer counts 10, a bad one 0. A question file has the questions of answers without bad ratings.
    """
    from papergraph.evaluation.answers.answer_ratings import examples_of, ratings_of
    from papergraph.evaluation.answers.question_sets import write_cases
    from papergraph.evaluation.report import check_folder
    from papergraph.server.answers.stored import rated_answers

    for path, field in ((ratings, "ratings"), (questions, "questions")):
        check_folder(path, field=field)
    found = with_database(lambda database: rated_answers(database, collection), quiet=quiet)
    if not found:
        say("There are no rated answers.")
        raise typer.Exit(EXIT_NOTHING_FOUND)
    lines = ratings_of(found)
    _write_ratings(ratings, lines)
    write(f"{len(lines)} ratings of {len(found)} answers in {ratings}")
    if questions is not None:
        cases = examples_of(found)
        write_cases(cases, questions)
        write(f"{len(cases)} questions in {questions}")


def _asked(group: "Sequence[Shown]") -> str | None:
    """Return a rating of each answer with a comment, ``s`` to skip, or None to stop."""
    while True:
        try:
            said = input("ratings> " if len(group) > 1 else "rating> ").strip()
        except EOFError:
            return None
        if said == "q":
            return None
        words = said.split()
        if said == "m":
            _write_group(group, "sources whole", whole=True)
        elif said == "s" or (len(words) >= len(group) and all(map(_is_rating, words[: len(group)]))):
            return said
        else:
            write(HOW_SIDE_BY_SIDE if len(group) > 1 else HOW)


def _is_rating(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 <= int(text) <= 10


def _write_group(group: "Sequence[Shown]", head: str, *, whole: bool) -> None:
    write(f"\n--- {head} ---")
    write(f"question: {_clean(group[0].question)}")
    for place, one in enumerate(group, start=1):
        number = f" {place}" if len(group) > 1 else ""
        if one.answer or one.refusal is not None:
            write(f"answer{number}: {_clean(one.answer) or '(none: ' + _clean(one.refusal or 'refused') + ')'}")
        for source_number, source in enumerate(one.sources, start=1):
            text = _clean(source.get("text", ""))
            cut = "" if whole or len(text) <= SHOWN_SOURCE else " …"
            shown = text if whole else text[:SHOWN_SOURCE]
            write(f"[{source_number}] {_clean(source.get('title', ''))}: {shown}{cut}")


def _clean(text: str) -> str:
    """Return text of papers and models without what a terminal would obey."""
    from papergraph.ingest.enrichments.questions.candidates import one_line

    return one_line(text)


def _write_report(report: "RatingReport") -> None:
    from papergraph.cli.output import write_table

    head = ("", "n", "mean", "median", "sd", "lowest", "highest", "8 or above")
    rows = [(f"reader {name}" if name else "reader (no name)", *_cells(one)) for name, one in report.readers.items()]
    rows += [(f"rater {name}", *_cells(one)) for name, one in report.raters.items()]
    write_table(head, rows)
    alpha = "not defined" if report.alpha is None else f"{report.alpha:.3f}"
    write(f"agreement over {report.n_shared} answers with several ratings: Krippendorff's alpha (interval) {alpha}")
    for name, share in report.preferred.items():
        label = name or "(no name)"
        write(f"reader {label} preferred over {share:.3f} of the others, {report.n_compared} comparisons")
    for pair, rho in report.spearman.items():
        write(f"Spearman's rho of {pair}: {rho:.3f}")


def _cells(one: "Spread") -> tuple[str, ...]:
    sd = "" if one.sd is None else f"{one.sd:.2f}"
    numbers = (f"{one.mean:.2f}", f"{one.median:g}", sd, f"{one.lowest:g}", f"{one.highest:g}", f"{one.share_good:.0%}")
    return (str(one.n), *numbers)


GROUP = Group("ratings", Section.MEASURE, 63, app)
