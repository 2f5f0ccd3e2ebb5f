"""Pipelines: named, checked lists of steps, ours in ``shipped.toml`` and a user's in a file of the same form.

[mine]
about = "Both retrievers, more of each."
steps = [
  { step = "search", retrievers = ["vector", "fulltext"], k = 500 },
  { step = "fuse", by = "rrf", k = 20 },
]
"""

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from papergraph.errors import InputError
from papergraph.settings import Settings
from server.retrieval.candidates import RetrieverName
from server.retrieval.retrievers import retrievers
from server.retrieval.steps import (
    MOST_CANDIDATES,
    STEPS,
    AnyStep,
    Compress,
    Draft,
    Expand,
    Fuse,
    FuseBy,
    Iterate,
    Merge,
    MergeBy,
    Rerank,
    Search,
    Select,
    Step,
    Threshold,
)
from server.selection.backends import NAMES

SHIPPED = Path(__file__).with_name("shipped.toml")
DEFAULT_PIPELINE = "default"
MAX_STEPS = 20
RENAMED = {"legs": "retrievers", "own": "exact"}
"""Options and values of version 0.1, with today's names; removed with the next release."""

MAX_FILE_BYTES = 1_000_000
NAME = re.compile(r"[a-z0-9][a-z0-9*._-]{0,63}")


class PipelineError(InputError):
    """A pipeline that cannot be run as it is written; ``field`` is ``pipeline`` or an option's path in it."""


class Reader(StrEnum):
    """What a language model is given to answer from; each is a prompt of that name, which a user can replace.

    ``passages``   numbered passages with title and headings.
    ``questions``  JSON of title, question and answer, as PR3's reader has it.
    ``pages``      numbered passages with their addresses, which the answer names, as QuIM-RAG's reader does.
    """

    PASSAGES = "passages"
    QUESTIONS = "questions"
    PAGES = "pages"


@dataclass(frozen=True)
class Pipeline:
    """A ranking as data.

    Attributes:
        name: What it is called.
        about: What it does, in a sentence.
        source: Where the method comes from.
        steps: What is done, in order.
        reader: What an answer is written from, where one is asked for.
    """

    name: str
    about: str
    source: str
    steps: tuple[AnyStep, ...]
    reader: Reader = Reader.PASSAGES

    @property
    def k(self) -> int:
        """How many hits it gives at most."""
        return next(limit for step in reversed(self.steps) if (limit := _limit(step)) is not None)

    @property
    def retrievers(self) -> frozenset[RetrieverName]:
        """Retrievers that it asks."""
        return frozenset(retriever for step in self.steps if isinstance(step, Search) for retriever in step.retrievers)

    @property
    def asks_model(self) -> str | None:
        """The first step that needs a language model, or None."""
        for number, step in enumerate(self.steps, start=1):
            asks = isinstance(step, Draft) or (isinstance(step, Expand) and step.by.asks_model)
            if asks or (isinstance(step, Iterate) and step.by == "follow-up"):
                return f"step {number}, {step.step}"
        return None

    @property
    def rerankers(self) -> tuple[str | None, ...]:
        """Cross-encoders that it needs, None for the one of the settings."""
        return tuple(step.model for step in self.steps if isinstance(step, Rerank))

    def giving(self, k: int) -> "Pipeline":
        """Return the pipeline with ``k`` hits: the last limit becomes it, and those before give no fewer than it takes.

        ``k`` is at least 1; more than 5,000 are not had.
        """
        k = min(k, MOST_CANDIDATES)
        limits = {number: limit for number, step in enumerate(self.steps) if (limit := _limit(step)) is not None}
        steps = list(self.steps)
        for number, now in limits.items():
            wide = 2 * k if isinstance(steps[number], Search) and k > self.k and len(limits) > 1 else k
            wanted = k if number == max(limits) else max(now, min(wide, MOST_CANDIDATES))
            steps[number] = _with(steps[number], {"k": wanted})
            if isinstance(step := steps[number], Rerank) and step.n < wanted:
                steps[number] = _with(step, {"n": wanted})
            if isinstance(step, Select) and step.pool < wanted:
                steps[number] = _with(step, {"pool": wanted})
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
                raise PipelineError(f"{self.name} has no step {name!r}{_nearest(kind, names)}", field=path)
            place = there[int(number or 1) - 1]
            if option not in type(steps[place]).model_fields or option == "step":
                options = [field for field in type(steps[place]).model_fields if field != "step"]
                raise PipelineError(f"{kind} has no option {option!r}{_nearest(option, options)}", field=path)
            steps[place] = _with(steps[place], {option: value}, field=path)
        changed = replace(self, steps=tuple(steps))
        check(changed)
        return changed

    def selecting(self, select: Select) -> "Pipeline":
        """Return the pipeline with this selection, in the place of its own or, if it has none, after what ranks."""
        at = next((n for n, step in enumerate(self.steps) if isinstance(step, Select)), None)
        end = next((n for n, step in enumerate(self.steps) if isinstance(step, Compress)), len(self.steps))
        before, after = (self.steps[:end], self.steps[end:]) if at is None else (self.steps[:at], self.steps[at + 1 :])
        changed = replace(self, steps=(*(_leaving(step, select.pool) for step in before), select, *after))
        check(changed)
        return changed

    def as_dict(self) -> dict[str, Any]:
        """Return the pipeline as a TOML file has it, all options given."""
        return {
            "about": self.about,
            "source": self.source,
            "reader": self.reader.value,
            "steps": [step.model_dump(mode="json") for step in self.steps],
        }


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")

    about: str = ""
    source: str = ""
    reader: Reader = Reader.PASSAGES
    steps: list[dict[str, Any]] = Field(min_length=1, max_length=MAX_STEPS)


