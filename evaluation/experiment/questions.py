"""Questions of an experiment about a collection: a file, and what it names as right, found in the collection."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from papergraph import cypher
from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.answers.question_sets import MAX_QUESTION, Example, Kind, bounded_text, read_cases
from papergraph.evaluation.corpus_store import IngestFigures, LoadedCorpus
from papergraph.evaluation.measures import Measure
from papergraph.evaluation.queries import Evidence, Judged, Query, Span
from papergraph.evaluation.task import CorpusDocument, Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.scope import SEARCHED_KINDS

LEAST_QUESTIONS, MOST_QUESTIONS = 2, 10_000
LINES = ".jsonl"
PAGE = 2000
MOST_CHUNKS = 200_000
"""Chunks whose texts are kept in memory, about 400 MB."""
LEAST_WORDS_HALVED = 12
"""A chunk holds evidence of so many words if it holds either half."""
_WORD = re.compile(r"\w+")


class Asked(BaseModel):
    """Question as a line of a file has it.

    ``papers`` are right, or with evidence, chunks or answers, the papers to look in. A paper is named by its id, a key
    such as ``doi:10.1000/1``, or its title; an object gives grades.
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
    def names_passages(self) -> bool:
        """True if the gold is chunks instead of papers."""
        return bool(self.texts or self.chunks)

    @property
    def graded(self) -> Mapping[str, float]:
        """Papers by name, each with its grade."""
        return self.papers if isinstance(self.papers, dict) else dict.fromkeys(self.papers or (), 1.0)


def read_asked(path: Path) -> list[Asked]:
    """Return the questions of a file: lines of JSON, or a test set in any of its forms.

    Raises:
        InputError: The file cannot be read, a line is no question with something right, or some questions name papers
            and others passages.
    """
    found = asked_of(read_cases(path, source=path.name)) if path.suffix != LINES else list(_of_lines(path))
    if not LEAST_QUESTIONS <= len(found) <= MOST_QUESTIONS:
        needed = f"{LEAST_QUESTIONS} to {MOST_QUESTIONS:,}"
        raise InputError(f"{path} has {len(found):,} questions; an experiment needs {needed}", field="questions")
    if len({one.names_passages for one in found}) > 1:
        raise InputError(f"{path}: some questions name papers, and others passages", field="questions")
    return found


def _of_lines(path: Path) -> Iterable[Asked]:
    try:
        text = bounded_text(path)
    except FileContentError as error:
        raise InputError(str(error), field="questions") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            asked = Asked.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or "the line"
            raise InputError(f"{where} is no question: {place}: {first['msg']}", field="questions") from error
        if asked.kind is Kind.UNANSWERABLE:
            continue
        if not (asked.papers or asked.names_passages):
            raise InputError(f"{where} names no papers, chunks, evidence or answers", field="questions")
        yield asked.model_copy(update={"id": asked.id or str(number)})


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


async def collection_task(
    resources: Resources, asked: Sequence[Asked], collection: str, measure: Measure, *, progress: Progress = silent
) -> tuple[Task, LoadedCorpus]:
    """Return questions about a collection as a task, and the collection as its corpus, each paper a document.

    Questions with nothing right in the collection are left out.

    Raises:
        InputError: A paper is not in the collection, or fewer than two questions have something right.
        DatabaseError: Neo4j failed.
    """
    ids = await _papers_by_name(resources, asked, collection)
    names_passages = any(one.names_passages for one in asked)
    chunks = await _read_chunks(resources, collection, progress) if names_passages else []
    by_id, holding = {chunk.id: chunk for chunk in chunks}, Holding(chunks)
    queries = []
    for one in asked:
        grades = {ids[name]: grade for name, grade in one.graded.items() if grade > 0}
        gold: Evidence | Judged
        if one.names_passages:
            allowed = None if one.papers is None else frozenset(grades)
            held = [*(by_id[id] for id in one.chunks if id in by_id), *holding.of(one.texts, allowed)]
            gold = Evidence(tuple(dict.fromkeys(chunk.span for chunk in held)))
        else:
            gold = Judged({id: Decimal(str(grade)) for id, grade in grades.items()}, frozenset(grades))
        if gold.asks_for_anything:
            queries.append(Query(one.id or "", one.question, gold))
    if len(queries) < LEAST_QUESTIONS:
        told = f"of {len(asked):,} questions {len(queries)} have something right in collection {collection!r}"
        raise InputError(told, field="questions")
    task = Task(
        name=collection,
        split="questions",
        corpus=None,
        sources=(),
        documents=(),
        queries=tuple(queries),
        unit="chunk",
        measures=(measure,),
        skipped={},
        notes=(),
    )
    return task, await _as_corpus(resources, collection)


async def _as_corpus(resources: Resources, collection: str) -> LoadedCorpus:
    records = await resources.database.read(cypher.load("evaluation/papers"), collection=collection)
    n_chunks_of = {record["id"]: record["n_chunks"] for record in records}
    figures = IngestFigures(len(records), len(records), sum(n_chunks_of.values()), 0.0, reused=True)
    documents_of = {id: (CorpusDocument(id, "", ""),) for id in n_chunks_of}
    return LoadedCorpus(collection, documents_of, {id: id for id in n_chunks_of}, n_chunks_of, ChunkOptions(), figures)


async def _papers_by_name(resources: Resources, asked: Sequence[Asked], collection: str) -> dict[str, str]:
    names = sorted({name for one in asked for name in one.graded})
    statement = cypher.load("evaluation/papers_by_name")
    records = await resources.database.read(statement, collection=collection, names=names) if names else []
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


@dataclass(frozen=True)
class ChunkText:
    """Text of a chunk, and its place in the paper."""

    id: str
    text: str
    span: Span


async def _read_chunks(resources: Resources, collection: str, progress: Progress) -> list[ChunkText]:
    """Return all searchable chunks of a collection, in order of id."""
    found: list[ChunkText] = []
    statement = cypher.load("evaluation/chunks_of_collection", resources.model.searched.slot)
    while True:
        after = found[-1].id if found else ""
        records = await resources.database.read(
            statement, collection=collection, kinds=list(SEARCHED_KINDS), after=after, limit=PAGE
        )
        for record in records:
            span = Span(record["paper_id"], record["start_char"], record["end_char"])
            found.append(ChunkText(record["chunk_id"], record["text"], span))
        progress.step(f"reading chunks: {len(found):,}")
        if len(found) > MOST_CHUNKS:
            told = f"collection {collection!r} has more than {MOST_CHUNKS:,} chunks: name the papers that are right"
            raise InputError(told, field="collection")
        if len(records) < PAGE:
            return found


class Holding:
    """Finds the chunks that hold a text, ignoring case, punctuation and blanks."""

    def __init__(self, chunks: Sequence[ChunkText]) -> None:
        """Normalize the texts."""
        self._chunks = [(one, f" {' '.join(_words(one.text))} ") for one in chunks]

    def of(self, texts: Iterable[str], papers: frozenset[str] | None = None) -> list[ChunkText]:
        """Return the chunks of papers, of all if None, that hold one of the texts, or half of a long one."""
        parts = [part for text in texts for part in _parts(text)]
        return [
            chunk
            for chunk, said in self._chunks
            if (papers is None or chunk.span.doc in papers) and any(part in said for part in parts)
        ]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _parts(text: str) -> list[str]:
    words = _words(text)
    if not words:
        return []
    whole = f" {' '.join(words)} "
    if len(words) < LEAST_WORDS_HALVED:
        return [whole]
    middle = len(words) // 2
    return [whole, f" {' '.join(words[:middle])} ", f" {' '.join(words[middle:])} "]
