"""Evaluation of answers: readers asked in turns, their figures, and the report."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from papergraph.concurrency import gather_or_cancel
from papergraph.embedding import DEFAULT_NAME, Embedder, Floats, load_model
from papergraph.errors import DatabaseError, InputError, ModelUnavailableError, PapergraphError
from papergraph.evaluation.answers.answer_judge import JUDGED, OF_HUNDRED, SIDE_BY_SIDE, Judge
from papergraph.evaluation.answers.answer_readers import answerer_of, asks_model
from papergraph.evaluation.answers.answer_scores import (
    OVER,
    bert_score,
    cosines,
    evidence_rouge_l,
    exact_match,
    match_accuracy,
    rouge_l,
    token_f1,
)
from papergraph.evaluation.answers.question_sets import Answerer, Example, SystemAnswer, cases_of, sampled
from papergraph.evaluation.answers.testset import elsewhere
from papergraph.evaluation.corpus_store import CorpusPlan, LoadedCorpus, chunking_of, loaded, open_home
from papergraph.evaluation.machine import machine
from papergraph.evaluation.report import (
    Figure,
    Part,
    PValues,
    Report,
    Table,
    figure_plots,
    figure_table,
    rounded,
    write_text,
)
from papergraph.evaluation.statistics import intervals
from papergraph.evaluation.task import Task
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.language_model import Budget, LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.progress import Progress, silent
from papergraph.server.retrieval.pipelines import Pipeline
from papergraph.server.retrieval.resources import Resources
from papergraph.settings import Settings
from papergraph.store import Address

ANSWERED, REFUSED_RIGHTLY = "answered", "refused rightly"
EVIDENCE, FOUND_EVIDENCE = "evidence ROUGE-L", "passages ROUGE-L"
GOLD_REACHED, GOLD_CITED = "gold reached", "gold cited"
MATCHED = "accuracy (match)"


class Encoder(Embedder, Protocol):
    """An embedding model that gives vectors of tokens too."""

    def encode_tokens(self, texts: Sequence[str]) -> list[Floats]:
        """Return the vectors of each text's tokens, length 1, shape (n_tokens, d)."""


@dataclass(frozen=True)
class Measured:
    """Answer of a reader with its figures.

    Attributes:
        case: The question.
        given: The reader's answer.
        figures: Figures by applicable measure.
        missing: Reasons for missing figures of applicable measures.
        reasons: The judge's reasons by measure.
    """

    case: Example
    given: SystemAnswer
    figures: Mapping[str, float]
    missing: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


async def measure(case: Example, given: SystemAnswer, encoder: Encoder, judge: Judge | None = None) -> Measured:
    """Return all figures of what a reader gave.

    Refusals and failures have figures of their own, and none of an answer: they are counted apart and drag no mean
    down.

    Args:
        case: The question.
        given: The reader's answer.
        encoder: The local embedding model.
        judge: A language model that judges, or None.

    Raises:
        EmbeddingError: Embedding a text failed.
    """
    figures = _of_evidence(case, given)
    if given.failure is None:
        name = ANSWERED if case.is_answerable else REFUSED_RIGHTLY
        figures[name] = float(given.is_answer == case.is_answerable)
    if not given.is_answer:
        return Measured(case, given, figures)
    if case.answers:
        figures |= _of_words(case, given) | _of_meaning(case, given, encoder)
    if judge is None:
        return Measured(case, given, figures)
    said = await judge.judge(case, given)
    return Measured(case, given, figures | said.figures, said.missing, said.reasons)


def _of_words(case: Example, given: SystemAnswer) -> dict[str, float]:
    return {
        "F1": token_f1(given.plain, case.answers),
        "ROUGE-L": max(rouge_l(given.plain, answer) for answer in case.answers),
        "exact match": exact_match(given.plain, case.answers),
        MATCHED: match_accuracy(given.plain, case.answers),
    }


