"""The folder of an experiment: options, figures, rankings and one page, named by the hash of what was found."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.experiment.evaluator import Evaluator
from evaluation.experiment.gather import Gathered
from evaluation.experiment.outcome import Outcome
from evaluation.experiment.page import page
from evaluation.experiment.plan import Arm, Experiment
from evaluation.experiment.questions import Question, digest_of
from evaluation.experiment.run import Decision
from evaluation.machine import machine
from evaluation.measures import score_at
from papergraph.errors import InputError, NotFoundError

REPORT, PAGE, FIGURES, QUESTIONS = "report.json", "report.html", "figures.json", "questions.json"
FORM = 2


@dataclass(frozen=True)
class Found:
    """All that an experiment found.

    Attributes:
        outcome: What the record says.
        decision: The arms and their figures.
        evaluator: What was gathered, and the rankings.
        shown: Arms whose rankings are kept as TREC runs.
    """

    outcome: Outcome
    decision: Decision
    evaluator: Evaluator
    shown: Sequence[Arm]


def write_record(folder: Path, plan: Experiment, found: Found) -> Path:
    """Write what an experiment found below a folder, and return where.

    Raises:
        InputError: The folder cannot be written.
    """
    places, questions = found.evaluator.places, found.evaluator.questions
    digests = {
        "experiment": plan.digest,
        "questions": digest_of(questions),
        "rankings": {_place_name(where, model): one.digest for where, model, one in _rankings(places)},
    }
    name = hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()[:16]
    place = folder / name
    try:
        place.mkdir(parents=True, exist_ok=True)
        files = _write_files(place, found, questions)
        checksums = {file: hashlib.sha256((place / file).read_bytes()).hexdigest() for file in files}
        report = {
            "form": FORM,
            "experiment": _as_written(plan),
            "pipelines": {name: one.as_dict() for name, one in plan.pipelines.items()},
            "arms": {arm.name: _as_dict(arm) for arm in found.decision.arms},
            "outcome": asdict(found.outcome),
            "digests": digests,
            "checksums": checksums,
            "machine": machine(),
        }
        (place / REPORT).write_text(json.dumps(report, indent=1, sort_keys=True), encoding="utf-8")
        (place / PAGE).write_text(page(report), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error}", field="output") from error
    return place


def read_record(folder: Path) -> dict[str, Any]:
    """Return the report of a record.

    Raises:
        NotFoundError: There is no record of an experiment.
        InputError: It has another form.
    """
    read: dict[str, Any] = _read(folder, REPORT)
    if read.get("form") != FORM:
        raise InputError(f"{folder} is the record of another version: run its experiment again", field="folder")
    return read


def read_figures(folder: Path) -> dict[str, dict[str, float]]:
    """Return the figures of a record, by arm and question.

    Raises:
        NotFoundError: There is no record of an experiment.
    """
    read = _read(folder, FIGURES)
    return {name: dict(zip(read["questions"], row, strict=True)) for name, row in read["figures"].items()}


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of a record.

    Raises:
        NotFoundError: There is no record of an experiment.
    """
    return [
        Question(one["id"], one["text"], one["gains"], frozenset(one["left_out"])) for one in _read(folder, QUESTIONS)
    ]


def read_runs(folder: Path) -> list[dict[str, list[str]]]:
    """Return the TREC runs of a record, each with its ranking by question.

    Raises:
        NotFoundError: One cannot be read.
    """
    runs = []
    for path in sorted(folder.glob("run-*.trec")):
        ranked: dict[str, list[str]] = {}
        try:
            for line in path.read_text(encoding="utf-8").splitlines():
                question, _, unit, *_ = line.split(" ")
                ranked.setdefault(question, []).append(unit)
        except (OSError, ValueError) as error:
            raise NotFoundError("run of an experiment:", str(path), field="folder") from error
        runs.append(ranked)
    return runs


def trec_id(question: str) -> str:
    """Return the id of a question as a TREC run has it, where blanks part columns."""
    return "_".join(question.split())


def _read(folder: Path, file: str) -> Any:
    try:
        return json.loads((folder / file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotFoundError("record of an experiment:", str(folder), field="folder") from error


def _write_files(place: Path, found: Found, questions: Sequence[Question]) -> list[str]:
    """Write all but the report and its page; return their names."""
    decision = found.decision
    figures = {
        arm.name: [round(float(one), 6) for one in row]
        for arm, row in zip(decision.arms, decision.figures, strict=True)
    }
    (place / FIGURES).write_text(
        json.dumps({"questions": [one.id for one in questions], "figures": figures}), encoding="utf-8"
    )
    asked = [
        {"id": one.id, "text": one.text, "gains": dict(one.gains), "left_out": sorted(one.left_out)}
        for one in questions
    ]
    (place / QUESTIONS).write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    files = [FIGURES, QUESTIONS]
    for number, (_, _, rankings) in enumerate(_rankings(found.evaluator.places)):
        files.append(f"rankings-{number}.parquet")
        rankings.write(place / files[-1])
    for arm in found.shown:
        files.append(f"run-{decision.arms.index(arm)}.trec")
        _write_run(place / files[-1], found.evaluator.ranked(arm), arm.name)
    return files


def _rankings(places: Mapping[str, Gathered]) -> list[tuple[str, str, Any]]:
    return [(where, model, one) for where, place in places.items() for model, one in place.rankings.items()]


def _place_name(where: str, model: str) -> str:
    return f"{where} {model}".strip() or "as it is"


def _as_written(plan: Experiment) -> dict[str, Any]:
    """Return the content of the file with paths that can be followed from anywhere."""
    written: dict[str, Any] = plan.file.model_dump(mode="json", by_alias=True, exclude_none=True)
    for name in ("data", "questions"):
        if name in written:
            written[name] = str(plan.path(Path(written[name])).resolve())
    written["judgements"] = [str(plan.path(path).resolve()) for path in plan.file.judgements]
    return written


def _as_dict(arm: Arm) -> dict[str, Any]:
    return {"pipeline": arm.pipeline.as_dict(), "overrides": dict(arm.overrides), "place": asdict(arm.place)}


def _write_run(path: Path, ranked: Mapping[str, Sequence[str]], name: str) -> None:
    tag = "".join(letter if letter.isalnum() else "-" for letter in name)
    lines = [
        f"{trec_id(question)} Q0 {unit} {place} {score_at(place):.6f} {tag}"
        for question, units in ranked.items()
        for place, unit in enumerate(units, start=1)
    ]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
