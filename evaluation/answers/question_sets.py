"""Question sets: examples with answers and evidence, and the files that hold them."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from papergraph.errors import FileContentError, InputError
from papergraph.evaluation.answers.answer_scores import normalised
from papergraph.evaluation.queries import Evidence, Span
from papergraph.evaluation.report import write_text
from papergraph.evaluation.task import Task
from papergraph.schema.ids import sha256
from papergraph.server.answers.records import CheckUsage

_MARK = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


class Kind(StrEnum):
    """Kind of a question: find a fact, reason, combine passages, or recognise that the answer is missing.

    ``multi-context`` needs two passages of a paper, ``cross-document`` passages of two papers. ``given`` is of unknown
    kind, from a data set or an expert.
    """

    GIVEN = "given"
    SIMPLE = "simple"
    REASONING = "reasoning"
    MULTI_CONTEXT = "multi-context"
    CROSS_DOCUMENT = "cross-document"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True)
class Example:
    """Question with gold answers and evidence.

    Attributes:
        id: Id in the data.
        question: The question.
        answers: Alternative right answers, may be empty.
        evidence: Alternative texts of the papers that support the answer.
        kind: Kind of the question.
        papers: Papers to search, by id or key (for a task the ids of its documents); None for all.
        source: Origin of question and answer, in words.
        spans: Positions of the evidence in documents of a task.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    kind: Kind = Kind.GIVEN
    papers: tuple[str, ...] | None = None
    source: str = ""
    spans: tuple[Span, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """True if the searched papers have an answer."""
        return self.kind is not Kind.UNANSWERABLE


@dataclass(frozen=True)
class Passage:
    """Passage given to a reader.

    Attributes:
        chunk_id: Id of its chunk; equal lists of ids mean equal evidence.
        text: Text for the reader.
        title: Title of its paper.
        places: Positions in documents of a task.
    """

    chunk_id: str
    text: str
    title: str = ""
    places: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Quote:
    """Cited words of a passage, with their positions in documents of a task."""

    chunk_id: str
    text: str
    places: tuple[Span, ...] = ()


@dataclass(frozen=True)
class SystemAnswer:
    """Result of a reader for a question: an answer, a refusal, or a failure.

    Attributes:
        text: The answer with marks of citations, or ''.
        passages: Passages given to the reader, best first.
        quotes: Cited parts of them.
        refusal: Reason of a refusal, or None.
        failure: Cause of a failure, or None.
        llm_generated: True if a language model wrote it.
        ms: Duration with the search, in milliseconds.
        tokens: Tokens of a language model, for search and answer together.
        cost: Cost of the tokens, in the currency of the prices.
        second_check: Cost of the second check, if there was one.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    quotes: tuple[Quote, ...] = ()
    refusal: str | None = None
    failure: str | None = None
    llm_generated: bool = False
    ms: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    second_check: CheckUsage | None = None

    @property
    def is_answer(self) -> bool:
        """True if the result is an answer, not a refusal or a failure."""
        return bool(self.text) and self.refusal is None and self.failure is None

    @property
    def plain(self) -> str:
        """The answer without its marks of citations."""
        return _MARK.sub("", self.text).strip()

    @property
    def shown(self) -> tuple[str, ...]:
        """The evidence that it shows: its quotes, or where it has none, its passages."""
        return tuple(one.text for one in (self.quotes or self.passages))


Answerer = Callable[[Example], Awaitable[SystemAnswer]]
"""Anything that answers a question."""


def cases_of(task: Task) -> tuple[Example, ...]:
    """Return the queries of a task as questions to answer.

    Where the data has no answers in words, but spans that answer, as COVID-QA and SQuAD do, these are the answers. What
    the data calls ``unanswerable``, as QASPER does, is.
    """
    texts = {document.id: document.text for document in task.documents}
    found = []
    for query in task.queries:
        spans = query.gold.spans if isinstance(query.gold, Evidence) else ()
        evidence = tuple(dict.fromkeys(texts[span.doc][span.start : span.end].strip() for span in spans))
        is_answerable = not query.answers or any(normalised(one) != Kind.UNANSWERABLE for one in query.answers)
        found.append(
            Example(
                query.id,
                query.text,
                (query.answers or evidence) if is_answerable else (),
                evidence,
                Kind.GIVEN if is_answerable else Kind.UNANSWERABLE,
                query.within,
                f"{task.name} {task.split}",
                spans,
            )
        )
    return tuple(found)


def sampled(cases: Sequence[Example], n: int | None, *, seed: int) -> tuple[Example, ...]:
    """Return a random sample of ``n`` cases in their order; all if ``n`` is None or too large."""
    if n is None or n >= len(cases):
        return tuple(cases)
    drawn = Random(seed).sample(range(len(cases)), n)  # noqa: S311
    return tuple(cases[number] for number in sorted(drawn))


MAX_BYTES = 50_000_000
MAX_CASES = 100_000
MAX_QUESTION, MAX_ANSWER = 4_000, 20_000
ENDINGS = (".jsonl", ".csv", ".json")


class _Line(BaseModel):
    """A question as a line or a row has it; what else stands there is passed over."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    id: str | None = None
    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    answers: list[str] = Field(default=[], max_length=100)
    evidence: list[str] = Field(default=[], max_length=100)
    kind: Kind = Kind.GIVEN
    papers: list[str] | None = None
    source: str = ""


def read_cases(path: Path, *, source: str | None = None) -> tuple[Example, ...]:
    """Read questions with their answers and sources.

    Args:
        path: ``.jsonl``: an object in each line; ``.csv``: a header, then a row for each question. Both have
            ``question``, and may have ``id``, ``answer`` or ``answers``, ``evidence``, ``kind``, ``paper`` or
            ``papers``, and ``source``; in JSON the plural ones are lists. ``.json``: QASPER's own form.
        source: Source of questions without one.

    Returns:
        The questions in the file's order; missing ids are generated from the question.

    Raises:
        InputError: The extension is unknown, or a question and ``source`` both lack a source.
        FileContentError: The file is unreadable or over 50 MB, has over 100,000 questions, or has an invalid question
            or a repeated id; the message names the line.
    """
    if path.suffix not in ENDINGS:
        raise InputError(f"questions are read of {', '.join(ENDINGS)}, not of {path.name!r}", field="file")
    found: dict[str, Example] = {}
    for place, record in _records(path, bounded_text(path)):
        case = _case(place, record)
        if case.id in found:
            raise FileContentError(place, f"a second question {case.id!r}")
        if len(found) == MAX_CASES:
            raise FileContentError(place, f"more than {MAX_CASES} questions")
        if not (case.source or source):
            raise InputError(f"{place}: the question does not say its source; give --source for all", field="source")
        found[case.id] = case if case.source else replace(case, source=source or "")
    if not found:
        raise FileContentError(str(path), "the file has no question")
    return tuple(found.values())


def write_cases(cases: Sequence[Example], path: Path) -> None:
    """Write questions as JSON lines, as :func:`read_cases` reads them.

    Raises:
        InputError: The file cannot be written.
    """
    lines = []
    for case in cases:
        record: dict[str, Any] = {"id": case.id, "question": case.question, "answers": list(case.answers)}
        record |= {"evidence": list(case.evidence), "kind": case.kind.value}
        record |= {"papers": list(case.papers)} if case.papers is not None else {}
        lines.append(json.dumps(record | {"source": case.source}, ensure_ascii=False) + "\n")
    write_text(path, "".join(lines), field="file")


def bounded_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        FileContentError: It cannot be read, is not UTF-8, or is over 50 MB.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileContentError(str(path), f"has {path.stat().st_size} bytes, {MAX_BYTES} are allowed")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileContentError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FileContentError(str(path), f"is not UTF-8: {error}") from error


def _records(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yield (position, question) for each question in the file."""
    try:
        if path.suffix == ".csv":
            rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
            for row in rows:
                if None in row or None in row.values():
                    raise FileContentError(f"{path}:{rows.line_num}", "has other columns than the header")
                yield f"{path}:{rows.line_num}", {name: value for name, value in row.items() if value}
        elif path.suffix == ".jsonl":
            for number, line in enumerate(text.split("\n"), start=1):
                if line.strip():
                    yield f"{path}:{number}", json.loads(line)
        else:
            yield from _qasper(path, json.loads(text))
    except (ValueError, RecursionError, csv.Error) as error:
        raise FileContentError(str(path), f"is no {path.suffix} file: {error}") from error


def _qasper(path: Path, papers: Any) -> Iterator[tuple[str, Any]]:
    """Yield the questions of QASPER's own form: papers by id, each with ``qas``, each with several ``answers``.

    Where any annotator found an answer, the question has one; an id that comes again gets a number.

    Source: Dasigi et al. 2021, arXiv:2105.03011.
    """
    times: Counter[str] = Counter()
    try:
        for paper, content in papers.items():
            for one in content["qas"]:
                given = [answer["answer"] for answer in one["answers"]]
                answers = [text for answer in given if (text := _qasper_answer(answer))]
                evidence = [text for answer in given for text in answer["evidence"] if text.strip()]
                id = one["question_id"]
                times[id] += 1
                yield (
                    f"{path}: {id}",
                    {
                        "id": id if times[id] == 1 else f"{id}#{times[id]}",
                        "question": one["question"],
                        "answers": list(dict.fromkeys(answers)),
                        "evidence": list(dict.fromkeys(evidence)),
                        "kind": (Kind.GIVEN if answers else Kind.UNANSWERABLE).value,
                        "papers": [f"arxiv:{paper}"],
                        "source": f"QASPER {paper}",
                    },
                )
    except (AttributeError, KeyError, TypeError) as error:
        raise FileContentError(str(path), f"is not in QASPER's form: {type(error).__name__} {error}") from error


def _qasper_answer(answer: Any) -> str:
    if answer["unanswerable"]:
        return ""
    if answer["yes_no"] is not None:
        return "Yes" if answer["yes_no"] else "No"
    return ", ".join(answer["extractive_spans"]) or str(answer["free_form_answer"]).strip()


def _case(place: str, record: Any) -> Example:
    if not isinstance(record, dict):
        raise FileContentError(place, "is not an object")
    for one, several in (("answer", "answers"), ("paper", "papers")):
        if one in record:
            record = record | {several: record[one]}
    listed = {name: [record[name]] for name in ("answers", "evidence", "papers") if isinstance(record.get(name), str)}
    try:
        line = _Line.model_validate(record | listed)
    except ValidationError as error:
        problem = error.errors()[0]
        raise FileContentError(place, f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error
    answers = tuple(dict.fromkeys(text for text in line.answers if text))
    if any(len(text) > MAX_ANSWER for text in (*answers, *line.evidence)):
        raise FileContentError(place, f"an answer or its evidence has more than {MAX_ANSWER} characters")
    return Example(
        line.id or sha256(line.question)[:16],
        line.question,
        answers if line.kind is not Kind.UNANSWERABLE else (),
        tuple(text for text in line.evidence if text),
        line.kind,
        tuple(line.papers) if line.papers else None,
        line.source,
    )