def _of_meaning(case: Example, given: SystemAnswer, encoder: Encoder) -> dict[str, float]:
    """Cosine and BERTScore of an answer, each with the reference that gives the highest (BERTScore by F1)."""
    ours, *theirs = encoder.encode_tokens([given.plain, *case.answers])
    score = max((bert_score(ours, reference) for reference in theirs), key=lambda one: one.f1)
    return {
        "cosine": max(cosines(encoder, given.plain, case.answers)),
        "BERTScore P": score.precision,
        "BERTScore R": score.recall,
        "BERTScore F1": score.f1,
    }


def _of_evidence(case: Example, given: SystemAnswer) -> dict[str, float]:
    """Return figures of evidence: similarity of quotes and passages to the gold, and correctness of the position."""
    figures = {}
    if case.evidence and given.is_answer:
        figures[EVIDENCE] = evidence_rouge_l(given.shown, case.evidence) or 0.0
    if case.evidence and given.passages:
        found = [passage.text for passage in given.passages]
        figures[FOUND_EVIDENCE] = evidence_rouge_l(found, case.evidence) or 0.0
    if case.spans and given.passages:
        reached = any(s.is_covered_by(place) for s in case.spans for one in given.passages for place in one.places)
        figures[GOLD_REACHED] = float(reached)
        if reached and given.quotes:
            cited = any(s.overlaps(place) for s in case.spans for one in given.quotes for place in one.places)
            figures[GOLD_CITED] = float(cited)
    return figures


async def ask_all(
    cases: Sequence[Example],
    readers: Mapping[str, Answerer],
    encoder: Encoder,
    *,
    judge: Judge | None = None,
    at_once: int = 1,
    progress: Progress = silent,
) -> dict[str, list[Measured]]:
    """Ask all readers each question in turn, and measure their answers.

    Args:
        cases: The questions.
        readers: Readers by name.
        encoder: The local embedding model.
        judge: A language model that judges, or None.
        at_once: Number of concurrent questions; latencies are meaningful with 1 only.
        progress: Receives the number of finished questions.

    Returns:
        Measured answers by reader, in the order of the questions. A failure of a reader is recorded; a failure of the
        database is raised.

    Raises:
        DatabaseError: Neo4j failed.
        EmbeddingError: Embedding a text failed.
    """
    found: dict[str, dict[str, Measured]] = {name: {} for name in readers}
    slots = asyncio.Semaphore(at_once)
    n_done = 0

    async def ask(case: Example) -> None:
        nonlocal n_done
        async with slots:
            for name, answerer in readers.items():
                found[name][case.id] = await measure(case, await _given(answerer, case), encoder, judge)
            n_done += 1
            progress.advance("questions", n_done, len(cases))

    await gather_or_cancel(ask(case) for case in cases)
    return {name: [of_reader[case.id] for case in cases] for name, of_reader in found.items()}


async def _given(answerer: Answerer, case: Example) -> SystemAnswer:
    try:
        return await answerer(case)
    except DatabaseError:
        raise
    except PapergraphError as error:
        return SystemAnswer("", failure=f"{type(error).__name__}: {error}")


PARTS: Sequence[tuple[str, Callable[[str], bool]]] = (
    ("Answers without a model", lambda name: name not in (*JUDGED, *SIDE_BY_SIDE)),
    ("Answers, each judged by a language model", lambda name: name in JUDGED),
    ("Answers, judged side by side", lambda name: name in SIDE_BY_SIDE),
)


@dataclass(frozen=True)
class SecondCheckReport:
    """Cost of the second check over all questions.

    Attributes:
        check: Name of the check with its model.
        n_calls, n_denied: Numbers of checked and of denied sentences.
        tokens: Tokens of a language model.
        ms: Median and 95th percentile of a call.
    """

    check: str
    n_calls: int
    n_denied: int
    tokens: int
    ms: Mapping[str, float]

    @classmethod
    def of(cls, measured: Sequence[Measured]) -> "SecondCheckReport | None":
        """Return the sum over answers; None without a second check."""
        used = [one.given.second_check for one in measured if one.given.second_check is not None]
        if not used:
            return None
        ms = [each for one in used for each in one.ms]
        n_denied, tokens = sum(one.denied for one in used), sum(one.tokens for one in used)
        return cls(used[0].check, len(ms), n_denied, tokens, _percentiles(ms))

    def cells(self) -> tuple[str, ...]:
        """Return its row of the table of second checks."""
        times = (f"{self.ms[q]:g}" for q in ("p50", "p95"))
        return self.check, str(self.n_calls), str(self.n_denied), str(self.tokens), *times


