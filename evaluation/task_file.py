"""The form of ``task.json``, which tells where a data folder has its documents, queries and judgements."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from papergraph.errors import DataFolderError

SHOWN = 3
"""How many examples a note names."""
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
    """What is left out or unusual, counted by kind, with the first few examples."""

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
        DataFolderError: The file cannot be read, or a line is not a JSON object.
    """
    number = 0
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise DataFolderError(f"{path}:{number}", "is not a JSON object")
                    yield number, record
    except OSError as error:
        raise DataFolderError(str(path), f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataFolderError(f"{path}:{number or 1}", f"is not JSON: {error}") from error


def read_task_file(path: Path, notes: TaskNotes) -> TaskFile:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        spec = TaskFile.model_validate(content)
    except OSError as error:
        raise DataFolderError(str(path), f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, problem['loc'])) or 'all of it'}: {problem['msg']}" for problem in error.errors()]
        raise DataFolderError(str(path), "; ".join(lines[:SHOWN])) from error
    except ValueError as error:
        raise DataFolderError(str(path), f"is not JSON: {error}") from error
    if not spec.text_fields:
        raise DataFolderError(str(path), "text_fields is empty")
    for name in content.keys() - TaskFile.model_fields.keys():
        notes.add("entries of task.json that nothing reads", name)
    return spec
