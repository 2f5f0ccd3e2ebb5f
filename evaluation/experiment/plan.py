"""The file of an experiment: questions, arms, and the measure that is declared in advance."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evaluation.experiment.space import MOST_POINTS, Space, heads
from evaluation.measures import Kind, Measure
from ingest.chunkers import chunkers
from schema.ids import DEFAULT_COLLECTION
from server.retrieval.candidates import RetrieverName
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline
from server.retrieval.steps.base import Count, nearest
from server.retrieval.steps.fuse import Fuse, FuseBy

MOST_ARMS = 2000
MOST_FILE_BYTES = 1_000_000
MOST_HITS = 10
"""Of an ensemble, where a search asks for no other number."""
FEW_QUESTIONS = 30
"""With fewer questions than these a difference is seldom told from chance."""

KINDS = (Kind.NDCG, Kind.RECALL, Kind.MRR, Kind.HIT)
"""Measures that an experiment can be decided by."""


class Unit(StrEnum):
    """What is ranked and is right or not."""

    PAPER = "paper"
    CHUNK = "chunk"


class Method(StrEnum):
    """How a search chooses its points."""

    SOBOL = "sobol"
    OPTUNA = "optuna"


class PlacesTable(BaseModel):
    """Where arms are asked: each of these is another place, the first ones of all are those of the experiment."""

    model_config = ConfigDict(extra="forbid")

    chunkers: Annotated[list[str], Field(min_length=1)] = [""]
    collections: Annotated[list[str], Field(min_length=1)] = [""]
    models: Annotated[list[str], Field(min_length=1)] = [""]


class StartsTable(PlacesTable):
    pipelines: Annotated[list[str], Field(min_length=1)]


class ArmsTable(StartsTable):
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(default_factory=dict)


class _Ensemble(PlacesTable):
    retrievers: Annotated[list[RetrieverName], Field(min_length=2, max_length=8)]
    by: Annotated[list[FuseBy], Field(min_length=1)] = [FuseBy.MAXIMUM, FuseBy.INTERLEAVE]
    k: Count = 200


class _Search(StartsTable):
    space: Space
    points: Annotated[int, Field(ge=2, le=MOST_POINTS)] = 256
    method: Method = Method.SOBOL


class ExperimentFile(BaseModel):
    """The content of the file; questions come from one of ``data``, ``questions`` and ``ratings``."""

    model_config = ConfigDict(extra="forbid")

    arms: list[ArmsTable] = Field(default_factory=list)
    ensembles: list[_Ensemble] = Field(default_factory=list)
    search: list[_Search] = Field(default_factory=list)
    measure: str = "nDCG@10"
    unit: Unit = Unit.PAPER
    baseline: str = DEFAULT_PIPELINE
    data: Path | None = None
    split: str | None = None
    corpus: str | None = None
    questions: Path | None = None
    ratings: bool = False
    judgements: list[Path] = Field(default_factory=list)
    collection: str = DEFAULT_COLLECTION
    n_questions: Annotated[int | None, Field(ge=2)] = None
    folds: Annotated[int, Field(ge=2, le=20)] | None = None
    seed: Annotated[int, Field(ge=0)] = 1

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if not (self.arms or self.ensembles or self.search):
            raise ValueError("there are no arms: write [[arms]], [[ensembles]] or [[search]]")
        if (self.data is not None) + (self.questions is not None) + self.ratings != 1:
            raise ValueError(
                "name one source of questions: data, a data folder; questions, a file; or ratings = true, the "
                "stored answers of the collection that readers found good"
            )
        for places in (*self.arms, *self.ensembles, *self.search):
            if self.data is not None and places.collections != [""]:
                raise ValueError("a data folder has chunkers in the place of collections")
            if self.data is None and places.chunkers != [""]:
                raise ValueError("a collection is cut already: name collections that were ingested with other chunkers")
            if unknown := [one for one in places.chunkers if one and one not in chunkers()]:
                raise ValueError(f"there is no chunker {unknown[0]!r}{nearest(unknown[0], chunkers())}")
        return self


@dataclass(frozen=True)
class Place:
    """Where an arm is asked.

    Attributes:
        where: Of a data folder the chunker, else the collection; '' for the one of the experiment.
        model: The embedding model; '' for the one of the store.
    """

    where: str = ""
    model: str = ""


@dataclass(frozen=True)
class Arm:
    """A configuration.

    Attributes:
        name: The pipeline's name, the options that differ, and the place.
        pipeline: What runs.
        overrides: The options that differ, by ``step.option``.
        place: Where it is asked.
    """

    name: str
    pipeline: Pipeline
    overrides: Mapping[str, Any]
    place: Place = Place()

    @cached_property
    def key(self) -> str:
        """What it does, so that two arms that do the same are one."""
        steps = [step.model_dump(mode="json") for step in self.pipeline.steps]
        return json.dumps([steps, self.place.where, self.place.model], sort_keys=True)


@dataclass(frozen=True)
class Ensemble:
    """Retrievers whose weights, or turns, are learned from the questions that choose.

    Attributes:
        base: The arm whose weights are changed; its fusion says what the weights are of.
        retrievers: The retrievers, in their order.
    """

    base: Arm
    retrievers: tuple[RetrieverName, ...]

    def weighing(self, weights: Sequence[float]) -> Arm:
        """Return the arm with weights, one for each retriever."""
        search, fuse = self.base.pipeline.steps
        told = {name: round(float(weight), 3) for name, weight in zip(self.retrievers, weights, strict=True)}
        pipeline = replace(self.base.pipeline, steps=(search, fuse.changed(weights=told)))
        by = fuse.by.value if isinstance(fuse, Fuse) else ""
        shown = " ".join(f"{name}:{weight:g}" for name, weight in told.items())
        return replace(self.base, name=f"ensemble {by} {shown}{told_place(self.base.place)}", pipeline=pipeline)


def told_place(place: Place) -> str:
    return (f" in {place.where}" if place.where else "") + (f" by {place.model}" if place.model else "")


def changed_arm(start: Arm, values: Mapping[str, Any]) -> Arm:
    """Return an arm with other options; ``fuse.weights.vector`` is one of the weights."""
    overrides: dict[str, Any] = {}
    for path, value in values.items():
        step, _, option = path.partition(".")
        option, _, part = option.partition(".")
        if not part:
            overrides[path] = value
            continue
        whole = f"{step}.{option}"
        if whole not in overrides:
            overrides[whole] = dict(_option(start.pipeline, step, option))
        overrides[whole][part] = value
    told = " ".join(f"{path}={_told(value)}" for path, value in values.items())
    name = f"{start.pipeline.name} {told}".strip() + told_place(start.place)
    return replace(start, name=name, pipeline=start.pipeline.overridden(overrides), overrides=overrides)


def _option(pipeline: Pipeline, step: str, option: str) -> Mapping[str, Any]:
    """Return the value of an option that has parts; {} where there is none, which an override then refuses."""
    value = next((getattr(one, option, None) for one in pipeline.steps if one.step == step), None)
    return {str(name): part for name, part in value.items()} if isinstance(value, dict) else {}


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{_told(one)}" for name, one in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Searched:
    """A space that is searched.

    Attributes:
        starts: The pipelines that points change, each with its place.
        space: The options and their ranges.
        n: Number of points, over all starts.
        method: How they are chosen.
    """

    starts: tuple[Arm, ...]
    space: Space
    n: int
    method: Method

    @property
    def heads(self) -> list[dict[str, Any]]:
        """All combinations of the options of steps that ask the store."""
        return heads(self.space)

    def arm(self, start: Arm, values: Mapping[str, Any]) -> Arm:
        """Return the arm at a point.

        Raises:
            PipelineError: The pipeline has no such option, or cannot run with its value.
        """
        return changed_arm(start, values)


@dataclass(frozen=True)
class Experiment:
    """An experiment that was read and checked.

    Attributes:
        file: What was written.
        arms: The baseline first, then all others of grids, none twice.
        ensembles: What is learned.
        searches: What is searched.
        measure: What decides.
        folder: Where relative paths of the file begin.
        pipelines: Those that the file names, by name.
    """

    file: ExperimentFile
    arms: tuple[Arm, ...]
    measure: Measure
    folder: Path
    pipelines: Mapping[str, Pipeline]
    ensembles: tuple[Ensemble, ...] = ()
    searches: tuple[Searched, ...] = ()

    @property
    def digest(self) -> str:
        """The sha-256 over all that is asked beside the data."""
        said = self.file.model_dump(mode="json") | {name: one.as_dict() for name, one in self.pipelines.items()}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    @property
    def learns(self) -> bool:
        """Whether some arms are made of the questions that choose: only the others can say how good they are."""
        return bool(self.ensembles or self.searches)

    @cached_property
    def asking(self) -> tuple[Arm, ...]:
        """Arms that together ask the store all that any arm asks it."""
        searched = [
            search.arm(start, values) for search in self.searches for start in search.starts for values in search.heads
        ]
        return (*self.arms, *(one.base for one in self.ensembles), *searched)

    @property
    def wheres(self) -> tuple[str, ...]:
        """All chunkers, or collections, in which arms are asked; '' is the one of the experiment."""
        return tuple(dict.fromkeys(arm.place.where for arm in self.asking))

    @property
    def of_baseline(self) -> Self:
        """The same experiment with no other arm than the baseline."""
        return replace(self, arms=self.arms[:1], ensembles=(), searches=())

    def path(self, given: Path) -> Path:
        """Return a path of the file as seen from here."""
        return given if given.is_absolute() else self.folder / given
