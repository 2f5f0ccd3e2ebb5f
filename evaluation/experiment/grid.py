"""File of an experiment: questions, a grid of pipelines, and the measure that is declared in advance."""

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from papergraph.errors import InputError
from papergraph.evaluation.measures import Kind, Measure, parse_measure
from papergraph.schema.ids import DEFAULT_COLLECTION
from papergraph.server.retrieval.pipelines import DEFAULT_PIPELINE, Pipeline, find

MOST_ARMS = 200
"""Every arm runs live: 200 arms and 300 questions of 10 ms take ten minutes."""
MOST_FILE_BYTES = 1_000_000
KINDS = (Kind.NDCG, Kind.RECALL, Kind.MRR, Kind.HIT)
"""Measures that can decide an experiment."""


class ArmsTable(BaseModel):
    """Pipelines, each with all combinations of options."""

    model_config = ConfigDict(extra="forbid")

    pipelines: Annotated[list[str], Field(min_length=1)]
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = Field(default_factory=dict)


class ExperimentFile(BaseModel):
    """Content of the file; questions come from either ``data`` or ``questions``."""

    model_config = ConfigDict(extra="forbid")

    arms: Annotated[list[ArmsTable], Field(min_length=1)]
    measure: str = "nDCG@10"
    baseline: str = DEFAULT_PIPELINE
    data: Path | None = None
    split: str | None = None
    corpus: str | None = None
    questions: Path | None = None
    collection: str = DEFAULT_COLLECTION
    n_questions: Annotated[int | None, Field(ge=2)] = None
    folds: Annotated[int, Field(ge=2, le=20)] | None = None
    seed: Annotated[int, Field(ge=0)] = 1

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.data is None) == (self.questions is None):
            raise ValueError("name one source of questions: data, a data folder, or questions, a file")
        return self


@dataclass(frozen=True)
class Experiment:
    """Experiment that was read and checked.

    Attributes:
        file: Content of the file.
        arms: The baseline first, then the grids, without duplicates; the name of a pipeline has its changed options.
        measure: Measure that decides.
        folder: Folder of relative paths.
    """

    file: ExperimentFile
    arms: tuple[Pipeline, ...]
    measure: Measure
    folder: Path

    def path(self, given: Path) -> Path:
        """Return a path of the file as seen from here."""
        return given if given.is_absolute() else self.folder / given


def read_experiment(path: Path, known: Mapping[str, Pipeline]) -> Experiment:
    """Read the file of an experiment.

    Args:
        path: The file, TOML.
        known: Pipelines by name.

    Raises:
        InputError: It cannot be read, an arm cannot run, or there are more than 200 arms.
    """
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise InputError(f"{path} has more than {MOST_FILE_BYTES:,} bytes", field="file")
        file = ExperimentFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(f"{path} is no file of an experiment: {place}: {first['msg']}", field="file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no file of an experiment: {str(error)[:1000]}", field="file") from error
    return Experiment(file, tuple(_arms(file, known)), _measure(file), path.parent)


def _measure(file: ExperimentFile) -> Measure:
    try:
        measure = parse_measure(file.measure)
    except ValueError as error:
        raise InputError(f"measure: {error}", field="measure") from error
    if measure is None or measure.kind not in KINDS or measure.k is None:
        able = ", ".join(f"{kind}@k" for kind in KINDS)
        raise InputError(f"measure {file.measure!r} cannot decide an experiment; choose from {able}", field="measure")
    return measure


def _arms(file: ExperimentFile, known: Mapping[str, Pipeline]) -> Iterator[Pipeline]:
    found: dict[str, Pipeline] = {}
    baseline = find(file.baseline, known)
    for arm in itertools.chain([baseline], *(_combinations(one, known) for one in file.arms)):
        found.setdefault(json.dumps([step.model_dump(mode="json") for step in arm.steps], sort_keys=True), arm)
        if len(found) > MOST_ARMS:
            raise InputError(f"the grids have more than {MOST_ARMS} arms", field="arms")
    yield from found.values()


def _combinations(arms: ArmsTable, known: Mapping[str, Pipeline]) -> Iterator[Pipeline]:
    for name in arms.pipelines:
        for values in itertools.product(*arms.grid.values()):
            yield changed(find(name, known), dict(zip(arms.grid, values, strict=True)))


def changed(pipeline: Pipeline, values: Mapping[str, Any]) -> Pipeline:
    """Return a pipeline with other options, named by them; ``fuse.weights.vector`` is one of the weights."""
    overrides: dict[str, Any] = {}
    for path, value in values.items():
        step, option, *part = path.split(".", 2)
        if not part:
            overrides[path] = value
            continue
        whole = f"{step}.{option}"
        if whole not in overrides:
            now = next((getattr(one, option, None) for one in pipeline.steps if one.step == step), None)
            overrides[whole] = {str(name): one for name, one in now.items()} if isinstance(now, dict) else {}
        overrides[whole][part[0]] = value
    told = " ".join(f"{path}={_told(value)}" for path, value in values.items())
    return replace(pipeline.overridden(overrides), name=f"{pipeline.name} {told}".strip())


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{name}:{_told(one)}" for name, one in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