@dataclass(frozen=True)
class ReaderReport:
    """Figures of a reader.

    Attributes:
        measures: Figures by measure.
        by_kind: Means for each of several kinds of questions.
        over: Number of questions with an evidence ROUGE-L above each threshold.
        n_answered, n_failed: Numbers of answered and failed questions.
        refusals: Number of refusals by reason.
        failures: Number of failures by cause.
        missing: Number of questions that lack an applicable measure, by measure and reason.
        latency_ms: Median and 95th percentile.
        tokens, cost: Usage of a language model over all questions.
        n_same_evidence: Number of questions with the same passages as the first reader.
        second_check: Cost of the second check, if there was one.
    """

    measures: Mapping[str, Figure]
    by_kind: Mapping[str, Mapping[str, Figure]]
    over: Mapping[str, int]
    n_answered: int
    n_failed: int
    refusals: Mapping[str, int]
    failures: Mapping[str, int]
    missing: Mapping[str, Mapping[str, int]]
    latency_ms: Mapping[str, float]
    tokens: int
    cost: float
    n_same_evidence: int
    second_check: SecondCheckReport | None = None

    def cells(self) -> tuple[str, ...]:
        """Return its row of the table of refusals."""
        refused, failed = (_counted(counts) or "none" for counts in (self.refusals, self.failures))
        over = ", ".join(f"{n} over {threshold}" for threshold, n in self.over.items())
        return str(self.n_answered), refused, failed, over

    def notes(self, name: str) -> Iterator[str]:
        """Yield which measures are missing for how many questions."""
        for measure, reasons in self.missing.items():
            for reason, n in reasons.items():
                yield f"{name}: {measure} is missing for {n}: {reason}"


