"""Ratings of answers by experts, from 0 to 10, and ratings of stored answers in the same form.

A file of ratings is JSON lines: who rated (``rater``) what (``id`` of the question, ``reader``) how (``rating``), with
a ``comment`` and the time. Lines are only added, each on disk before the next question is shown; the last rating of a
rater for an answer counts.
"""

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from scipy.stats import spearmanr

from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.answers.answer_scores import wins
from papergraph.evaluation.answers.question_sets import Example, bounded_text
from papergraph.server.answers.stored import StoredAnswer, Verdict

LOWEST, HIGHEST = 0, 10
GOOD = 8
"""From here on a rating counts as good, as in the thesis' user study."""
LEAST_SHARED = 3
"""Answers that two raters must share before their ranks are compared."""

Key = tuple[str, str]
"""Id of a question, and the reader whose answer it is."""


@dataclass(frozen=True)
class Rated:
    """A rating.

    Attributes:
        rater: Who rated.
        id: The question.
        reader: Whose answer.
        rating: 0, useless, to 10, as good as can be.
        comment: What the rater says.
        at: When, in UTC, as ISO 8601 has it; '' where a file does not tell.
    """

    rater: str
    id: str
    reader: str
    rating: float
    comment: str = ""
    at: str = ""

    @property
    def key(self) -> Key:
        """Key of the rated answer."""
        return self.id, self.reader


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    rater: str = Field(min_length=1, max_length=200)
    id: str = Field(min_length=1)
    reader: str = ""
    rating: float = Field(ge=LOWEST, le=HIGHEST, allow_inf_nan=False)
    comment: str = ""
    at: str = ""


class Shown(BaseModel):
    """An answer as an expert is shown it; a line of what ``papergraph eval answers --save-answers`` writes."""

    model_config = ConfigDict(extra="ignore")

    id: str
    reader: str = ""
    question: str
    answer: str = ""
    refusal: str | None = None
    sources: list[dict[str, str]] = []


def read_shown(path: Path) -> list[Shown]:
    """Read answers to rate.

    Raises:
        FileContentError: The file is unreadable, or a line is malformed.
    """
    found = []
    for number, line in enumerate(bounded_text(path).split("\n"), start=1):
        if line.strip():
            try:
                found.append(Shown.model_validate_json(line))
            except ValidationError as error:
                raise FileContentError(f"{path}:{number}", f"is no answer to rate: {_problem(error)}") from error
    if not found:
        raise FileContentError(str(path), "there is no answer in it")
    return found


def read_ratings(path: Path) -> list[Rated]:
    """Read ratings of a file of JSON lines, or of CSV with a header; the last rating of a rater for an answer counts.

    Raises:
        FileContentError: The file cannot be read, or a line is no rating; the message names it.
    """
    text = bounded_text(path)
    found: dict[tuple[str, Key], Rated] = {}
    rows: list[tuple[int, Any]]
    try:
        if path.suffix == ".csv":
            reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
            rows = [(reader.line_num, row) for row in reader]
        else:
            whole = text[: text.rfind("\n") + 1]  # a line without its end was cut off when it was written
            rows = [(n, json.loads(line)) for n, line in enumerate(whole.split("\n"), start=1) if line.strip()]
    except (ValueError, csv.Error) as error:
        raise FileContentError(str(path), f"is no file of ratings: {error}") from error
    for number, row in rows:
        try:
            given = {name: value for name, value in row.items() if value is not None}
            rated = Rated(**_Line.model_validate(given).model_dump())
        except (ValidationError, AttributeError) as error:
            told = _problem(error) if isinstance(error, ValidationError) else "not an object"
            raise FileContentError(f"{path}:{number}", f"is no rating: {told}") from error
        found[rated.rater, rated.key] = rated
    return list(found.values())


