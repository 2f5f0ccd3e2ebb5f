"""The file of an experiment read and checked: its arms, ensembles and spaces."""

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evaluation.experiment.plan import (
    KINDS,
    MOST_ARMS,
    MOST_FILE_BYTES,
    MOST_HITS,
    Arm,
    ArmsTable,
    Ensemble,
    Experiment,
    ExperimentFile,
    Place,
    PlacesTable,
    Searched,
    StartsTable,
    changed_arm,
    told_place,
)
from evaluation.experiment.space import SpaceError, check_space
from evaluation.measures import Measure, parse_measure
from papergraph.errors import InputError
from server.retrieval.pipelines import Pipeline, check, find
from server.retrieval.steps.fuse import Fuse
from server.retrieval.steps.search import Search


def read_experiment(path: Path, known: Mapping[str, Pipeline]) -> Experiment:
    """Read the file of an experiment.

    Args:
        path: The file, TOML.
        known: Pipelines by name.

    Raises:
        InputError: It cannot be read, an arm cannot run, or the grids have more than 2,000.
    """
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise InputError(f"{path} has more than {MOST_FILE_BYTES:,} bytes", field="file")
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no file of an experiment: {str(error)[:1000]}", field="file") from error
    return as_experiment(written, path.parent, known, where=str(path))


def as_experiment(written: Any, folder: Path, known: Mapping[str, Pipeline], *, where: str) -> Experiment:
    """Return the experiment that the content of a file, or of a record, describes.

    Args:
        written: The content.
        folder: Where relative paths begin.
        known: Pipelines by name.
        where: What to call it in errors.

    Raises:
        InputError: As of :func:`read_experiment`.
    """
    try:
        file = ExperimentFile.model_validate(written)
    except ValidationError as error:
        raise InputError(f"{where} is no file of an experiment: {_problem(error)}", field="file") from error
    ensembles = tuple(_ensembles(file))
    searches = tuple(_searches(file, known))
    names = [file.baseline, *(name for one in (*file.arms, *file.search) for name in one.pipelines)]
    named = {name: find(name, known) for name in names}
    return Experiment(file, tuple(_arms(file, known)), _measure(file), folder, named, ensembles, searches)


def _problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"


def _measure(file: ExperimentFile) -> Measure:
    try:
        measure = parse_measure(file.measure)
    except ValueError as error:
        raise InputError(f"measure: {error}", field="measure") from error
    if measure is None or measure.kind not in KINDS or measure.k is None:
        raise InputError(
            f"measure {file.measure!r} does not decide experiments; those that do: "
            f"{', '.join(f'{kind}@k' for kind in KINDS)}",
            field="measure",
        )
    return measure


def _arms(file: ExperimentFile, known: Mapping[str, Pipeline]) -> Iterator[Arm]:
    seen = set()
    n_all = sum(_size(one) for one in file.arms)
    if n_all > MOST_ARMS:
        raise InputError(
            f"the grids have {n_all:,} arms, and {MOST_ARMS:,} is the most; [[search]] draws points of larger spaces",
            field="arms",
        )
    baseline = Arm(file.baseline, find(file.baseline, known), {})
    for arm in itertools.chain([baseline], *(_combinations(one, known) for one in file.arms)):
        if arm.key not in seen:
            seen.add(arm.key)
            yield arm


def _size(arms: ArmsTable) -> int:
    size = len(arms.pipelines) * sum(1 for _ in _places(arms))
    for values in arms.grid.values():
        size *= len(values)
    return size


def _combinations(arms: ArmsTable, known: Mapping[str, Pipeline]) -> Iterator[Arm]:
    for start in _starts(arms, known):
        for values in itertools.product(*arms.grid.values()):
            yield changed_arm(start, dict(zip(arms.grid, values, strict=True)))


def _starts(written: StartsTable, known: Mapping[str, Pipeline]) -> Iterator[Arm]:
    for place, name in itertools.product(_places(written), written.pipelines):
        yield Arm(f"{name}{told_place(place)}", find(name, known), {}, place)


def _places(given: PlacesTable) -> Iterator[Place]:
    for chunker, collection, model in itertools.product(given.chunkers, given.collections, given.models):
        yield Place(chunker or collection, model)


def _ensembles(file: ExperimentFile) -> Iterator[Ensemble]:
    for written in file.ensembles:
        names = tuple(written.retrievers)
        for place, by in itertools.product(_places(written), written.by):
            steps = (Search(retrievers=names, k=written.k), Fuse(by=by, k=MOST_HITS))
            about = "Weights learned by papergraph experiment."
            pipeline = Pipeline("ensemble", about, "docs/experiments.md", steps)
            check(pipeline)
            yield Ensemble(Arm(f"ensemble {by.value}{told_place(place)}", pipeline, {}, place), names)


def _searches(file: ExperimentFile, known: Mapping[str, Pipeline]) -> Iterator[Searched]:
    for written in file.search:
        starts = tuple(_starts(written, known))
        try:
            check_space(written.space)
        except SpaceError as error:
            raise InputError(f"search: {error}", field="search") from error
        yield Searched(starts, written.space, written.points, written.method)
