"""The questions of an experiment: of a data folder, of a file about the papers of a collection, or of its readers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import cypher
from evaluation.corpus_store import LoadedCorpus
from evaluation.queries import Evidence, Judged
from evaluation.task import Task
from papergraph.database import Database
from papergraph.errors import InputError
from server.papers.judgements import judged_questions

MOST_QUESTIONS, MOST_LINE_CHARS = 10_000, 100_000


@dataclass(frozen=True)
class Question:
    """A question with the papers that are right.

    Attributes:
        id: Its identifier.
        text: What is asked.
        gains: Relevance of each paper that is right, by the paper's id; more than 0.
        left_out: Papers that are never ranked.
    """

    id: str
    text: str
    gains: Mapping[str, float]
    left_out: frozenset[str] = frozenset()


def questions_of_task(task: Task, corpus: LoadedCorpus) -> list[Question]:
    """Return the questions of a data folder; documents that say the same are one paper.

    Raises:
        InputError: What is right is not told by documents of the whole corpus.
    """
    if isinstance(task.queries[0].gold, Evidence) or task.queries[0].within is not None:
        raise InputError(
            f"{task.name} judges passages, or documents of a list for each question. An experiment needs papers "
            "that are right among all; use papergraph eval retrieval for this data",
            field="data",
        )
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


async def questions_of_file(database: Database, path: Path, collection: str) -> list[Question]:
    """Return the questions of a file: lines of JSON with ``question`` and ``papers``.

    A paper is named by its id, a key such as ``doi:10.1000/1``, or its title.

    Raises:
        InputError: The file cannot be read, or names a paper that the collection does not hold.
        DatabaseError: Neo4j failed.
    """
    asked = list(_lines(path))
    names = sorted({name for _, papers in asked for name in papers})
    records = await database.read(cypher.load("evaluation/papers_by_name"), collection=collection, names=names)
    ids = {record["name"]: record["id"] for record in records}
    missing = [name for name in names if name not in ids]
    if missing:
        raise InputError(
            f"{path}: collection {collection!r} has no paper {missing[0]!r}, and {len(missing) - 1:,} others are "
            "missing too; name papers by id, key or title as papergraph papers list shows them",
            field="questions",
        )
    return [
        Question(str(number), text, dict.fromkeys((ids[name] for name in papers), 1.0))
        for number, (text, papers) in enumerate(asked, start=1)
    ]


async def questions_of_judgements(database: Database, collection: str) -> list[Question]:
    """Return the questions for which more readers of a collection find a paper relevant than irrelevant.

    Raises:
        UnknownCollectionError: There is no such collection.
        DatabaseError: Neo4j failed.
    """
    judged = await judged_questions(database, collection, most=MOST_QUESTIONS)
    asked = sorted((one.question, one.relevant) for one in judged if one.relevant)
    return [
        Question(str(number), text, dict.fromkeys(papers, 1.0)) for number, (text, papers) in enumerate(asked, start=1)
    ]


def drawn(questions: Sequence[Question], n: int | None, *, seed: int) -> list[Question]:
    """Return ``n`` questions, drawn without replacement, in their order; all if None or fewer."""
    if n is None or n >= len(questions):
        return list(questions)
    chosen = np.random.default_rng(seed).choice(len(questions), size=n, replace=False)
    return [questions[number] for number in sorted(chosen)]


def _lines(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if len(line) > MOST_LINE_CHARS or len(found) == MOST_QUESTIONS:
                    raise InputError(
                        f"{path} has a line of over {MOST_LINE_CHARS:,} characters or over {MOST_QUESTIONS:,} lines",
                        field="questions",
                    )
                if line.strip():
                    found.append(_read(line, f"{path}, line {number}"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}", field="questions") from error
    if len(found) < 2:
        raise InputError(f"{path} has {len(found)} questions; an experiment needs at least 2", field="questions")
    return found


def _read(line: str, where: str) -> tuple[str, tuple[str, ...]]:
    try:
        said: Any = json.loads(line)
        text, papers = said["question"], said["papers"]
        if not isinstance(text, str) or not text.strip() or not isinstance(papers, list) or not papers:
            raise ValueError("question must be a text, and papers a list")
        return text.strip(), tuple(str(paper) for paper in papers)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f'{where} is not {{"question": "...", "papers": ["doi:..."]}}: {error}', field="questions"
        ) from error
