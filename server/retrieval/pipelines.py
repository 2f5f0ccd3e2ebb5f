"""Pipelines: named, checked lists of steps, ours in ``shipped.toml`` and a user's in a file of the same form.

[mine]
about = "Both retrievers, more of each."
steps = [
  { step = "search", retrievers = ["vector", "fulltext"], k = 500 },
  { step = "fuse", by = "rrf", k = 20 },
]
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from papergraph.ingest.enrichments.base import LANGUAGE_MODEL
from papergraph.records import Record, described, internal
from papergraph.server.retrieval.candidates import RetrieverName
from papergraph.server.retrieval.steps import steps
from papergraph.server.retrieval.steps.base import MOST_CANDIDATES, PipelineError, Plan, Step, nearest
from papergraph.server.retrieval.steps.search import Search
from papergraph.server.retrieval.steps.select import Select
from papergraph.settings import Settings

SHIPPED = Path(__file__).with_name("shipped.toml")
DEFAULT_PIPELINE = "default"
MAX_STEPS = 20
MAX_FILE_BYTES = 1_000_000
NAME = re.compile(r"[a-z0-9][a-z0-9*._-]{0,63}")


class Reader(StrEnum):
    """Form of the passages for a language model; each is a prompt of that name, which a user can replace.

    ``passages``   numbered passages with title and headings.
    ``questions``  JSON of title, question and answer, as PR3's reader has it.
    ``pages``      numbered passages with their addresses, which the answer names, as QuIM-RAG's reader does.
    ``topic``      numbered passages below the titles of their papers, with steps of reasoning before the answer.
    """

    PASSAGES = "passages"
    QUESTIONS = "questions"
    PAGES = "pages"
    TOPIC = "topic"


@dataclass(frozen=True)
class Pipeline:
    """A ranking as data.

    Attributes:
        name: What it is called.
        about: What it does, in a sentence.
        source: Where the method comes from.
        steps: What is done, in order.
        reader: What an answer is written from, where one is asked for.
        chunker: The chunker whose chunks the method is published for, None where any will do.
    """

    name: str
    about: str
    source: str
    steps: tuple[Step, ...]
    reader: Reader = Reader.PASSAGES
    chunker: str | None = None

    @property
    def k(self) -> int:
        """Most hits."""
        return next(step.limit for step in reversed(self.steps) if step.limit is not None)

    @property
    def retrievers(self) -> frozenset[RetrieverName]:
        """Retrievers that it asks."""
        return frozenset(retriever for step in self.steps if isinstance(step, Search) for retriever in step.retrievers)

    @property
    def asks_model(self) -> str | None:
        """The first step that needs a language model, or None."""
        for number, step in enumerate(self.steps, start=1):
            if step.asks_model:
                return f"step {number}, {step.step}"
        return None

    @property
    def rerankers(self) -> tuple[str | None, ...]:
        """Cross-encoders that it needs, None for the one of the settings."""
        return tuple(name for step in self.steps for name in step.rerankers)

    def giving(self, k: int) -> "Pipeline":
        """Return the pipeline with ``k`` hits: the last limit becomes it, and those before give no fewer than it takes.

        ``k`` is at least 1; more than 5,000 are not had.
        """
        k = min(k, MOST_CANDIDATES)
        limits = {number: step.limit for number, step in enumerate(self.steps) if step.limit is not None}
        steps = list(self.steps)
        for number, now in limits.items():
            wide = 2 * k if isinstance(steps[number], Search) and k > self.k and len(limits) > 1 else k
            wanted = k if number == max(limits) else max(now, min(wide, MOST_CANDIDATES))
            steps[number] = steps[number].limited(wanted)
        return replace(self, steps=tuple(steps))

    def overridden(self, overrides: Mapping[str, Any]) -> "Pipeline":
        """Return the pipeline with other options: ``{"fuse.k": 20}``, or ``search2.k`` for the second such step.

        Raises:
            PipelineError: There is no such step or option, or the pipeline cannot be run with its value.
        """
        steps = list(self.steps)
        for path, value in overrides.items():
            name, _, option = path.partition(".")
            kind, number = re.fullmatch(r"(.*?)(\d*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
            there = [place for place, step in enumerate(steps) if step.step == kind]
            if not 1 <= int(number or 1) <= len(there):
                names = [step.step for step in steps]
                raise PipelineError(f"{self.name} has no step {name!r}{nearest(kind, names)}", field=path)
            place = there[int(number or 1) - 1]
            if option not in type(steps[place]).model_fields or option == "step":
                options = [field for field in type(steps[place]).model_fields if field != "step"]
                raise PipelineError(f"{kind} has no option {option!r}{nearest(option, options)}", field=path)
            steps[place] = _changed(steps[place], {option: value}, field=path)
        changed = replace(self, steps=tuple(steps))
        check(changed)
        return changed

    def selecting(self, select: Select) -> "Pipeline":
        """Return the pipeline with this selection, in the place of its own or, if it has none, after what ranks."""
        at = next((n for n, step in enumerate(self.steps) if isinstance(step, Select)), None)
        end = next((n for n, step in enumerate(self.steps) if step.follows_selection), len(self.steps))
        before, after = (self.steps[:end], self.steps[end:]) if at is None else (self.steps[:at], self.steps[at + 1 :])
        changed = replace(self, steps=(*(step.leaving(select.pool) for step in before), select, *after))
        check(changed)
        return changed

    def as_dict(self) -> dict[str, Any]:
        """Return the pipeline as a TOML file has it, all options given."""
        return {
            "about": self.about,
            "source": self.source,
            "reader": self.reader.value,
            **({} if self.chunker is None else {"chunker": self.chunker}),
            "steps": [step.model_dump(mode="json") for step in self.steps],
        }


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")

    about: str = ""
    source: str = ""
    reader: Reader = Reader.PASSAGES
    chunker: str | None = None
    steps: list[dict[str, Any]] = Field(min_length=1, max_length=MAX_STEPS)


def parse(name: str, written: Any) -> Pipeline:
    """Return the pipeline that a table of a TOML file, or a JSON object, describes.

    Raises:
        PipelineError: A step, an option or a value is not known, with the nearest one that is; or the steps do not
            follow from each other.
    """
    pipeline = _parse(name, written)
    if pipeline.chunker is not None:
        check_chunker(name, pipeline.chunker)
    return pipeline


def check_chunker(name: str, chunker: str) -> None:
    """Refuse the chunker of a pipeline that is not installed; all chunkers, and with them parsers, are imported.

    Raises:
        PipelineError: The chunker is unknown.
    """
    from papergraph.ingest.chunkers import chunkers

    if chunker not in chunkers():
        raise PipelineError(
            f"pipeline {name}: there is no chunker {chunker!r}{nearest(chunker, chunkers())}", field="pipeline"
        )


def _parse(name: str, written: Any) -> Pipeline:
    if not NAME.fullmatch(name):
        raise PipelineError(
            f"a pipeline's name has small letters, digits and *._- only, not {name!r}", field="pipeline"
        )
    try:
        table = _Written.model_validate(written)
    except ValidationError as error:
        raise PipelineError(f"pipeline {name}: {_told(error, _Written)}", field="pipeline") from error
    steps = tuple(_parse_step(name, number, step) for number, step in enumerate(table.steps, start=1))
    pipeline = Pipeline(name, table.about, table.source, steps, table.reader, table.chunker)
    check(pipeline)
    return pipeline


def read_pipelines(file: Path, parse: Callable[[str, Any], Pipeline] = parse) -> dict[str, Pipeline]:
    """Return the pipelines of a TOML file by name.

    Raises:
        PipelineError: The file cannot be read, or a pipeline of it is wrong.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise PipelineError(f"{file} is longer than {MAX_FILE_BYTES} bytes", field="pipelines")
        tables = tomllib.loads(content.decode())
    except (OSError, ValueError) as error:
        raise PipelineError(f"cannot read pipelines of {file}: {error}", field="pipelines") from error
    return {name: parse(name, table) for name, table in tables.items()}


