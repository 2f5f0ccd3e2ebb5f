"""The file of an experiment: questions, arms, and the measure that is declared in advance."""

import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation.measures import Kind, Measure, parse_measure
from papergraph.errors import InputError
from schema.ids import DEFAULT_COLLECTION
from server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, find

MOST_ARMS = 2000
MOST_FILE_BYTES = 1_000_000
FEW_QUESTIONS = 30
"""With fewer questions than these a difference is seldom told from chance."""

KINDS = (Kind.NDCG, Kind.RECALL, Kind.MRR, Kind.HIT)
"""Measures that an experiment can be decided by."""


class _Arms(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pipelines: Annotated[list[str], Field(min_length=1)]
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(default_factory=dict)


class ExperimentFile(BaseModel):
    """The content of the file.

    Questions are those of ``data``, a data folder, of ``questions``, a file about a collection, or of the collection's
    ``judgements``.
    """

    model_config = ConfigDict(extra="forbid")

    arms: Annotated[list[_Arms], Field(min_length=1)]
    measure: str = "nDCG@10"
    baseline: str = DEFAULT_PIPELINE
    data: Path | None = None
    split: str | None = None
    corpus: str | None = None
    questions: Path | None = None
    judgements: bool = False
    collection: str = DEFAULT_COLLECTION
    n_questions: Annotated[int | None, Field(ge=2)] = None
    seed: Annotated[int, Field(ge=0)] = 1


@dataclass(frozen=True)
class Arm:
    """A configuration.

    Attributes:
        name: The pipeline's name, and the options that differ.
        pipeline: What runs.
        overrides: The options that differ, by ``step.option``.
    """

    name: str
    pipeline: Pipeline
    overrides: Mapping[str, Any]


@dataclass(frozen=True)
class Experiment:
    """An experiment that was read and checked.

    Attributes:
        file: What was written.
        arms: The baseline first, then all others, none twice.
        measure: What decides.
        folder: Where relative paths of the file begin.
    """

    file: ExperimentFile
    arms: tuple[Arm, ...]
    measure: Measure
    folder: Path

    @property
    def digest(self) -> str:
        """The sha-256 over all that decides the outcome beside the data."""
        said = self.file.model_dump(mode="json") | {"arms": [arm.pipeline.as_dict() for arm in self.arms]}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def path(self, given: Path) -> Path:
        """Return a path of the file as seen from here."""
        return given if given.is_absolute() else self.folder / given


def read_experiment(path: Path, known: Mapping[str, Pipeline]) -> Experiment:
    """Read the file of an experiment.

    Args:
        path: The file, TOML.
        known: Pipelines by name.

    Raises:
        InputError: It cannot be read, an arm cannot run, or there are more than 2,000.
    """
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise InputError(f"{path} has more than {MOST_FILE_BYTES:,} bytes", field="file")
        file = ExperimentFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise InputError(f"{path} is no file of an experiment: {str(error)[:1000]}", field="file") from error
    if (file.data is not None) + (file.questions is not None) + file.judgements != 1:
        told = "name one of data, a data folder, questions, a file of questions, or judgements = true"
        raise InputError(f"{path}: {told}", field="data")
    return Experiment(file, tuple(_arms(file, known)), _measure(file.measure), path.parent)


def _measure(name: str) -> Measure:
    try:
        measure = parse_measure(name)
    except ValueError as error:
        raise InputError(f"measure: {error}", field="measure") from error
    if measure is None or measure.kind not in KINDS or measure.k is None:
        raise InputError(
            f"measure {name!r} does not decide experiments; those that do: {', '.join(f'{kind}@k' for kind in KINDS)}",
            field="measure",
        )
    return measure


def _arms(file: ExperimentFile, known: Mapping[str, Pipeline]) -> Iterator[Arm]:
    seen = set()
    n_all = 1 + sum(_size(one) for one in file.arms)
    if n_all > MOST_ARMS + 1:
        raise InputError(f"the grids have {n_all - 1:,} arms, and {MOST_ARMS:,} is the most", field="arms")
    every = itertools.chain([(file.baseline, {})], *(_combinations(one) for one in file.arms))
    for name, overrides in every:
        pipeline = find(name, known).overridden(overrides)
        what = json.dumps([step.model_dump(mode="json") for step in pipeline.steps], sort_keys=True)
        if what not in seen:
            seen.add(what)
            told = " ".join(f"{path}={_told(value)}" for path, value in overrides.items())
            yield Arm(f"{name} {told}".strip(), pipeline, overrides)


def _size(arms: _Arms) -> int:
    size = len(arms.pipelines)
    for values in arms.grid.values():
        size *= len(values)
    return size


def _combinations(arms: _Arms) -> Iterator[tuple[str, dict[str, Any]]]:
    paths: Sequence[str] = tuple(arms.grid)
    for name in arms.pipelines:
        for values in itertools.product(*arms.grid.values()):
            yield name, dict(zip(paths, values, strict=True))


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{_told(one)}" for name, one in value.items())
    return str(value)
