"""Comparison of whole systems: each pipeline, on each chunking and with each reader, gets the same questions."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import DEFAULT_NAME, load_model
from papergraph.errors import InputError
from papergraph.evaluation.answers.answer_evaluation import (
    AnswerReport,
    Asked,
    Encoder,
    Measured,
    ask_all,
    judging,
    make_answer_report,
    write_answers,
)
from papergraph.evaluation.answers.answer_judge import Judge, Judgement
from papergraph.evaluation.answers.answer_readers import READERS, answerer_of, parse_readers
from papergraph.evaluation.answers.question_sets import Example, cases_of, sampled
from papergraph.evaluation.corpus_store import CorpusPlan, LoadedCorpus, chunking_of, loaded, open_home
from papergraph.evaluation.machine import machine
from papergraph.evaluation.report import (
    Part,
    PValues,
    Report,
    Table,
    figure_plots,
    figure_table,
    write_figures,
    write_page,
)
from papergraph.evaluation.retrieval.rankings import Run, run_pipelines
from papergraph.evaluation.retrieval.retrieval_evaluation import (
    EvalReport,
    make_report,
    parse_pipelines,
    query_figures,
    with_measures,
)
from papergraph.evaluation.statistics import SEED, holm, p_value
from papergraph.evaluation.task import Task, read_task
from papergraph.ingest.chunkers import ChunkOptions, chunkers
from papergraph.language_model import Budget
from papergraph.progress import Progress, silent
from papergraph.server.answers.records import Mode
from papergraph.server.retrieval.pipelines import RERANKER, Pipeline, known_pipelines, needs
from papergraph.server.retrieval.resources import Resources
from papergraph.server.retrieval.runner import absent, enrichments_of_collection
from papergraph.server.retrieval.steps.merge import Merge, MergeBy
from papergraph.settings import Settings
from papergraph.store import Address

OWN = "own"
"""In the place of a chunker: the one that a pipeline is published for, or else the usual one of the data."""

DOCUMENTED = (
    "default,sv,am,kv,sv*,am*,kv*,m1,m2,m3,m4,m5,m6,m7,m8,quim,rag,pr3,pr3-naive,chunk256,chunk256-aug,ensemble"
)
"""The pipelines of the five documents beside the default one."""

SIZES = re.compile(r"(\d{1,6})/(\d{1,6})")
GRAPH_SETTING = re.compile(r"(depth|cap|seeds)=(\d{1,4})")

NO_MODEL = "no language model is configured (PAPERGRAPH_LLM_URL, PAPERGRAPH_LLM_MODEL)"
NO_RERANKER = "no reranker is configured (PAPERGRAPH_RERANKER_MODEL)"


@dataclass(frozen=True)
class System:
    """A pipeline on chunks of a kind; the pipeline has the name that the system has in tables."""

    pipeline: Pipeline
    chunking: ChunkOptions

    @property
    def name(self) -> str:
        """Name of the system in tables."""
        return self.pipeline.name


def parse_chunkers(names: str) -> tuple[str, ...]:
    """Return the chunkers of a list with commas: names, ``own``, and sizes with overlaps such as ``512/64``.

    Raises:
        InputError: There is no such chunker, or one is named twice.
    """
    wanted = tuple(name.strip() for name in names.split(","))
    for name in wanted:
        if name != OWN and name not in chunkers() and not SIZES.fullmatch(name):
            raise InputError(
                f"Chunker {name!r} does not exist. Choose from {', '.join((OWN, *chunkers()))}, or a size with its "
                "overlap, such as 512/64.",
                field="chunkers",
            )
    if len(set(wanted)) < len(wanted):
        raise InputError(f"a chunker is named twice in {names!r}", field="chunkers")
    return wanted


def parse_graph(text: str) -> tuple[dict[str, int], ...]:
    """Return settings of steps that follow the graph: ``depth=2,cap=20`` are two, ``depth=2+cap=20`` is one.

    Raises:
        InputError: The text has another form.
    """
    found = []
    for setting in filter(None, text.replace(" ", "").split(",")):
        pairs = [GRAPH_SETTING.fullmatch(pair) for pair in setting.split("+")]
        if not all(pairs):
            raise InputError(f"graph setting {setting!r} is not of the form depth=2 or depth=2+cap=20", field="graph")
        found.append({pair[1]: int(pair[2]) for pair in pairs if pair})
    return tuple(found)


def systems_of(
    pipelines: Sequence[Pipeline], names: Sequence[str], task: Task, graph: Sequence[Mapping[str, int]] = ()
) -> tuple[System, ...]:
    """Return each pipeline on the chunks of each chunker, none twice; names have the chunker where there are several.

    Args:
        pipelines: The pipelines; the first one on the first chunker is what others are compared with.
        names: Names of chunkers, ``own``, or sizes for the own chunker.
        task: Whose corpus; documents that are passages stay whole where a pipeline is for any chunks.
        graph: Settings with which pipelines whose steps follow the graph run too.
    """
    found: dict[tuple[str, ChunkOptions], System] = {}
    for pipeline in (one for each in pipelines for one in _with_graph(each, graph)):
        for name in names:
            own = chunking_of(task) if pipeline.chunker is None else ChunkOptions(chunker=pipeline.chunker)
            chunking, told = own, own.chunker
            if (sizes := SIZES.fullmatch(name)) is not None:
                unit = "max_tokens" if chunkers()[own.chunker].max_chars is None else "max_chars"
                chunking = ChunkOptions.choose(own.chunker, overlap=int(sizes[2]), **{unit: int(sizes[1])})
                told = f"{own.chunker} {name}"
            elif name != OWN:
                chunking, told = ChunkOptions(chunker=name), name
            label = f"{pipeline.name} ({told})" if len(names) > 1 else pipeline.name
            found.setdefault((pipeline.name, chunking), System(replace(pipeline, name=label), chunking))
    return tuple(found.values())


def _with_graph(pipeline: Pipeline, graph: Sequence[Mapping[str, int]]) -> Iterator[Pipeline]:
    """Yield a pipeline, and with each setting if a step follows the graph."""
    yield pipeline
    merges = [step for step in pipeline.steps if isinstance(step, Merge)]
    places = [n for n, step in enumerate(merges, start=1) if step.by in (MergeBy.GRAPH, MergeBy.PATHS)]
    for setting in graph if places else ():
        told = ", ".join(f"{name}={value}" for name, value in setting.items())
        changed = {f"merge{n}.{name}": value for n in places for name, value in setting.items()}
        yield replace(pipeline.overridden(changed), name=f"{pipeline.name} [{told}]")


def unavailable(systems: Sequence[System], settings: Settings) -> Mapping[str, str]:
    """Return the systems that cannot run with these settings, each with the reason."""
    has_model = bool(settings.llm.url and settings.llm.model)
    found = {}
    for system in systems:
        reasons = []
        if system.pipeline.asks_model and not has_model:
            reasons.append(NO_MODEL)
        if RERANKER in needs(system.pipeline) and None in system.pipeline.rerankers and not settings.reranker.model:
            reasons.append(NO_RERANKER)
        if reasons:
            found[system.name] = "; ".join(reasons)
    return found


def running_systems(systems: Sequence[System], left_out: Mapping[str, str]) -> list[System]:
    """Return the systems that are not left out.

    Raises:
        InputError: None is left; the message has the reasons.
    """
    running = [system for system in systems if system.name not in left_out]
    if not running:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise InputError(f"none of the pipelines can run: {reasons}", field="pipeline")
    return running


@dataclass(frozen=True)
class ComparisonPlan:
    """Systems and readers, and how they are asked.

    Attributes:
        systems: What finds passages; others are compared with the first.
        readers: Who answers from them.
        judged: Whether the language model judges, each answer alone and all of a question side by side.
        by_model: Whether the language model makes enrichments.
        judge_model: Another model of the same server as the judge.
        judge_tokens: What the judge may take at most.
        seed: The order of systems before the judge follows from it.
    """

    systems: Sequence[System]
    readers: Sequence[str]
    judged: bool = False
    by_model: bool = False
    judge_model: str | None = None
    judge_tokens: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a comparison of nothing.

        Raises:
            InputError: No system is named.
        """
        if not self.systems:
            raise InputError("no system can run here", field="pipeline")

    def label(self, system: System, reader: str) -> str:
        """Return what a system with a reader is called in tables."""
        return f"{system.name}, {reader}" if len(self.readers) > 1 else system.name