_STEP: TypeAdapter[AnyStep] = TypeAdapter(AnyStep)


def parse(name: str, written: Any) -> Pipeline:
    """Return the pipeline that a table of a TOML file, or a JSON object, describes.

    Raises:
        PipelineError: A step, an option or a value is not known, with the nearest one that is; or the steps do not
            follow from each other.
    """
    if not NAME.fullmatch(name):
        raise PipelineError(
            f"a pipeline's name has small letters, digits and *._- only, not {name!r}", field="pipeline"
        )
    try:
        table = _Written.model_validate(written)
    except ValidationError as error:
        raise PipelineError(f"pipeline {name}: {_told(error, _Written)}", field="pipeline") from error
    steps = tuple(_parse_step(name, number, step) for number, step in enumerate(table.steps, start=1))
    pipeline = Pipeline(name, table.about, table.source, steps, table.reader)
    check(pipeline)
    return pipeline


def read_pipelines(file: Path) -> dict[str, Pipeline]:
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


@cache
def shipped() -> Mapping[str, Pipeline]:
    """Return the pipelines that come with papergraph, by name."""
    return read_pipelines(SHIPPED)


def known_pipelines(settings: Settings) -> Mapping[str, Pipeline]:
    """Return ours and the user's pipelines by name.

    Raises:
        PipelineError: A pipeline of the user is wrong.
    """
    return {**shipped(), **{name: parse(name, table) for name, table in settings.pipelines.items()}}


def find(name: str, known: Mapping[str, Pipeline]) -> Pipeline:
    """Return the pipeline with this name.

    Raises:
        PipelineError: There is none.
    """
    if name not in known:
        raise PipelineError(f"There is no pipeline {name!r}{_nearest(name, known)}", field="pipeline")
    return known[name]


def check(pipeline: Pipeline) -> None:
    """Refuse steps that do not follow from each other.

    Raises:
        PipelineError: It says which step, and why.
    """
    rankings, candidates, drafted, score = 0, False, False, (0.0, 0.0)
    searched = fused = False
    for number, step in enumerate(pipeline.steps, start=1):

        def refuse(why: str, number: int = number, step: Step = step) -> PipelineError:
            return PipelineError(
                f"pipeline {pipeline.name}, step {number}, {step.step}: {why}",  # type: ignore[attr-defined]
                field="pipeline",
            )

        match step:
            case Expand():
                if step.by == "feedback" and not candidates:
                    raise refuse("feedback comes from candidates: search and fuse before it")
            case Search():
                several = len(step.retrievers) > 1 or any(isinstance(s, Expand) for s in pipeline.steps[: number - 1])
                rankings = 2 if searched or several else 1
                if len(set(step.retrievers)) < len(step.retrievers):
                    raise refuse("a retriever is named twice")
                searched, candidates = True, rankings == 1
                score = retrievers()[step.retrievers[0]].score
            case Fuse():
                if not searched:
                    raise refuse("there is nothing to fuse: search before it")
                if unknown := set(step.weights) - pipeline.retrievers:
                    raise refuse(f"weights of retrievers that are not searched: {', '.join(sorted(unknown))}")
                if step.weights and not any(step.weights.get(retriever, 1.0) for retriever in pipeline.retrievers):
                    raise refuse("all weights are 0")
                fused, candidates = True, True
                score = _fused_range(step)
            case _:
                if not candidates:
                    raise refuse("it needs candidates: " + ("fuse before it" if searched else "search before it"))
        match step:
            case Draft():
                drafted = True
            case Rerank():
                if step.draft and not drafted:
                    raise refuse("there is no draft to rerank against: draft before it")
                if step.k is not None and step.k > step.n:
                    raise refuse(f"k is {step.k} of n = {step.n} candidates")
                score = (0.0, 1.0)
            case Threshold():
                low, high = score
                if not low <= step.above < high:
                    raise refuse(f"scores there lie in [{low:g}, {high:g}], so nothing is compared with {step.above:g}")
            case Select():
                if step.k > step.pool:
                    raise refuse(f"k is {step.k} of a pool of {step.pool} candidates")
                if step.backend not in NAMES:
                    raise refuse(f"there is no back end {step.backend!r}{_nearest(step.backend, NAMES)}")
            case Iterate():
                if not fused:
                    raise refuse("it repeats search and fuse: both come before it")
            case Merge():
                if step.by is MergeBy.GRAPH and not step.via:
                    raise refuse("via names no relationship")
                if step.named and not (step.by is MergeBy.LINKS and RetrieverName.NAME in pipeline.retrievers):
                    raise refuse("named is of links, behind a search of the retriever name")
                if step.by is MergeBy.LINKS:
                    score = (0.0, float("inf"))
            case _:
                pass
    if not candidates:
        raise PipelineError(f"pipeline {pipeline.name} ends with several rankings: fuse them", field="pipeline")


