"""A data folder to a task: documents, queries, and what would be right; docs/evaluation.md describes the format."""

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from papergraph.errors import FileContentError
from papergraph.evaluation.measures import Measure, parse_measure
from papergraph.evaluation.queries import Evidence, Gold, Judged, Query, Span, Subtopics

SHOWN = 3
"""Most examples in a note."""
Record = dict[str, Any]
Unit = Literal["document", "passage", "chunk"]


class CorpusPart(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class SplitRule(CorpusPart):
    queries: str | list[str]
    qrels: str | None = None


class PaperFacet(CorpusPart):
    paper_facet: tuple[str, str]

    @model_validator(mode="before")
    @classmethod
    def _list_is_pair(cls, value: Any) -> Any:
        pair = value.get("paper_facet") if isinstance(value, dict) else None
        return {**value, "paper_facet": tuple(pair)} if isinstance(pair, list) else value


class NestedField(CorpusPart):
    nested: str
    text: str | list[str]


class GoldField(CorpusPart):
    field: str
    matches: str


class GoldEvidence(CorpusPart):
    doc: str
    evidence: str
    start: str | None = None


class GoldSubtopics(CorpusPart):
    subtopics: str
    relevant: str


class TaskFile(CorpusPart):
    name: str
    corpus: str | list[str]
    splits: dict[str, SplitRule]
    default_split: str
    measures: list[str]
    alternatives: dict[str, str | list[str]] = {}
    id: str = "_id"
    text_fields: list[str] = ["title", "text"]
    query: str | list[str] | PaperFacet | NestedField = "text"
    unit: Unit = "document"
    pool: bool = False
    gold: GoldField | GoldEvidence | GoldSubtopics | None = None
    within_gold: bool = False
    relevance_threshold: float | None = None
    relevant_scores: list[float] | None = None
    answer: str | list[str] | None = None
    license_note: str | None = None


class TaskNotes:
    """Counts of omitted and unusual data by kind, with the first few examples."""

    def __init__(self) -> None:
        self._examples: dict[str, list[str]] = defaultdict(list)

    def add(self, kind: str, example: str) -> None:
        self._examples[kind].append(example)

    def lines(self) -> tuple[str, ...]:
        return tuple(
            f"{len(found)} {kind}: {', '.join(found[:SHOWN])}{', …' if len(found) > SHOWN else ''}"
            for kind, found in self._examples.items()
        )


def read_jsonl(path: Path) -> Iterator[tuple[int, Record]]:
    """Yield each record with its line's number; only a line feed ends a record.

    Raises:
        FileContentError: The file cannot be read, or a line is not a JSON object.
    """
    number = 0
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise FileContentError(f"{path}:{number}", "is not a JSON object")
                    yield number, record
    except OSError as error:
        raise FileContentError(str(path), f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FileContentError(f"{path}:{number or 1}", f"is not JSON: {error}") from error


def read_task_file(path: Path, notes: TaskNotes) -> TaskFile:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        spec = TaskFile.model_validate(content)
    except OSError as error:
        raise FileContentError(str(path), f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, problem['loc'])) or 'all of it'}: {problem['msg']}" for problem in error.errors()]
        raise FileContentError(str(path), "; ".join(lines[:SHOWN])) from error
    except ValueError as error:
        raise FileContentError(str(path), f"is not JSON: {error}") from error
    if not spec.text_fields:
        raise FileContentError(str(path), "text_fields is empty")
    for name in content.keys() - TaskFile.model_fields.keys():
        notes.add("entries of task.json that nothing reads", name)
    return spec


TITLE_FIELD = "title"
BEIR_MEASURES = ("nDCG@10", "recall@100", "MRR@10")


@dataclass(frozen=True)
class CorpusDocument:
    """A record of the corpus.

    Attributes:
        id: Its identifier in the data.
        title: The title, where the corpus tells it apart from the rest; else ''.
        body: The rest of its text.
        n_metadata_chars: Characters of the record's other fields.
    """

    id: str
    title: str
    body: str
    n_metadata_chars: int = 0

    @property
    def text(self) -> str:
        """All of its text; offsets of evidence count in it."""
        return " ".join(filter(None, (self.title, self.body)))

    @property
    def file_text(self) -> str:
        """The text as it is ingested: a title stands on a line of its own."""
        title = " ".join(self.title.split())
        return f"{title}\n\n{self.body}" if title and self.body else title or self.body

    @property
    def shift(self) -> int:
        """Difference of offsets in ``text`` and in the body of ``file_text``."""
        return len(self.text) - len(self.file_text)