def planned(
    settings: Settings, systems: Sequence[System], readers: Sequence[str], *, judged: bool | None, by_model: bool
) -> tuple[ComparisonPlan, Mapping[str, str]]:
    """Return the plan of runnable systems and readers, and the reasons for others.

    Args:
        settings: Settings of the language model and the reranker.
        systems: Requested systems.
        readers: Requested readers.
        judged: True to let the language model judge; None to do so if one is configured.
        by_model: True to let it write enrichments.

    Raises:
        InputError: Nothing can run, or a judge or enrichments by a model are requested without one.
    """
    has_model = bool(settings.llm.url and settings.llm.model)
    if (judged or by_model) and not has_model:
        raise InputError(f"{NO_MODEL}, and a judge or enrichments by one are asked for", field="judge")
    left_out = dict(unavailable(systems, settings))
    running = running_systems(systems, left_out)
    able = [reader for reader in readers if has_model or READERS[reader][0] is Mode.EXTRACTIVE]
    left_out |= {f"reader {reader}": NO_MODEL for reader in readers if reader not in able}
    if readers and not able:
        raise InputError(f"none of the readers can run: {NO_MODEL}", field="readers")
    return ComparisonPlan(running, able, has_model if judged is None else judged, by_model), left_out


def default_readers(settings: Settings) -> str:
    """Return the readers that are compared where none are named."""
    return "extractive,model" if settings.llm.url and settings.llm.model else "extractive"