class RatingFile:
    """A file that ratings are added to; what it holds is read when it is opened."""

    def __init__(self, path: Path) -> None:
        """Open or make the file, and take off a last line that was cut off.

        Raises:
            InputError: It cannot be written.
            FileContentError: It is no file of ratings.
        """
        if path.suffix == ".csv":
            raise InputError("ratings are added to a file of JSON lines; CSV is read alone", field="ratings")
        self._path = path
        try:
            path.touch()
            data = path.read_bytes()
            if (whole := data.rfind(b"\n") + 1) < len(data):
                os.truncate(path, whole)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}", field="ratings") from error
        self._known = {(one.rater, one.key) for one in read_ratings(path)}

    def left(self, shown: Sequence[Shown], rater: str) -> list[Shown]:
        """Return the answers that a rater has not rated, in the rater's random order, which hides the readers."""
        order = sorted(shown, key=lambda one: (one.id, one.reader))
        Random(rater).shuffle(order)  # noqa: S311
        return [one for one in order if (rater, (one.id, one.reader)) not in self._known]

    def left_of_questions(self, shown: Sequence[Shown], rater: str) -> list[list[Shown]]:
        """Return what :meth:`left` gives by question, the questions and the answers of each in its order."""
        found: dict[str, list[Shown]] = {}
        for one in self.left(shown, rater):
            found.setdefault(one.id, []).append(one)
        return list(found.values())

    def add(self, rater: str, shown: Shown, rating: float, comment: str = "") -> Rated:
        """Add a rating; it is on the disk when this returns.

        Raises:
            InputError: The rating is not 0 to 10, or the file cannot be written.
        """
        if not LOWEST <= rating <= HIGHEST:
            raise InputError(f"a rating is {LOWEST} to {HIGHEST}, not {rating:g}", field="rating")
        at = datetime.now(UTC).isoformat(timespec="seconds")
        rated = Rated(rater, shown.id, shown.reader, rating, comment, at)
        line = json.dumps(asdict(rated), ensure_ascii=False).encode() + b"\n"
        try:
            with self._path.open("ab", buffering=0) as file:
                file.write(line)
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror}", field="ratings") from error
        self._known.add((rater, rated.key))
        return rated


@dataclass(frozen=True)
class Spread:
    """Ratings of a reader, or by a rater; ``sd`` is the sample's, None of a single rating."""

    n: int
    mean: float
    median: float
    sd: float | None
    lowest: float
    highest: float
    share_good: float


@dataclass(frozen=True)
class RatingReport:
    """Report of ratings.

    Attributes:
        readers: Ratings of each reader's answers.
        raters: Ratings by each rater.
        alpha: Agreement of raters, see :func:`krippendorff_alpha`; None if undefined.
        n_shared: Number of answers with two or more raters.
        spearman: Rank correlation of two raters over at least 3 common answers.
        preferred: For each compared reader the mean share of other readers whose answer to the same question got a
            lower rating by the same rater; ties count half, 0.5 is chance.
        n_compared: Number of (question, rater) pairs in ``preferred``.
    """

    readers: Mapping[str, Spread]
    raters: Mapping[str, Spread]
    alpha: float | None
    n_shared: int
    spearman: Mapping[str, float]
    preferred: Mapping[str, float]
    n_compared: int


def summarised(ratings: Sequence[Rated]) -> RatingReport:
    """Return mean, spread and agreement of ratings."""
    by_answer: dict[Key, dict[str, float]] = {}
    for one in ratings:
        by_answer.setdefault(one.key, {})[one.rater] = one.rating
    readers = dict.fromkeys(one.reader for one in ratings)
    raters = dict.fromkeys(one.rater for one in ratings)
    correlations = {}
    for first, second in combinations(sorted(raters), 2):
        shared = [(of[first], of[second]) for of in by_answer.values() if first in of and second in of]
        if len(shared) >= LEAST_SHARED and all(len(set(column)) > 1 for column in zip(*shared, strict=True)):
            correlations[f"{first}, {second}"] = float(spearmanr(*zip(*shared, strict=True)).statistic)
    won, n_compared = _won(ratings)
    return RatingReport(
        {name: _spread([one.rating for one in ratings if one.reader == name]) for name in readers},
        {name: _spread([one.rating for one in ratings if one.rater == name]) for name in raters},
        krippendorff_alpha([list(of.values()) for of in by_answer.values()]),
        sum(len(of) > 1 for of in by_answer.values()),
        correlations,
        {name: float(np.mean(won[name])) for name in readers if name in won},
        n_compared,
    )