@dataclass(frozen=True)
class Task:
    """A data folder that was read.

    Attributes:
        name: Of the data set.
        split: Of its queries.
        corpus: Which of several corpora, or None for its only or first one.
        sources: The files that the documents came from.
        documents: The corpus, in its order.
        queries: Those with something right, in their order.
        unit: What a record of the corpus is: a document or a passage, or with ``chunk`` a paper that is to be cut.
        measures: What to compute.
        skipped: Measures that nothing here can compute yet, with the reason.
        notes: What the reader of figures should know about the data.
    """

    name: str
    split: str
    corpus: str | None
    sources: tuple[Path, ...]
    documents: tuple[CorpusDocument, ...]
    queries: tuple[Query, ...]
    unit: Unit
    measures: tuple[Measure, ...]
    skipped: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def asks_for_evidence(self) -> bool:
        """True if chunks are ranked by spans of evidence; else documents are ranked."""
        return isinstance(self.queries[0].gold, Evidence)

    @property
    def checksum(self) -> str:
        """sha-256 hex over all documents; the same for tasks that share a corpus."""
        checksum = hashlib.sha256()
        for document in self.documents:
            for part in (document.id, document.title, document.body):
                data = part.encode()
                checksum.update(len(data).to_bytes(8, "big") + data)
        return checksum.hexdigest()


def read_task(folder: Path, *, split: str | None = None, corpus: str | None = None) -> Task:
    """Read a data folder with a ``task.json``, or in BEIR's own layout.

    Args:
        folder: The data folder.
        split: Which queries; the folder's default split if None.
        corpus: Which of the folder's alternative corpora; its first one if None.

    Raises:
        FileContentError: There is no such folder, split or corpus, or a file cannot be read; the message names it.
    """
    if not folder.is_dir():
        raise FileContentError(str(folder), "there is no such folder")
    path = folder / "task.json"
    notes = TaskNotes()
    spec = read_task_file(path, notes) if path.exists() else beir_form(folder, split)
    split = split or spec.default_split
    if split not in spec.splits:
        raise FileContentError(str(folder), f"there is no split {split!r}, only {', '.join(sorted(spec.splits))}")
    if corpus is not None and corpus not in spec.alternatives:
        others = ", ".join(sorted(spec.alternatives)) or "none"
        raise FileContentError(str(folder), f"there is no alternative corpus {corpus!r}; those there are: {others}")
    return _Reader(folder, spec, notes).task(split, corpus)