@dataclass(frozen=True)
class Lengths:
    """Lengths of texts in characters; ``sd`` is the sample's, 0 of a single text."""

    n: int
    mean: float
    median: float
    lowest: int
    highest: int
    sd: float

    @classmethod
    def of(cls, lengths: Sequence[int]) -> "Lengths":
        """Return what describes lengths, at least one."""
        values = np.asarray(lengths, np.float64)
        sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        return cls(
            len(values),
            round(float(values.mean()), 1),
            float(np.median(values)),
            int(values.min()),
            int(values.max()),
            round(sd, 1),
        )

    def cells(self) -> tuple[str, ...]:
        """Return its row of a table."""
        numbers = (f"{self.mean:.1f}", f"{self.median:g}", str(self.lowest), str(self.highest), f"{self.sd:.1f}")
        return str(self.n), *numbers


def text_lengths(task: Task) -> dict[str, Lengths]:
    """Return the lengths of a task's documents, of what the data says about them, and of the questions.

    The form is that of Table 3.1 of the thesis (docs/references.md#thesis): text and metadata of each document.
    """
    lengths = {
        "documents": [len(document.text) for document in task.documents],
        "metadata": [document.n_metadata_chars for document in task.documents],
        "questions": [len(query.text) for query in task.queries],
    }
    return {name: Lengths.of(values) for name, values in lengths.items() if any(values)}


async def chunk_lengths(database: Database, collection: str) -> Mapping[int, Lengths]:
    """Return the lengths of a collection's chunks, by level of a hierarchy.

    Raises:
        DatabaseError: Neo4j failed.
    """
    records = await database.read(cypher.load("evaluation/chunk_lengths"), collection=collection)
    return {record["level"]: Lengths.of(record["lengths"]) for record in records}