def shipped() -> Mapping[str, Pipeline]:
    """Return the pipelines that come with papergraph, by name."""
    return _read_shipped()


@cache
def _read_shipped() -> Mapping[str, Pipeline]:
    return read_pipelines(SHIPPED, _parse)  # a test checks their chunkers


def known_pipelines(settings: Settings) -> Mapping[str, Pipeline]:
    """Return ours and the user's pipelines by name.

    Raises:
        PipelineError: A pipeline of the user is wrong.
    """
    return {**shipped(), **{name: parse(name, table) for name, table in settings.pipelines.items()}}


def find(name: str, known: Mapping[str, Pipeline]) -> Pipeline:
    """Return the pipeline with this name.

    Raises:
        PipelineError: The name is unknown.
    """
    if name not in known:
        raise PipelineError(f"There is no pipeline {name!r}{nearest(name, known)}", field="pipeline")
    return known[name]


def check(pipeline: Pipeline) -> None:
    """Refuse steps that do not follow from each other.

    Raises:
        PipelineError: It says which step, and why.
    """
    plan = Plan(pipeline.name, pipeline.steps, pipeline.retrievers)
    for number, step in enumerate(pipeline.steps, start=1):
        plan.number = number
        step.check(plan)
    if not plan.candidates:
        raise PipelineError(f"pipeline {pipeline.name} ends with several rankings: fuse them", field="pipeline")