class _Reader:
    """Reads one folder as its task file says."""

    def __init__(self, folder: Path, spec: TaskFile, notes: TaskNotes) -> None:
        self._folder, self._spec, self._notes = folder, spec, notes

    def task(self, split: str, corpus: str | None) -> Task:
        spec = self._spec
        files = self._paths(spec.alternatives[corpus] if corpus is not None else spec.corpus)
        records = self._corpus_records(files)
        self._documents = {id: self._document(record) for id, record in records.items()}
        self._matches = self._matching(records)
        measures, skipped = self._measures()
        for id in (id for id, document in self._documents.items() if not document.file_text.strip()):
            self._notes.add("documents without text, never found", id)
        queries = tuple(self._queries(spec.splits[split]))
        if not queries:
            raise FileContentError(str(self._folder), f"split {split!r} has no query with anything right for it")
        return Task(
            name=spec.name,
            split=split,
            corpus=corpus,
            sources=tuple(files),
            documents=tuple(self._documents.values()),
            queries=queries,
            unit=spec.unit,
            measures=measures,
            skipped=skipped,
            notes=self._notes.lines(),
        )

    def _measures(self) -> tuple[tuple[Measure, ...], dict[str, str]]:
        measures, skipped = [], {}
        for name in self._spec.measures:
            try:
                measure = parse_measure(name)
            except ValueError as error:
                raise FileContentError(str(self._folder / "task.json"), str(error)) from error
            if measure is None:
                skipped[name] = "it measures answers, which papergraph eval answers computes"
            else:
                measures.append(measure)
        return tuple(measures), skipped

    def _paths(self, names: str | Sequence[str]) -> list[Path]:
        return [(self._folder / name).resolve() for name in ([names] if isinstance(names, str) else names)]

    def _corpus_records(self, files: Iterable[Path]) -> dict[str, Record]:
        records: dict[str, Record] = {}
        for path in files:
            for number, record in read_jsonl(path):
                id = self._id(record, path, number)
                if id in records:
                    raise FileContentError(f"{path}:{number}", f"the id {id!r} is already taken")
                records[id] = record
        if not records:
            raise FileContentError(str(self._folder), "the corpus is empty")
        for field in self._spec.text_fields:
            if not any(field in record for record in records.values()):
                raise FileContentError(str(self._folder), f"no document has the text field {field!r}")
        return records

    def _id(self, record: Record, path: Path, number: int) -> str:
        id = record.get(self._spec.id)
        if not isinstance(id, str | int) or isinstance(id, bool):
            raise FileContentError(f"{path}:{number}", f"the record has no identifier {self._spec.id!r}")
        return str(id)

    def _document(self, record: Record) -> CorpusDocument:
        first, *rest = self._spec.text_fields
        title = record.get(first) if first == TITLE_FIELD and rest else None
        told_apart = isinstance(title, str) and bool(title.strip())
        fields = rest if told_apart else self._spec.text_fields
        body = " ".join(filter(None, (_text(record.get(field)) for field in fields)))
        others = record.keys() - {self._spec.id, *self._spec.text_fields}
        n_metadata_chars = sum(len(_text(record[field])) for field in others)
        return CorpusDocument(str(record[self._spec.id]), str(title) if told_apart else "", body, n_metadata_chars)

    def _matching(self, records: Mapping[str, Record]) -> dict[str, list[str]]:
        """Return which documents a value of the gold field names."""
        matches: dict[str, list[str]] = defaultdict(list)
        if isinstance(self._spec.gold, GoldField):
            for id, record in records.items():
                for value in _values(record.get(self._spec.gold.matches)):
                    matches[value].append(id)
        return matches

    def _queries(self, split: SplitRule) -> Iterator[Query]:
        qrels = self._qrels(split.qrels) if split.qrels is not None else None
        if qrels is None and self._spec.gold is None:
            raise FileContentError(str(self._folder / "task.json"), "the split has no qrels, and there is no gold")
        seen: set[str] = set()
        for id, record in self._query_records(split):
            if id in seen:
                raise FileContentError(str(self._folder), f"a second query {id!r}")
            seen.add(id)
            text, left_out = self._query_text(id, record)
            judged = None if qrels is None else self._judged(qrels.get(id, {}), left_out)
            gold = self._gold(id, record, left_out) if judged is None else judged
            if not text.strip() or not gold.asks_for_anything:
                if qrels is None or id in qrels:
                    self._notes.add("queries left out: nothing right, or no text", id)
                continue
            yield Query(id, text, gold, self._within(id, gold), left_out, self._answers(record))
        for id in (qrels or {}).keys() - seen:
            self._notes.add("queries left out: judged, but not in the file of queries", id)

    def _answers(self, record: Record) -> tuple[str, ...]:
        fields = self._spec.answer or []
        texts = (
            text for name in ([fields] if isinstance(fields, str) else fields) for text in _values(record.get(name))
        )
        return tuple(dict.fromkeys(text for text in texts if text.strip()))

    def _query_records(self, split: SplitRule) -> Iterator[tuple[str, Record]]:
        form = self._spec.query
        for path in self._paths(split.queries):
            for number, record in read_jsonl(path):
                id = self._id(record, path, number)
                if not isinstance(form, NestedField):
                    yield id, record
                    continue
                items = record.get(form.nested)
                if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                    raise FileContentError(f"{path}:{number}", f"{form.nested!r} is not a list of queries")
                for position, item in enumerate(items):
                    yield f"{id}#{position}", record | item

    def _query_text(self, id: str, record: Record) -> tuple[str, str | None]:
        form = self._spec.query
        if isinstance(form, PaperFacet):
            paper = str(record.get(form.paper_facet[0]))
            if paper not in self._documents:
                raise FileContentError(str(self._folder), f"query {id!r} is document {paper!r}, which is not there")
            return self._documents[paper].text, paper
        fields = form.text if isinstance(form, NestedField) else form
        names = [fields] if isinstance(fields, str) else fields
        return " ".join(filter(None, (_text(record.get(name)) for name in names))), None

    def _qrels(self, name: str) -> dict[str, dict[str, Decimal]]:
        path = (self._folder / name).resolve()
        qrels: dict[str, dict[str, Decimal]] = defaultdict(dict)
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                next(rows, None)
                for row in rows:
                    if row:
                        query, doc, score = row
                        qrels[query][doc] = _finite(score)
        except (OSError, UnicodeDecodeError) as error:
            raise FileContentError(str(path), f"cannot be read: {error}") from error
        except (ValueError, InvalidOperation, csv.Error) as error:
            raise FileContentError(
                f"{path}:{rows.line_num}", "is not query, document and score, with tabs between"
            ) from error
        return qrels

    def _judged(self, scores: Mapping[str, Decimal], left_out: str | None) -> Judged:
        scores = {doc: score for doc, score in scores.items() if doc != left_out}
        for doc in scores.keys() - self._documents.keys():
            self._notes.add("judged documents that are not in the corpus", doc)
        if self._spec.relevant_scores is not None:
            counted = set(self._spec.relevant_scores)
            scores = {doc: Decimal(int(float(score) in counted)) for doc, score in scores.items()}
            return Judged(scores, frozenset(doc for doc, score in scores.items() if score))
        threshold = 1.0 if self._spec.relevance_threshold is None else self._spec.relevance_threshold
        return Judged(scores, frozenset(doc for doc, score in scores.items() if float(score) >= threshold))

    def _gold(self, id: str, record: Record, left_out: str | None) -> Gold:
        match self._spec.gold:
            case GoldField(field=field):
                values = _values(record.get(field))
                for value in values:
                    if value not in self._matches:
                        self._notes.add("right documents that are not in the corpus", value)
                relevant = {doc for value in values for doc in self._matches.get(value, [value])} - {left_out}
                return Judged({doc: Decimal(1) for doc in relevant}, frozenset(relevant))
            case GoldSubtopics(subtopics=subtopics, relevant=relevant_field):
                items = record.get(subtopics)
                if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                    raise FileContentError(str(self._folder), f"query {id!r}: {subtopics!r} is not a list of subtopics")
                sets = {str(n): frozenset(_values(item.get(relevant_field))) for n, item in enumerate(items)}
                return Subtopics({name: docs - {left_out} for name, docs in sets.items() if docs - {left_out}})
            case GoldEvidence() as form:
                return Evidence(tuple(self._spans(id, record, form)))
        raise AssertionError("unreachable: checked before")

    def _spans(self, id: str, record: Record, form: GoldEvidence) -> Iterator[Span]:
        texts = _values(record.get(form.evidence))
        docs = _values(record.get(form.doc))
        starts = record.get(form.start) if form.start is not None else None
        starts = starts if isinstance(starts, list) else [starts] * len(texts)
        docs = docs * len(texts) if len(docs) == 1 else docs
        if not len(docs) == len(starts) == len(texts):
            raise FileContentError(
                str(self._folder),
                f"query {id!r} has {len(texts)} pieces of evidence, {len(docs)} documents and {len(starts)} starts",
            )
        for doc, start, evidence in zip(docs, starts, texts, strict=True):
            text = self._documents[doc].text if doc in self._documents else ""
            place = text.find(evidence) if start is None else start
            if not evidence or not isinstance(place, int) or place < 0 or not text.startswith(evidence, place):
                self._notes.add("pieces of evidence left out: they do not stand where they are said to", id)
                continue
            yield Span(doc, place, place + len(evidence))

    def _within(self, id: str, gold: Gold) -> tuple[str, ...] | None:
        if not (self._spec.pool or self._spec.within_gold):
            return None
        match gold:
            case Judged(gains=gains, relevant=relevant):
                docs: Iterable[str] = gains if self._spec.pool else relevant
            case Subtopics(relevant=relevant):
                docs = sorted(relevant)
            case Evidence(spans=spans):
                docs = (span.doc for span in spans)
        within = tuple(doc for doc in dict.fromkeys(docs) if doc in self._documents)
        if not within:
            raise FileContentError(str(self._folder), f"query {id!r}: none of its documents is in the corpus")
        return within