@dataclass(frozen=True)
class Comparison:
    """Comparison of systems.

    Attributes:
        name: Name of the data and its split.
        n_questions: Number of questions.
        systems: Pipeline with all options, and options of chunking, by system.
        left_out: Reasons for requested parts that could not run.
        texts: Lengths of documents, metadata, questions, and chunks by chunker.
        retrieval: Measures of rankings; None if the data lack judgements.
        answers: Measures of answers, or None.
        p_values: p-values of ``retrieval`` and ``answers``.
        notes: Remarks on the figures.
    """

    name: str
    n_questions: int
    systems: Mapping[str, Mapping[str, Any]]
    left_out: Mapping[str, str]
    texts: Mapping[str, Lengths]
    retrieval: EvalReport | None
    answers: AnswerReport | None
    p_values: Mapping[str, PValues]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it with what it was measured on; times and the machine differ between runs, all else does not."""
        return {
            "name": self.name,
            "questions": self.n_questions,
            "systems": self.systems,
            "leftOut": dict(self.left_out),
            "texts": {name: asdict(one) for name, one in self.texts.items()},
            "retrieval": None if self.retrieval is None else self.retrieval.as_json(),
            "answers": None if self.answers is None else self.answers.as_json(),
            "pValues": {
                part: {measure: {name: round(p, 4) for name, p in of.items()} for measure, of in values.items()}
                for part, values in self.p_values.items()
            },
            "notes": list(self.notes),
            "measuredOn": machine(),
        }

    def report(self) -> Report:
        """Return the figures of all systems; without times and machine, so that equal figures give equal reports."""
        first = next(iter(self.systems))
        notes = [
            f"{self.n_questions} questions, the same for all {len(self.systems)} systems. Intervals are 95 %, by the "
            f"bootstrap over questions. Differences are to {first}, paired; p is that of a paired permutation test, "
            "corrected for the number of systems (Holm).",
            *(f"note: {note}" for note in self.notes),
        ]
        systems = [
            (name, " → ".join(step["step"] for step in one["pipeline"]["steps"]), one["chunking"])
            for name, one in self.systems.items()
        ]
        tables = [Table("Pipelines and the chunks that they search", ("system", "steps", "chunks"), systems)]
        if self.left_out:
            tables.append(Table("Not run", ("system", "reason"), list(self.left_out.items())))
        head = ("texts", "n", "mean", "median", "min", "max", "sd")
        lengths = Table("Lengths in characters", head, [(name, *of.cells()) for name, of in self.texts.items()])
        parts = [Part("Systems", tables=tables), Part("Texts", tables=[lengths])]
        if self.retrieval is not None:
            figures = self.retrieval.pipelines
            table = figure_table("Retrieval", figures, p_values=self.p_values["retrieval"])
            parts.append(Part("Retrieval", tables=[table], plots=figure_plots(figures)))
        if self.answers is not None:
            parts += self.answers.parts(self.p_values["answers"])
        return Report(f"Systems on {self.name}", notes, parts)


def described(systems: Sequence[System]) -> dict[str, dict[str, Any]]:
    """Return what each system is, so that it can be run again."""
    return {one.name: {"pipeline": one.pipeline.as_dict(), "chunking": str(one.chunking)} for one in systems}


def p_values_of_rankings(task: Task, runs: Mapping[str, Run]) -> PValues:
    """Return p-values of rankings by the paired permutation test, corrected by Holm's method."""
    if not runs:
        return {}
    return {
        measure.name: _p_values({name: query_figures(measure, task, run) for name, run in runs.items()})
        for measure in task.measures
    }


def p_values_of_answers(found: Mapping[str, Sequence[Measured]]) -> PValues:
    """Return p-values of answers, over the questions that have a measure for both systems."""
    measures = dict.fromkeys(name for of in found.values() for one in of for name in one.figures)

    def of_system(measure: str) -> Callable[[Sequence[Measured]], dict[str, float]]:
        return lambda of: {one.case.id: one.figures[measure] for one in of if measure in one.figures}

    return {measure: _p_values({name: of_system(measure)(of) for name, of in found.items()}) for measure in measures}