def _fused_range(step: Fuse) -> tuple[float, float]:
    if step.by in (FuseBy.MIN_MAX, FuseBy.MAXIMUM):
        return 0.0, 1.0 if step.across != "sum" else float("inf")
    return (float("-inf") if step.by is FuseBy.Z_SCORE else 0.0), float("inf")


def _limit(step: AnyStep) -> int | None:
    """Return how many candidates, or chunks of each ranking, a step leaves at most, if it says so."""
    return None if isinstance(step, Threshold | Expand | Draft | Compress | Iterate) else step.k


def _leaving(step: AnyStep, n: int) -> AnyStep:
    """Return a step that leaves ``n`` candidates; a reranker is slow, and leaves all of the ones that it reads."""
    if (limit := _limit(step)) is None:
        return step
    return _with(step, {"k": step.n if isinstance(step, Rerank) else max(n, limit)})


def _with(step: AnyStep, options: Mapping[str, Any], *, field: str = "pipeline") -> AnyStep:
    try:
        return _STEP.validate_python(step.model_dump() | dict(options))
    except ValidationError as error:
        raise PipelineError(f"step {step.step}: {_told(error, type(step))}", field=field) from error


def _parse_step(name: str, number: int, written: Mapping[str, Any]) -> AnyStep:
    kind = written.get("step")
    where = f"pipeline {name}, step {number}"
    if kind not in STEPS:
        raise PipelineError(f"{where}: there is no step {kind!r}{_nearest(str(kind), STEPS)}", field="pipeline")
    try:
        return _STEP.validate_python(dict(written))
    except ValidationError as error:
        raise PipelineError(f"{where}, {kind}: {_told(error, STEPS[kind])}", field="pipeline") from error


def _told(error: ValidationError, model: type[BaseModel]) -> str:
    """Return the first thing that is wrong, with the nearest name where a name is not known."""
    problems = error.errors(include_url=False)
    first = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
    path = [part for part in first["loc"] if part not in STEPS]
    option = ".".join(str(part) for part in path)
    if first["type"] == "extra_forbidden":
        options = [name for name in model.model_fields if name != "step"]
        return f"there is no option {option!r}{_nearest(option, options)}"
    if first["type"] in ("enum", "literal_error"):
        values = re.findall(r"'([^']*)'", str(first.get("ctx", {}).get("expected", "")))
        return f"{option} is {first['input']!r}{_nearest(str(first['input']), values)}"
    return f"{option}: {first['msg']}"


def _nearest(name: str, known: Iterable[str]) -> str:
    names = [str(other) for other in known]
    if (new := RENAMED.get(name)) in names:
        return f"; it is now named {new!r}"
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"


def follows_links(pipeline: Pipeline) -> bool:
    """Say whether a pipeline finds more where the enrichment of links was made; it works without."""
    merges = any(isinstance(step, Merge) and step.by is MergeBy.LINKS for step in pipeline.steps)
    return merges or RetrieverName.NAME in pipeline.retrievers


def needs(pipeline: Pipeline) -> list[str]:
    """Return what a pipeline needs beside papers: a language model, a reranker, enrichments."""
    found = {enrichment for retriever in pipeline.retrievers if (enrichment := retrievers()[retriever].needs)}
    return [
        *(["language model"] if pipeline.asks_model else []),
        *(["reranker"] if pipeline.rerankers else []),
        *sorted(found),
    ]