def beir_form(folder: Path, split: str | None) -> TaskFile:
    """Describe a folder in BEIR's layout: one qrels.tsv, or one for each split in qrels/."""
    if not (folder / "corpus.jsonl").exists():
        raise FileContentError(str(folder), "holds neither task.json nor BEIR's corpus.jsonl")
    files = {path.stem: f"qrels/{path.name}" for path in sorted((folder / "qrels").glob("*.tsv"))}
    if (folder / "qrels.tsv").exists():
        files.setdefault("test", "qrels.tsv")
    if not files:
        raise FileContentError(str(folder), "holds no qrels.tsv and no qrels/SPLIT.tsv")
    return TaskFile(
        name=folder.resolve().name,
        corpus="corpus.jsonl",
        splits={name: SplitRule(queries="queries.jsonl", qrels=file) for name, file in files.items()},
        default_split="test" if "test" in files else next(iter(files)),
        measures=list(BEIR_MEASURES),
    )


def _finite(text: str) -> Decimal:
    number = Decimal(text.strip())
    if not number.is_finite():
        raise ValueError(text)
    return number


def _text(value: Any) -> str:
    """Return the text of a field: a string, a list of strings, or a list of objects with ``text``."""
    if isinstance(value, list):
        return " ".join(filter(None, (_text(item.get("text") if isinstance(item, dict) else item) for item in value)))
    return value if isinstance(value, str) else ""


def _values(value: Any) -> list[str]:
    """Return a value, or a list of them, as strings; none for null."""
    items = value if isinstance(value, list) else [value]
    return [str(item) for item in items if item is not None]
