"""The questions of an experiment, and what is right: papers, chunks, evidence in the words of papers, or answers."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import cypher
from evaluation.answers.answer_ratings import GOOD, Rated, examples_of
from evaluation.answers.question_sets import MAX_QUESTION, Example, Kind, bounded_text, read_cases
from evaluation.corpus_store import LoadedCorpus
from evaluation.experiment.plan import Unit
from evaluation.experiment.texts import ChunkText, Holding, read_chunks
from evaluation.queries import Evidence, Judged, Span
from evaluation.task import Task
from papergraph.errors import DataFolderError, InputError
from papergraph.progress import Progress, silent
from server.answers.stored import rated_answers
from server.retrieval.resources import Resources

MOST_QUESTIONS = 10_000
LINES = ".jsonl"


@dataclass(frozen=True)
class Question:
    """A question with what is right.

    Attributes:
        id: Its identifier.
        text: What is asked.
        gains: Relevance of each paper, or chunk, that is right, by its id; more than 0.
        left_out: Papers that are never ranked.
    """

    id: str
    text: str
    gains: Mapping[str, float]
    left_out: frozenset[str] = frozenset()


class Asked(BaseModel):
    """A question as a line of a file has it; ``papers`` are right, or where evidence or answers are, looked in.

    A paper is named by its id, a key such as ``doi:10.1000/1``, or its title; an object gives grades.
    """

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    id: str | None = None
    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    papers: dict[str, float] | list[str] | None = None
    chunks: list[str] = []
    evidence: list[str] = []
    answers: list[str] = []
    kind: Kind = Kind.GIVEN

    @property
    def texts(self) -> Sequence[str]:
        """Words that a chunk must hold to be right: evidence, or without any, answers."""
        return self.evidence or self.answers

    @property
    def graded(self) -> Mapping[str, float]:
        """Papers by name, each with its grade."""
        return self.papers if isinstance(self.papers, dict) else dict.fromkeys(self.papers or (), 1.0)


def digest_of(questions: Iterable[Question]) -> str:
    """Return the sha-256 of questions with what is right."""
    said = [(one.id, one.text, sorted(one.gains.items()), sorted(one.left_out)) for one in questions]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


# A data folder


async def questions_of_task(resources: Resources, task: Task, corpus: LoadedCorpus, unit: Unit) -> list[Question]:
    """Return the questions of a data folder; documents that say the same are one paper.

    Raises:
        InputError: Each question has a list of documents to rank, or papers are judged and chunks are ranked.
        DatabaseError: Neo4j failed.
    """
    if task.queries[0].within is not None:
        raise InputError(
            f"{task.name} ranks documents of a list for each question, and an experiment searches all: use papergraph "
            "eval retrieval for this data",
            field="data",
        )
    if task.asks_for_evidence:
        return await _of_evidence(resources, task, corpus, unit)
    if unit is Unit.CHUNK:
        raise InputError(f"{task.name} judges documents: remove unit, which ranks chunks", field="unit")
    found = []
    for query in task.queries:
        gold = query.gold
        graded = {doc: float(gain) for doc, gain in gold.gains.items()} if isinstance(gold, Judged) else {}
        gains = graded or dict.fromkeys(gold.relevant, 1.0) if not isinstance(gold, Evidence) else {}
        papers: dict[str, float] = {}
        for doc, gain in gains.items():
            paper = corpus.paper_of.get(doc, f"not in the corpus: {doc}")
            papers[paper] = max(gain, papers.get(paper, 0.0))
        left_out = {corpus.paper_of[doc] for doc in (query.left_out,) if doc is not None and doc in corpus.paper_of}
        right = {paper: gain for paper, gain in papers.items() if gain > 0}
        found.append(Question(query.id, query.text, right, frozenset(left_out)))
    return [question for question in found if question.gains]


async def _of_evidence(resources: Resources, task: Task, corpus: LoadedCorpus, unit: Unit) -> list[Question]:
    places: dict[str, list[tuple[Span, ChunkText]]] = defaultdict(list)
    for chunk in await read_chunks(resources, corpus.collection):
        for document in corpus.documents_of.get(chunk.paper_id, ()):
            place = Span(document.id, chunk.start + document.shift, chunk.end + document.shift)
            places[document.id].append((place, chunk))
    found = []
    for query in task.queries:
        spans = query.gold.spans if isinstance(query.gold, Evidence) else ()
        right = {
            _unit_id(chunk, unit): 1.0
            for span in spans
            for place, chunk in places[span.doc]
            if span.is_covered_by(place)
        }
        found.append(Question(query.id, query.text, right))
    return [question for question in found if question.gains]


# A file, or ratings, about a collection


def read_asked(path: Path) -> list[Asked]:
    """Return the questions of a file: lines of JSON, or a test set in any of its forms.

    Raises:
        InputError: The file cannot be read, or a line is no question with something right.
    """
    if path.suffix != LINES:
        return asked_of(read_cases(path, source=path.name))
    try:
        text = bounded_text(path)
    except DataFolderError as error:
        raise InputError(str(error), field="questions") from error
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                asked = Asked.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                raise InputError(
                    f"{where} is no question: {'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}",
                    field="questions",
                ) from error
            if asked.kind is Kind.UNANSWERABLE:
                continue
            if not (asked.papers or asked.chunks or asked.texts):
                raise InputError(f"{where} names no papers, chunks, evidence or answers", field="questions")
            found.append(asked.model_copy(update={"id": asked.id or str(number)}))
    if not 2 <= len(found) <= MOST_QUESTIONS:
        raise InputError(
            f"{path} has {len(found):,} questions; an experiment needs 2 to {MOST_QUESTIONS:,}", field="questions"
        )
    return found


def asked_of(examples: Sequence[Example]) -> list[Asked]:
    """Return the questions of a test set that papers answer."""
    return [
        Asked(
            id=one.id,
            question=one.question,
            papers=None if one.papers is None else list(one.papers),
            evidence=list(one.evidence),
            answers=list(one.answers),
            kind=one.kind,
        )
        for one in examples
        if one.is_answerable and (one.evidence or one.answers or one.papers)
    ]


async def asked_of_ratings(resources: Resources, collection: str) -> list[Asked]:
    """Return the questions of stored answers that readers found good; their quotes are the evidence.

    Raises:
        InputError: There are fewer than two.
        DatabaseError: Neo4j failed.
    """
    found = asked_of(examples_of(await rated_answers(resources.database, collection)))
    if len(found) < 2:
        raise InputError(
            f"collection {collection!r} has {len(found)} stored answers that readers found good, and an experiment "
            "needs 2",
            field="ratings",
        )
    return found


async def questions_of(
    resources: Resources, asked: Sequence[Asked], collection: str, unit: Unit, *, progress: Progress = silent
) -> list[Question]:
    """Return questions with what is right in a collection; those with nothing right there are left out.

    Raises:
        InputError: A paper is not in the collection, only papers are named and chunks are ranked, or nothing is right.
        DatabaseError: Neo4j failed.
    """
    ids = await _papers_by_name(resources, asked, collection)
    texts = any(one.texts or one.chunks for one in asked)
    chunks = await read_chunks(resources, collection, progress=progress) if texts else []
    by_id, holding = {chunk.id: chunk for chunk in chunks}, Holding(chunks)
    found = []
    for one in asked:
        right: dict[str, float] = {}
        named = {ids[name]: grade for name, grade in one.graded.items() if grade > 0}
        if one.texts or one.chunks:
            looked_in = None if one.papers is None else frozenset(named)
            held = [*(by_id[id] for id in one.chunks if id in by_id), *holding.of(one.texts, looked_in)]
            right = {_unit_id(chunk, unit): 1.0 for chunk in held}
        elif unit is Unit.CHUNK:
            raise InputError(f"question {one.id} names papers, and chunks are ranked: remove unit", field="unit")
        else:
            right = named
        found.append(Question(one.id or "", one.question, right))
    right_ones = [question for question in found if question.gains]
    if len(right_ones) < 2:
        raise InputError(
            f"of {len(found):,} questions {len(right_ones)} have something right in collection {collection!r}",
            field="questions",
        )
    return right_ones


async def _papers_by_name(resources: Resources, asked: Sequence[Asked], collection: str) -> dict[str, str]:
    names = sorted({name for one in asked for name in one.graded})
    if not names:
        return {}
    records = await resources.database.read(
        cypher.load("evaluation/papers_by_name"), collection=collection, names=names
    )
    ids: dict[str, str] = {record["name"]: record["id"] for record in records}
    missing = [name for name in names if name not in ids]
    if missing:
        others = f", and {len(missing) - 1:,} others are missing too" if missing[1:] else ""
        raise InputError(
            f"collection {collection!r} has no paper {missing[0]!r}{others}; name papers by id, key or title as "
            "papergraph papers list shows them",
            field="questions",
        )
    return ids


def _unit_id(chunk: ChunkText, unit: Unit) -> str:
    return chunk.id if unit is Unit.CHUNK else chunk.paper_id


# All


def with_judgements(questions: Sequence[Question], ratings: Sequence[Rated]) -> list[Question]:
    """Return questions with what raters found right beside what was: a mean rating of 8 or more of a paper or chunk.

    Args:
        questions: The questions.
        ratings: Of what was shown for a question: ``id`` is the question's, ``reader`` the paper's or chunk's.
    """
    given: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in ratings:
        given[one.id, one.reader].append(one.rating)
    right: dict[str, dict[str, float]] = defaultdict(dict)
    for (question, unit), values in given.items():
        if sum(values) / len(values) >= GOOD:
            right[question][unit] = 1.0
    return [replace(one, gains=right[one.id] | dict(one.gains)) if one.id in right else one for one in questions]


def drawn(questions: Sequence[Question], n: int | None, *, seed: int) -> list[Question]:
    """Return ``n`` questions, drawn without replacement, in their order; all if None or fewer."""
    if n is None or n >= len(questions):
        return list(questions)
    chosen = np.random.default_rng(seed).choice(len(questions), size=n, replace=False)
    return [questions[number] for number in sorted(chosen)]


def shared(lists: Sequence[Sequence[Question]]) -> list[list[Question]]:
    """Return the questions that all places have something right for, in one order.

    Raises:
        InputError: These are fewer than two.
    """
    kept: Collection[str] = set.intersection(*({one.id for one in of} for of in lists))
    if len(kept) < 2:
        raise InputError(f"{len(kept)} questions have something right in all places", field="questions")
    return [[one for one in of if one.id in kept] for of in lists]
