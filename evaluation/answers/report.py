"""What readers gave, as figures: means with intervals, paired differences, refusals and failures counted apart."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.answers.judge import OF_HUNDRED, Judge
from evaluation.answers.lexical_overlap import OVER
from evaluation.answers.measures import EVIDENCE, FOUND_EVIDENCE, Measured
from evaluation.bootstrap import Interval, intervals
from evaluation.machine import machine
from evaluation.retrieval.report import columns, write_text


@dataclass(frozen=True)
class Mean:
    """A measure of a reader over the ``n`` questions that have it.

    ``difference`` is the paired one to the first reader, over the ``n_paired`` questions that have it for both and,
    where readers alone are compared, whose evidence was the same; None for the first reader, and where there is no
    such question.
    """

    mean: float
    low: float
    high: float
    n: int
    difference: Interval | None = None
    n_paired: int = 0


@dataclass(frozen=True)
class ReaderReport:
    """What a reader gave.

    Attributes:
        measures: By name.
        by_kind: The means for each kind of question, where there are several.
        over: How many questions have an evidence ROUGE-L over each threshold.
        n_answered, n_failed: How many questions were answered, and on how many the reader failed.
        refusals: How many were refused, by reason.
        failures: How many failed, by what failed.
        missing: For each measure how many questions lack it although it applies, by reason.
        latency_ms: Median and 95th percentile.
        tokens, cost: Of a language model, over all questions.
        n_same_evidence: For how many questions it had the first reader's passages.
    """

    measures: Mapping[str, Mean]
    by_kind: Mapping[str, Mapping[str, Mean]]
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


@dataclass(frozen=True)
class AnswerReport:
    """What an evaluation of answers found.

    Attributes:
        name: Of the questions.
        questions: How many were asked, by kind.
        readers: By name, the first the one that others are compared with.
        encoder: The local embedding model, whose BERTScore and cosine are meant.
        judge: Name of the model that judged, its prompts' versions and what it took; None without one.
        notes: What the reader of figures should know.
    """

    name: str
    questions: Mapping[str, int]
    readers: Mapping[str, ReaderReport]
    encoder: str
    judge: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on."""
        return {**_rounded(asdict(self)), "measuredOn": machine()}


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
        name: Of the questions.
        found: What :func:`evaluation.answers.run.ask_all` gives.
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


def answer_table(report: AnswerReport) -> str:
    """Return a report as lines for a terminal."""
    kinds = ", ".join(f"{n} {kind}" for kind, n in report.questions.items())
    lines = [f"{report.name}: {sum(report.questions.values())} questions ({kinds})"]
    lines += [f"note: {note}" for note in report.notes]
    lines.append(f"BERTScore and cosine by the local encoder {report.encoder}")
    if report.judge is not None:
        lines.append(f"judged by {report.judge['model']}, {report.judge['usage']['n_requests']} requests")
    for name, of_reader in report.readers.items():
        refused = ", ".join(f"{n} {reason}" for reason, n in of_reader.refusals.items()) or "none"
        lines.append(
            f"{name}: {of_reader.n_answered} answered; refused: {refused}; failed: {of_reader.n_failed}; p50 "
            f"{of_reader.latency_ms['p50']:g} ms, p95 {of_reader.latency_ms['p95']:g} ms; {of_reader.tokens} tokens"
        )
        lines += [f"  failed on {n}: {what}" for what, n in of_reader.failures.items()]
        over = ", ".join(f"{n} over {threshold}" for threshold, n in of_reader.over.items())
        lines += [f"  {EVIDENCE}: {over}"] if over else []
        for measure, reasons in of_reader.missing.items():
            lines += [f"  {measure} is missing for {n}: {why}" for why, n in reasons.items()]
    first, *others = report.readers
    head = ("measure", "reader", "n", "mean", "95 % interval", *((f"difference to {first}",) if others else ()))
    rows: list[tuple[str, ...]] = [head]
    for measure in dict.fromkeys(name for one in report.readers.values() for name in one.measures):
        rows += [_row(measure, name, one) for name, one in report.readers.items() if measure in one.measures]
    return "\n".join([*lines, "", *columns([row[: len(head)] for row in rows])])


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
                "figures": _rounded(dict(one.figures)),
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
    of_kinds = {
        kind.value: _means(
            [m for m in measured if m.case.kind is kind], [f for f in first if f.case.kind is kind], any_evidence
        )
        for kind in (kinds if len(kinds) > 1 else ())
    }
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
        latency_ms={f"p{q}": round(float(np.percentile(times, q)), 1) for q in (50, 95)},
        tokens=sum(one.given.tokens for one in measured),
        cost=sum(one.given.cost for one in measured),
        n_same_evidence=sum(_same_evidence(*pair) for pair in zip(measured, first, strict=True)),
    )


def _means(measured: Sequence[Measured], first: Sequence[Measured], any_evidence: bool) -> dict[str, Mean]:
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
        found[name] = Mean(mean.mean, mean.low, mean.high, len(values), difference, n_paired)
    return found


def _same_evidence(one: Measured, other: Measured) -> bool:
    return [p.chunk_id for p in one.given.passages] == [p.chunk_id for p in other.given.passages]


def _row(measure: str, name: str, of_reader: ReaderReport) -> tuple[str, ...]:
    mean = of_reader.measures[measure]
    digits = 1 if measure in OF_HUNDRED else 3
    interval = f"[{mean.low:.{digits}f}, {mean.high:.{digits}f}]"
    told = ""
    if (d := mean.difference) is not None:
        told = f"{d.mean:+.{digits}f} [{d.low:+.{digits}f}, {d.high:+.{digits}f}] of {mean.n_paired}"
    return measure, name, str(mean.n), f"{mean.mean:.{digits + 1}f}", interval, told


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    return value