def _changed(step: Step, options: Mapping[str, Any], *, field: str) -> Step:
    try:
        return step.changed(**options)
    except ValidationError as error:
        raise PipelineError(f"step {step.step}: {_told(error, type(step))}", field=field) from error


def _parse_step(name: str, number: int, written: Mapping[str, Any]) -> Step:
    kind = written.get("step")
    where = f"pipeline {name}, step {number}"
    if not isinstance(kind, str) or kind not in steps():
        raise PipelineError(f"{where}: there is no step {kind!r}{nearest(str(kind), steps())}", field="pipeline")
    options = steps()[kind]
    try:
        return options.model_validate(written)
    except ValidationError as error:
        raise PipelineError(f"{where}, {kind}: {_told(error, options)}", field="pipeline") from error


def _told(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first thing that is wrong, with the nearest name where a name is not known."""
    problems = error.errors(include_url=False)
    first = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
    option = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        options = [name for name in model.model_fields if name != "step"]
        return f"there is no option {option!r}{nearest(option, options)}"
    if first["type"] in ("enum", "literal_error"):
        values = re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", "")))
        return f"{option} is {first['input']!r}{nearest(str(first['input']), values)}"
    return f"{option}: {first['msg']}"


def follows_links(pipeline: Pipeline) -> bool:
    """Say whether a pipeline finds more where the enrichment of links was made; it works without."""
    return any("links" in step.uses for step in pipeline.steps)


RERANKER = "reranker"
"""Name of the requirement of a reranker."""


def needs(pipeline: Pipeline) -> list[str]:
    """Return what a pipeline needs beside papers: a language model, a reranker, enrichments."""
    return [
        *([LANGUAGE_MODEL] if pipeline.asks_model else []),
        *([RERANKER] if pipeline.rerankers else []),
        *sorted({needed for step in pipeline.steps for needed in step.needs}),
    ]


@dataclass(frozen=True, kw_only=True)
class PipelineInfo(Record):
    """Named, reproducible list of retrieval steps."""

    name: Annotated[str, described("Name, as a search takes it.")]
    about: Annotated[str, described("Summary in a sentence.")]
    source: Annotated[str, described("Origin of the method.")]
    needs: Annotated[tuple[str, ...], described("Requirements: language model, reranker, enrichments.")]
    reader: Annotated[Reader, described("Input of the language model for an answer.")]
    steps: Annotated[tuple[Any, ...], described("Steps in order, with all options.")]
    pipeline: Annotated[Any, internal("The pipeline itself.")] = field(repr=False)

    @classmethod
    def of(cls, pipeline: Pipeline, **more: Any) -> Self:
        """Return what interfaces show of a pipeline."""
        return cls(
            name=pipeline.name,
            about=pipeline.about,
            source=pipeline.source,
            needs=tuple(needs(pipeline)),
            reader=pipeline.reader,
            steps=tuple(pipeline.as_dict()["steps"]),
            pipeline=pipeline,
            **more,
        )