def _p_values(figures: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    first, *others = figures
    found = {}
    for name in others:
        shared = figures[first].keys() & figures[name].keys()
        if shared:
            deltas = np.array([figures[name][id] - figures[first][id] for id in figures[name] if id in shared])
            found[name] = p_value(deltas, seed=SEED)
    return dict(zip(found, holm(list(found.values())), strict=True))


NO_REFERENCES = "no question has a reference answer or evidence, so answers are not measured without a judge"
NOTHING_MADE = "the corpus gave no"


@dataclass
class Given:
    """Results by system, lengths of the searched chunks, and systems that could not run."""

    runs: dict[str, Run] = field(default_factory=dict)
    answers: dict[str, list[Measured]] = field(default_factory=dict)
    lengths: dict[str, Lengths] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Systems that could not run on their corpus, with the reason."""


def sampled_task(task: Task, n: int | None, *, seed: int) -> Task:
    """Return a task with a random sample of ``n`` queries; all if ``n`` is None or too large."""
    drawn = {case.id for case in sampled(cases_of(task), n, seed=seed)}
    return replace(task, queries=tuple(query for query in task.queries if query.id in drawn))


def compare(
    settings: Settings, task: Task, plan: ComparisonPlan, *, left_out: Mapping[str, str], progress: Progress = silent
) -> tuple[Comparison, Mapping[str, Sequence[Measured]]]:
    """Ask all systems a task's questions, with one Neo4j per chunking; call it from the main thread.

    Args:
        settings: Settings of the cache, the models and the reranker.
        task: Corpus and questions.
        plan: Systems, readers and judge.
        left_out: Reasons for requested parts that cannot run, for the report.
        progress: Receives the steps.

    Returns:
        The comparison, and the answers by system and reader.

    Raises:
        InputError: Measures are missing, or the corpus yields no searchable text.
        PapergraphError: As of :func:`papergraph.evaluation.retrieval.retrieval_evaluation.evaluate`.
    """
    cases = cases_of(task)
    notes = list(task.notes)
    if not plan.judged and not any(case.answers or case.evidence for case in cases):
        cases = ()
        notes.append(NO_REFERENCES)
    if not task.measures and not cases:
        raise InputError(f"{task.name} {task.split} has nothing to measure: {'; '.join(notes)}", field="folder")
    by_chunking: dict[ChunkOptions, list[System]] = defaultdict(list)
    for system in plan.systems:
        by_chunking[system.chunking].append(system)
    given = Given()
    for number, (chunking, systems) in enumerate(by_chunking.items(), start=1):
        progress.step(f"chunks {number} of {len(by_chunking)}: {chunking}")
        work = _OneChunking(settings, task, cases, replace(plan, systems=systems), given, progress)
        with open_home(settings, task, chunking, by_model=plan.by_model, progress=progress) as (folder, address):
            asyncio.run(work.run(folder, address, chunking))
    running = running_systems(plan.systems, given.left_out)
    told = ({**left_out, **given.left_out}, notes)
    return asyncio.run(_reported(settings, task, replace(plan, systems=running), given, told, progress))


@dataclass(frozen=True)
class _OneChunking:
    settings: Settings
    task: Task
    cases: Sequence[Example]
    plan: ComparisonPlan
    given: Given
    progress: Progress

    async def run(self, folder: Path, address: Address, chunking: ChunkOptions) -> None:
        """Ask the systems that search chunks of one kind."""
        pipelines = [system.pipeline for system in self.plan.systems]
        wanted = CorpusPlan(self.task, chunking, pipelines, self.plan.by_model)
        async with loaded(self.settings, address, folder, wanted, progress=self.progress) as (resources, corpus):
            for level, lengths in (await chunk_lengths(resources.database, corpus.collection)).items():
                self.given.lengths[f"chunks, {_told(chunking)}{f', level {level}' if level else ''}"] = lengths
            there = await enrichments_of_collection(resources.database, corpus.collection)
            able = [system for system in self.plan.systems if not self._is_left_out(system, there)]
            pipelines = [system.pipeline for system in able]
            if self.task.measures and able:
                self.given.runs |= await run_pipelines(resources, self.task, corpus, pipelines, progress=self.progress)
            if self.cases and able:
                self.given.answers |= await self._answers(able, resources, corpus)

    def _is_left_out(self, system: System, there: Mapping[str, bool]) -> bool:
        """Say whether a system searches what could not be made of the corpus, and note it."""
        if lacking := absent(system.pipeline, there):
            self.given.left_out[system.name] = f"{NOTHING_MADE} {' and '.join(lacking)}"
        return bool(lacking)

    async def _answers(
        self, systems: Sequence[System], resources: Resources, corpus: LoadedCorpus
    ) -> dict[str, list[Measured]]:
        readers = {
            self.plan.label(system, reader): answerer_of(
                resources, reader, pipeline=system.pipeline, collection=corpus.collection, corpus=corpus, whole=True
            )
            for system in systems
            for reader in self.plan.readers
        }
        return await ask_all(self.cases, readers, await _encoder(), progress=self.progress)


def _told(chunking: ChunkOptions) -> str:
    """Return a chunker, with its sizes where they are not its own."""
    if chunking == ChunkOptions(chunker=chunking.chunker):
        return chunking.chunker
    longest, overlap = chunking.max_tokens or chunking.max_chars, chunking.overlap_tokens
    return f"{chunking.chunker} {longest}/{chunking.overlap_chars if overlap is None else overlap}"


async def _encoder() -> Encoder:
    return await asyncio.to_thread(load_model, DEFAULT_NAME)


async def _reported(
    settings: Settings,
    task: Task,
    plan: ComparisonPlan,
    given: Given,
    told: tuple[Mapping[str, str], Sequence[str]],
    progress: Progress,
) -> tuple[Comparison, Mapping[str, Sequence[Measured]]]:
    (left_out, notes), encoder, judge = told, await _encoder(), None
    labels = [plan.label(system, reader) for system in plan.systems for reader in plan.readers]
    found: Mapping[str, Sequence[Measured]] = {name: given.answers[name] for name in labels if name in given.answers}
    runs = {system.name: given.runs[system.name] for system in plan.systems if system.name in given.runs}
    if plan.judged and found:
        asked = Asked(plan.readers, plan.systems[0].pipeline, judged=True, judge_model=plan.judge_model)
        async with judging(settings, asked) as model:
            if model is not None:
                budget = None if plan.judge_tokens is None else Budget(tokens=plan.judge_tokens)
                judge = Judge(model, encoder, budget=budget)
                found = await judged(judge, found, seed=plan.seed, progress=progress)
    name = f"{task.name} {task.split}"
    answers = None
    if found:
        answers = make_answer_report(name, found, encoder=encoder.card.name, judge=judge, any_evidence=True)
    retrieval = make_report(task, runs, None) if runs else None
    comparison = Comparison(
        name=name,
        n_questions=len(task.queries),
        systems=described(plan.systems),
        left_out=left_out,
        texts=text_lengths(task) | given.lengths,
        retrieval=retrieval,
        answers=answers,
        p_values={"retrieval": p_values_of_rankings(task, runs), "answers": p_values_of_answers(found)},
        notes=tuple(notes),
    )
    return comparison, found


async def judged(
    judge: Judge, found: Mapping[str, Sequence[Measured]], *, seed: int, progress: Progress = silent
) -> dict[str, list[Measured]]:
    """Return what systems gave with what a judge says of each answer, and of all answers to a question side by side."""
    given: dict[str, list[Measured]] = {name: [] for name in found}
    rows = list(zip(*found.values(), strict=True))
    for number, row in enumerate(rows, start=1):
        case, of_row = row[0].case, dict(zip(found, row, strict=True))
        answered = [name for name, one in of_row.items() if one.given.is_answer]
        alone = await asyncio.gather(*(judge.judge(case, of_row[name].given) for name in answered))
        together = await judge.side_by_side(case, {name: one.given for name, one in of_row.items()}, seed=seed)
        for name, said in zip(answered, alone, strict=True):
            of_row[name] = _with(_with(of_row[name], said), together.get(name, Judgement()))
        for name, one in of_row.items():
            given[name].append(one)
        progress.advance("questions judged", number, len(rows))
    return given


def _with(one: Measured, said: Judgement) -> Measured:
    return replace(
        one,
        figures={**one.figures, **said.figures},
        missing={**one.missing, **said.missing},
        reasons={**one.reasons, **said.reasons},
    )


PAGE, FIGURES, ANSWERS = "comparison.html", "comparison.json", "answers.jsonl"
WITHIN_WORDS = "evidence@500w,evidence@1000w"
"""Measures that compare chunks of different sizes, for data with evidence."""

NO_READERS = "none"


@dataclass(frozen=True)
class Judging:
    """Tasks of the language model in a comparison, see :class:`ComparisonPlan`."""

    judged: bool | None = None
    tokens: int | None = None
    model: str | None = None
    enriches: bool = False


@dataclass(frozen=True)
class Request:
    """Request for a comparison.

    Attributes:
        folder: The data folder.
        output: Output folder, created if missing.
        pipelines: Names separated by commas; None for those of the documents.
        chunkers: Names or sizes separated by commas, or ``own``.
        readers: Names separated by commas, ``none``, or None for those that can run.
        split, corpus: Names in the data folder.
        n: Size of the sample of questions; None for all.
        seed: Seed of the sample.
        measures: Further measures of rankings, separated by commas.
        judging: Tasks of the language model.
        graph: Settings of steps that follow the graph, see :func:`parse_graph`.
    """

    folder: Path
    output: Path
    pipelines: str | None = None
    chunkers: str = OWN
    readers: str | None = None
    split: str | None = None
    corpus: str | None = None
    n: int | None = None
    seed: int = 0
    measures: str | None = None
    judging: Judging = Judging()
    graph: str = ""

    def task(self) -> Task:
        """Return the task with the drawn questions.

        Raises:
            FileContentError: The folder cannot be read.
            InputError: There is no such measure.
        """
        task = read_task(self.folder, split=self.split, corpus=self.corpus)
        more = self.measures or (WITHIN_WORDS if task.asks_for_evidence else None)
        drawn = sampled_task(with_measures(task, more), self.n, seed=self.seed)
        if len(drawn.queries) == len(task.queries):
            return drawn
        note = f"{len(drawn.queries)} of {len(task.queries)} questions, drawn with seed {self.seed}"
        return replace(drawn, notes=(note, *drawn.notes))

    def plan(self, settings: Settings, task: Task) -> tuple[ComparisonPlan, dict[str, str]]:
        """Return the plan for these settings, and the reasons for parts that cannot run.

        Raises:
            InputError: A name is unknown, or nothing can run.
        """
        pipelines = parse_pipelines(self.pipelines or DOCUMENTED, known_pipelines(settings))
        systems = systems_of(pipelines, parse_chunkers(self.chunkers), task, parse_graph(self.graph))
        named = self.readers or default_readers(settings)
        readers = () if named == NO_READERS else parse_readers(named)
        chosen, left_out = planned(
            settings, systems, readers, judged=self.judging.judged, by_model=self.judging.enriches
        )
        judging = self.judging
        plan = replace(chosen, judge_model=judging.model, judge_tokens=judging.tokens, seed=self.seed)
        return plan, dict(left_out)


def run(settings: Settings, request: Request, *, progress: Progress = silent) -> Comparison:
    """Compare systems, and write the page, the figures and the answers; call it from the main thread.

    Raises:
        InputError: Something of the request cannot be used, or a file cannot be written.
        PapergraphError: As of :func:`papergraph.evaluation.system_comparison.compare`.
    """
    task = request.task()
    plan, left_out = request.plan(settings, task)
    try:
        request.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {request.output}: {error.strerror}", field="output") from error
    comparison, found = compare(settings, task, plan, left_out=left_out, progress=progress)
    write_page(comparison, request.output / PAGE)
    write_figures(comparison, request.output / FIGURES)
    if found:
        write_answers(found, request.output / ANSWERS)
    return comparison