@dataclass(frozen=True)
class AnswerReport:
    """Report of an evaluation of answers.

    Attributes:
        name: Name of the questions.
        questions: Number of questions by kind.
        readers: Readers by name; the first is the baseline.
        encoder: Local embedding model of BERTScore and cosine.
        judge: Name, versions of prompts and usage of the judge, or None.
        notes: Remarks on the figures.
    """

    name: str
    questions: Mapping[str, int]
    readers: Mapping[str, ReaderReport]
    encoder: str
    judge: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on."""
        return {**rounded(asdict(self)), "measuredOn": machine()}

    def report(self) -> Report:
        """Return the figures of all readers, with refusals, failures and missing measures."""
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.questions.items())
        notes = [f"note: {note}" for note in self.notes]
        notes.append(f"BERTScore and cosine by the local encoder {self.encoder}")
        if self.judge is not None:
            notes.append(f"judged by {self.judge['model']}, {self.judge['usage']['n_requests']} requests")
        rows = [
            (name, *(f"{of.latency_ms[q]:g}" for q in ("p50", "p95")), str(of.tokens), f"{of.cost:g}")
            for name, of in self.readers.items()
        ]
        times = Table("Time and cost", ("reader", "p50 ms", "p95 ms", "tokens", "cost"), rows)
        tables = [times]
        checks = [(name, *of.second_check.cells()) for name, of in self.readers.items() if of.second_check is not None]
        if checks:
            head = ("reader", "check", "calls", "denied", "tokens", "p50 ms", "p95 ms")
            tables.append(Table("Second check", head, checks))
        title = f"{self.name}: {sum(self.questions.values())} questions ({kinds})"
        return Report(title, notes, [*self.parts({}), Part("Times", tables=tables)])

    def parts(self, p_values: PValues) -> Iterator[Part]:
        """Yield the measures of words and meaning, those of the judge, those of each kind, and the refusals."""
        figures = {name: of.measures for name, of in self.readers.items()}
        for title, belongs in PARTS:
            some = {name: {one: f for one, f in of.items() if belongs(one)} for name, of in figures.items()}
            if any(some.values()):
                tables = [figure_table(title, some, p_values=p_values, wide=OF_HUNDRED)]
                for kind in dict.fromkeys(kind for of in self.readers.values() for kind in of.by_kind):
                    of_kind = {
                        name: {one: f for one, f in of.by_kind.get(kind, {}).items() if belongs(one)}
                        for name, of in self.readers.items()
                    }
                    tables.append(figure_table(f"{title}, {kind} questions", of_kind, wide=OF_HUNDRED))
                yield Part(title, tables=[one for one in tables if one.rows], plots=figure_plots(some))
        head = ("reader", "answered", "refused", "failed", EVIDENCE)
        notes = [note for name, of in self.readers.items() for note in of.notes(name)]
        rows = [(name, *of.cells()) for name, of in self.readers.items()]
        yield Part("Refusals", notes, [Table("Questions with and without an answer", head, rows)])


def make_answer_report(
    name: str,
    found: Mapping[str, Sequence[Measured]],
    *,
    encoder: str,
    judge: Judge | None = None,
    any_evidence: bool = False,
    notes: Sequence[str] = (),
) -> AnswerReport:
    """Make a report of what readers gave for the same questions, in the same order.

    Args:
        name: Name of the questions.
        found: What :func:`papergraph.evaluation.answers.answer_evaluation.ask_all` gives.
        encoder: Name of the local embedding model.
        judge: Who judged.
        any_evidence: Whether differences count questions for which two readers had other passages too, as where
            searches are compared.
        notes: What the reader of figures should know about the questions.
    """
    first = next(iter(found.values()))
    readers = {reader: _of_reader(measured, first, any_evidence) for reader, measured in found.items()}
    judged = None
    if judge is not None:
        judged = {"model": judge.name, "prompts": judge.prompt_versions, "usage": asdict(judge.usage)}
    kinds = Counter(one.case.kind.value for one in first)
    return AnswerReport(name, dict(kinds), readers, encoder, judged, tuple(notes))


def write_answers(found: Mapping[str, Sequence[Measured]], path: Path) -> None:
    """Write what each reader gave, a JSON line for each question and reader: for experts to rate, and to look up.

    Raises:
        InputError: The file cannot be written.
    """
    lines = []
    for reader, measured in found.items():
        for one in measured:
            record = {
                "id": one.case.id,
                "reader": reader,
                "question": one.case.question,
                "kind": one.case.kind.value,
                "answer": one.given.text,
                "refusal": one.given.refusal or one.given.failure,
                "references": list(one.case.answers),
                "sources": [{"title": passage.title, "text": passage.text} for passage in one.given.passages],
                "quotes": [quote.text for quote in one.given.quotes],
                "figures": rounded(dict(one.figures)),
                "reasons": dict(one.reasons),
            }
            lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    write_text(path, "".join(lines), field="given")


def _of_reader(measured: Sequence[Measured], first: Sequence[Measured], any_evidence: bool) -> ReaderReport:
    missing: dict[str, Counter[str]] = {}
    for one in measured:
        for measure, why in one.missing.items():
            missing.setdefault(measure, Counter())[why] += 1
    kinds = dict.fromkeys(one.case.kind for one in measured)
    times = [one.given.ms for one in measured]
    of_kinds = {}
    for kind in kinds if len(kinds) > 1 else ():
        ours = [one for one in measured if one.case.kind is kind]
        theirs = ours if measured is first else [one for one in first if one.case.kind is kind]
        of_kinds[kind.value] = _means(ours, theirs, any_evidence)
    evidence = EVIDENCE if any(EVIDENCE in one.figures for one in measured) else FOUND_EVIDENCE
    figures = [one.figures[evidence] for one in measured if evidence in one.figures]
    return ReaderReport(
        measures=_means(measured, first, any_evidence),
        by_kind=of_kinds,
        over={f"{t:g}": sum(figure > t for figure in figures) for t in OVER} if figures else {},
        n_answered=sum(one.given.is_answer for one in measured),
        n_failed=sum(one.given.failure is not None for one in measured),
        refusals=dict(Counter(one.given.refusal for one in measured if one.given.refusal is not None)),
        failures=dict(Counter(one.given.failure for one in measured if one.given.failure is not None)),
        missing={measure: dict(reasons) for measure, reasons in missing.items()},
        latency_ms=_percentiles(times),
        tokens=sum(one.given.tokens for one in measured),
        cost=sum(one.given.cost for one in measured),
        n_same_evidence=sum(_same_evidence(*pair) for pair in zip(measured, first, strict=True)),
        second_check=SecondCheckReport.of(measured),
    )


def _percentiles(times: Sequence[float]) -> dict[str, float]:
    return {f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 95)}


def _means(measured: Sequence[Measured], first: Sequence[Measured], any_evidence: bool) -> dict[str, Figure]:
    found = {}
    for name in dict.fromkeys(measure for one in measured for measure in one.figures):
        values = [one.figures[name] for one in measured if name in one.figures]
        mean = intervals({"reader": values})[0]["reader"]
        pairs = [
            (theirs.figures[name], ours.figures[name])
            for ours, theirs in zip(measured, first, strict=True)
            if name in ours.figures and name in theirs.figures and (any_evidence or _same_evidence(ours, theirs))
        ]
        difference = None
        if pairs and measured is not first:
            before, after = zip(*pairs, strict=True)
            difference = intervals({"first": before, "reader": after})[1]["reader"]
        n_paired = len(pairs) if difference is not None else 0
        found[name] = Figure(mean.mean, mean.low, mean.high, difference, len(values), n_paired)
    return found


def _same_evidence(one: Measured, other: Measured) -> bool:
    return [p.chunk_id for p in one.given.passages] == [p.chunk_id for p in other.given.passages]


Found = tuple[AnswerReport, Mapping[str, Sequence[Measured]]]


@dataclass(frozen=True)
class QuestionSet:
    """Questions of an evaluation and the collection to ask.

    Attributes:
        name: Its name, for the report.
        cases: The questions.
        collection: The collection to search.
        corpus: The documents of the task that the collection holds, or None for the user's own papers.
        notes: Remarks on the figures.
    """

    name: str
    cases: Sequence[Example]
    collection: str
    corpus: LoadedCorpus | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Asked:
    """Options of asking readers.

    Attributes:
        readers: Names of :data:`papergraph.evaluation.answers.answer_readers.READERS`; the first is the baseline.
        pipeline: Pipeline of the search.
        judged: True to let the language model judge.
        at_once: Number of concurrent questions.
        judge_tokens: Token budget of the judge.
        judge_model: Model of the judge at the same server; None for the answering model.
    """

    readers: Sequence[str]
    pipeline: Pipeline
    judged: bool = False
    at_once: int = 1
    judge_tokens: int | None = None
    judge_model: str | None = None

    def check(self, settings: Settings) -> None:
        """Refuse, before anything is started, what needs a language model where none is configured.

        Raises:
            ModelUnavailableError: That.
        """
        if (self.judged or asks_model(self.readers)) and not (settings.llm.url and settings.llm.model):
            raise ModelUnavailableError(NOT_CONFIGURED)


@asynccontextmanager
async def judging(settings: Settings, asked: Asked) -> AsyncIterator[LanguageModel | None]:
    """Open the judge's model; None without a judge.

    Raises:
        InputError: The address or the key is malformed.
        FileContentError: A prompt in the user's folder is invalid.
    """
    if not asked.judged:
        yield None
        return
    other = {} if asked.judge_model is None else {"model": asked.judge_model}
    async with LanguageModel.from_settings(settings.replace(llm=other)) as model:
        yield model


def task_cases(task: Task, *, n: int | None, n_unanswerable: int, seed: int) -> tuple[Example, ...]:
    """Return a sample of a task's questions, and as many of them as wanted asked of another paper.

    Args:
        task: The task.
        n: How many questions; None for all.
        n_unanswerable: How many of the sample are asked again of another document, which is taken not to answer them.
        seed: What is drawn follows from it.

    Raises:
        InputError: Questions that name no document cannot be asked of another one.
    """
    cases = sampled(cases_of(task), n, seed=seed)
    if not n_unanswerable:
        return cases
    paper_of = {case.id: case.spans[0].doc if case.spans else (case.papers or ("",))[0] for case in cases}
    paper_of = {id: paper for id, paper in paper_of.items() if paper}
    others = elsewhere(cases, paper_of, [document.id for document in task.documents], n=n_unanswerable, seed=seed)
    if not others:
        raise InputError("the questions name no paper that answers them, so none is another one", field="unanswerable")
    return (*cases, *others)


def evaluate_task(
    settings: Settings,
    task: Task,
    cases: Sequence[Example],
    asked: Asked,
    *,
    chunking: ChunkOptions | None = None,
    notes: Sequence[str] = (),
    progress: Progress = silent,
) -> Found:
    """Ask readers a task's questions, in a Neo4j that holds nothing but its corpus; call it from the main thread.

    Args:
        settings: Where the cache is, the embedding model, and the language model.
        task: Whose corpus.
        cases: The questions; their papers are ids of its documents.
        asked: Who is asked, and how.
        chunking: How documents are cut, as for retrieval if None.
        notes: Remarks on the figures.
        progress: Hears what is being done.

    Returns:
        The report, and what each reader gave.

    Raises:
        ModelUnavailableError: A language model is needed, and none is configured.
        PapergraphError: As of :func:`papergraph.evaluation.retrieval.retrieval_evaluation.evaluate`.
    """
    asked.check(settings)
    options = chunking or chunking_of(task)

    async def work(folder: Path, address: Address) -> Found:
        name, wanted = f"{task.name} {task.split}", CorpusPlan(task, options, [asked.pipeline])
        async with (
            judging(settings, asked) as judge,
            loaded(settings, address, folder, wanted, progress=progress) as (resources, corpus),
        ):
            questions = QuestionSet(name, cases, corpus.collection, corpus, notes)
            return await measure_readers(resources, questions, asked, judge_model=judge, progress=progress)

    with open_home(settings, task, options, progress=progress) as (folder, address):
        return asyncio.run(work(folder, address))


async def measure_readers(
    resources: Resources,
    questions: QuestionSet,
    asked: Asked,
    *,
    judge_model: LanguageModel | None = None,
    progress: Progress = silent,
) -> Found:
    """Ask readers questions, and measure what they give.

    Args:
        resources: What pipelines run with, with the language model.
        questions: The questions, and where they are asked.
        asked: Who is asked, and how.
        judge_model: Who judges, or None.
        progress: Receives the number of finished questions.

    Raises:
        DatabaseError: Neo4j failed.
    """
    card = resources.model.searched.embedder.card
    encoder = await asyncio.to_thread(load_model, DEFAULT_NAME if card.probes else card.name)  # tokens are compared
    readers = {
        reader: answerer_of(
            resources, reader, pipeline=asked.pipeline, collection=questions.collection, corpus=questions.corpus
        )
        for reader in asked.readers
    }
    judge = None
    if judge_model is not None:
        budget = None if asked.judge_tokens is None else Budget(tokens=asked.judge_tokens)
        judge = Judge(judge_model, encoder, budget=budget)
    found = await ask_all(questions.cases, readers, encoder, judge=judge, at_once=asked.at_once, progress=progress)
    report = make_answer_report(questions.name, found, encoder=encoder.card.name, judge=judge, notes=questions.notes)
    return report, found


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in sorted(counts.items()))