def _won(ratings: Sequence[Rated]) -> tuple[dict[str, list[float]], int]:
    """Return for each reader the shares of others that a rater rated lower, and how often readers were compared."""
    together: dict[tuple[str, str], dict[str, float]] = {}
    for one in ratings:
        together.setdefault((one.rater, one.id), {})[one.reader] = one.rating
    compared = [of for of in together.values() if len(of) > 1]
    won: dict[str, list[float]] = {}
    for of in compared:
        for reader, share in zip(of, wins(list(of.values())), strict=True):
            won.setdefault(reader, []).append(share)
    return won, len(compared)


def krippendorff_alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Return how far raters agree beyond chance, for ratings on an interval scale.

    α = 1 - Dₒ / Dₑ, where Dₒ is the mean squared difference of ratings within a unit, weighted by the unit's number of
    ratings, and Dₑ that of all ratings in units with several.

    Args:
        units: For each answer its ratings, in any order; answers may have different numbers of ratings.

    Returns:
        At most 1, which is agreement; 0 is chance, below is worse. None if all answers have single ratings, or all
        ratings are equal.

    Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, repository.upenn.edu/asc_papers/43.
    """
    pairable = [np.asarray(unit, np.float64) for unit in units if len(unit) > 1]
    if not pairable:
        return None
    values = np.concatenate(pairable)
    n = len(values)
    observed = sum(_squares(unit) / (len(unit) - 1) for unit in pairable) / n
    expected = _squares(values) / (n * (n - 1))
    return 1.0 - observed / expected if expected > 0 else None


def _squares(values: Any) -> float:
    """Return the sum of squared differences over all ordered pairs."""
    return float(2 * (len(values) * np.sum(np.square(values)) - np.square(np.sum(values))))


def _spread(values: Sequence[float]) -> Spread:
    ratings = np.asarray(values, np.float64)
    return Spread(
        len(ratings),
        float(ratings.mean()),
        float(np.median(ratings)),
        float(ratings.std(ddof=1)) if len(ratings) > 1 else None,
        float(ratings.min()),
        float(ratings.max()),
        float((ratings >= GOOD).mean()),
    )


def _problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"


RATING = {Verdict.UP: float(HIGHEST), Verdict.DOWN: float(LOWEST)}
SOURCE = "answers that readers rated as good"


def ratings_of(answers: Sequence[StoredAnswer]) -> list[Rated]:
    """Return the ratings of answers: good is 10, bad is 0, and the reader is the model or ``extractive``."""
    return [
        Rated(
            rater=rating.rater or "local",
            id=answer.id,
            reader=answer.model or "extractive",
            rating=RATING[rating.verdict],
            comment=rating.comment,
            at=rating.rated_at.isoformat(timespec="seconds"),
        )
        for answer in answers
        for rating in answer.ratings
    ]


def examples_of(answers: Sequence[StoredAnswer]) -> list[Example]:
    """Return the questions whose answers are rated as good by all their raters, with answer, quotes and papers.

    Refusals have no answer to compare with, and are left out; of several answers to a question all are right.
    """
    found: dict[str, Example] = {}
    for answer in answers:
        good = answer.ratings and all(rating.verdict is Verdict.UP for rating in answer.ratings)
        if not good or answer.text is None:
            continue
        before = found.get(answer.question)
        quotes = tuple(dict.fromkeys(citation.quote for citation in answer.citations))
        found[answer.question] = Example(
            id=before.id if before else answer.id,
            question=answer.question,
            answers=(*(before.answers if before else ()), answer.text),
            evidence=tuple(dict.fromkeys((*(before.evidence if before else ()), *quotes))),
            source=SOURCE,
        )
    return list(found.values())
