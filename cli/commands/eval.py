"""``papergraph eval``: retrieval, selection and answers on judged queries."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from papergraph.cli.common import (
    DEFAULT_COLLECTION,
    Chunker,
    Collection,
    Json,
    MaxTokens,
    Overlap,
    Quiet,
    progress,
    settings,
    write,
    write_json,
)
from papergraph.cli.groups import Group, Section, new_app
from papergraph.errors import InputError

if TYPE_CHECKING:
    from papergraph.cli.output import TerminalProgress
    from papergraph.evaluation.answers.answer_evaluation import AnswerReport, Asked, Measured
    from papergraph.evaluation.answers.question_sets import Example
    from papergraph.evaluation.report import Evaluated
    from papergraph.ingest.chunkers import ChunkOptions
    from papergraph.settings import Settings

    Found = tuple[AnswerReport, Mapping[str, Sequence[Measured]]]

Folder = Annotated[Path, typer.Argument(help="Folder with task.json, or in BEIR's layout.")]
Split = Annotated[str | None, typer.Option(help="Split of the queries [set by the folder].")]
Corpus = Annotated[str | None, typer.Option(help="Alternative corpus of the folder.")]
Pipelines = Annotated[str, typer.Option(help="Comma-separated; differences are to the first.")]
Against = Annotated[str | None, typer.Option(help="Baselines: rrf, bm25, or pipelines; comma-separated.")]
Models = Annotated[str | None, typer.Option(help="Embedding models to compare with one pipeline.")]
OnePipeline = Annotated[str, typer.Option(help="Pipeline that finds the passages.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the figures to this JSON file.")]
Measures = Annotated[str | None, typer.Option(help="More measures, as evidence@1000w; comma-separated.")]
TrecRun = Annotated[Path | None, typer.Option(help="Write the ranking as a TREC run; one file per pipeline.")]
Sweep = Annotated[str, typer.Option(help="Pipelines that find the candidates, comma-separated.")]
Alpha = Annotated[str, typer.Option(help="Weights of relevance, comma-separated.")]
K = Annotated[str, typer.Option("-k", "--k", help="Passages to select, comma-separated.")]
Backend = Annotated[str, typer.Option(help="Methods beside top_k, comma-separated.")]
Pool = Annotated[str, typer.Option(help="Numbers of candidates, comma-separated.")]
Relevance = Annotated[str, typer.Option(help="score, coverage or feedback, comma-separated.")]
Tune = Annotated[str | None, typer.Option(help="Tune on queries with these ids, as 'c*'; report the others.")]
Html = Annotated[Path | None, typer.Option(help="Write the figures as a page to this file.")]
MaybeQuestions = Annotated[
    Path | None, typer.Argument(help="Folder as of eval retrieval, or file of papergraph testset.", show_default=False)
]
Verifier = Annotated[bool, typer.Option("--verifier", help="Evaluate the verifier on made claims.")]
Readers = Annotated[str, typer.Option(help="extractive, model, passages, questions, pages, topic; comma-separated.")]
Judge = Annotated[bool, typer.Option("--judge", help="Let the language model judge the answers too.")]
JudgeTokens = Annotated[int | None, typer.Option(help="Maximum tokens of the judge.", min=1)]
JudgeModel = Annotated[str | None, typer.Option(help="Model of the judge [the model that answers].")]
NQuestions = Annotated[int | None, typer.Option("--questions", help="Number of questions to sample [all].", min=1)]
Unanswerable = Annotated[int, typer.Option(help="Questions to repeat for a paper without the answer.", min=0)]
Seed = Annotated[int, typer.Option(help="Seed of the sample.")]
SaveAnswers = Annotated[Path | None, typer.Option(help="Write all answers to this file, for ratings collect.")]

Systems = Annotated[str | None, typer.Option("--pipeline", help="Pipelines [those of the documents]; to the first.")]
Chunkers = Annotated[str, typer.Option(help="own (published), names, or sizes as 512/64; comma-separated.")]
Graph = Annotated[str, typer.Option(help="Settings of graph steps to compare, as depth=2,depth=2+cap=20.")]
SomeReaders = Annotated[str | None, typer.Option("--readers", help="As in answers, or none [extractive, and model].")]
MaybeJudge = Annotated[bool | None, typer.Option("--judge/--no-judge", help="Judge by the language model [if any].")]
ByModel = Annotated[bool, typer.Option("--model-enrichments", help="Let the language model make the enrichments.")]
ToFolder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the page, the figures and the answers.")]

COMPARED = "vector,fulltext,fused,default"
ALPHAS = "0.3,0.4,0.5,0.6,0.7,0.8,0.9,0.95"

app = new_app("Evaluate retrieval, selection and answers.")


@app.command(epilog="Example: papergraph eval retrieval data/scifact --pipeline fused,vector --output figures.json")
def retrieval(
    folder: Folder,
    split: Split = None,
    corpus: Corpus = None,
    pipeline: Pipelines = COMPARED,
    against: Against = None,
    models: Models = None,
    measures: Measures = None,
    output: Output = None,
    html: Html = None,
    trec_run: TrecRun = None,
    chunker: Chunker = None,
    max_tokens: MaxTokens = None,
    overlap: Overlap = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate retrieval pipelines.

    A local Neo4j of its own holds the corpus, and is kept for the next evaluation. With several models, vector is the
    pipeline unless another one is named.
    """
    from papergraph.evaluation.report import check_folder
    from papergraph.evaluation.retrieval.model_comparison import compare_models, parse_models
    from papergraph.evaluation.retrieval.retrieval_evaluation import (
        evaluate,
        parse_baselines,
        parse_pipelines,
        with_measures,
        write_trec_runs,
    )
    from papergraph.evaluation.task import read_task
    from papergraph.server.retrieval.pipelines import known_pipelines

    chunking, chosen = _chunking(chunker, max_tokens, overlap), settings()
    names = None if models is None else parse_models(models)
    named = "vector" if names and pipeline == COMPARED else pipeline
    known = known_pipelines(chosen)
    pipelines, baselines = parse_pipelines(named, known), parse_baselines(against, known)
    if names and (len(pipelines) > 1 or baselines):
        raise InputError("models are compared with one pipeline, without baselines", field="pipeline")
    for path, field in ((output, "output"), (html, "html"), (trec_run, "trec_run")):
        check_folder(path, field=field)
    task = with_measures(read_task(folder, split=split, corpus=corpus), measures)
    found: Evaluated
    with progress(quiet=quiet or as_json) as told:
        if names:
            found, runs = compare_models(chosen, task, names, pipelines[0], chunking=chunking, progress=told)
        else:
            found, runs = evaluate(chosen, task, pipelines, against=baselines, chunking=chunking, progress=told)
        told.pause()
    if trec_run is not None:
        write_trec_runs(runs, trec_run)
    _write(found, output, html, as_json=as_json)


@app.command(epilog="Example: papergraph eval selection data/diversity --alpha 0.5,0.7 --html sweep.html")
def selection(
    folder: Folder,
    split: Split = None,
    corpus: Corpus = None,
    sweep: Sweep = "diverse",
    pipeline: Pipelines = COMPARED,
    alpha: Alpha = ALPHAS,
    k: K = "10",
    backend: Backend = "exact,mmr",
    pool: Pool = "100",
    relevance: Relevance = "score",
    tune: Tune = None,
    output: Output = None,
    html: Html = None,
    chunker: Chunker = None,
    max_tokens: MaxTokens = None,
    overlap: Overlap = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare selection methods.

    Select from the candidates of pipelines with every combination of the options.
    """
    from papergraph.evaluation.report import check_folder
    from papergraph.evaluation.retrieval.retrieval_evaluation import parse_pipelines
    from papergraph.evaluation.selection_sweep import Grid, SelectionStudy
    from papergraph.evaluation.task import read_task
    from papergraph.server.retrieval.pipelines import known_pipelines

    chunking, chosen = _chunking(chunker, max_tokens, overlap), settings()
    known = known_pipelines(chosen)
    references, candidates = parse_pipelines(pipeline, known), parse_pipelines(sweep, known)
    check_folder(output, field="output")
    check_folder(html, field="html")
    task = read_task(folder, split=split, corpus=corpus)
    grid = Grid.parsed(alpha=alpha, k=k, backend=backend, pool=pool, relevance=relevance)
    with progress(quiet=quiet or as_json) as told:
        study = SelectionStudy(chosen, task, candidates, references, chunking, told)
        swept = study.sweep(grid, tune=tune)
        told.pause()
    _write(swept, output, html, as_json=as_json)


@app.command(epilog="Example: papergraph eval answers data/covidqa --readers extractive --questions 200")
def answers(
    questions: MaybeQuestions = None,
    readers: Readers = "extractive",
    split: Split = None,
    corpus: Corpus = None,
    collection: Collection = DEFAULT_COLLECTION,
    pipeline: OnePipeline = "default",
    judge: Judge = False,
    judge_tokens: JudgeTokens = None,
    judge_model: JudgeModel = None,
    n: NQuestions = None,
    unanswerable: Unanswerable = 0,
    seed: Seed = 0,
    output: Output = None,
    html: Html = None,
    save_answers: SaveAnswers = None,
    verifier: Verifier = False,
    chunker: Chunker = None,
    max_tokens: MaxTokens = None,
    overlap: Overlap = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate answers, or their verifier.

    Questions of a file are answered from a collection of the store. With --verifier, --questions is the number of
    claims of each kind.
    """
    if verifier:
        of = collection if questions is None else (questions, split, corpus)
        return _verifier(of, n=n, seed=seed, to=(output, html, as_json), quiet=quiet)
    if questions is None:
        raise InputError("Name a folder or a file of questions, or --verifier.", field="questions")
    from papergraph.evaluation.answers.answer_evaluation import Asked, write_answers
    from papergraph.evaluation.answers.answer_readers import parse_readers
    from papergraph.evaluation.report import check_folder

    chosen = settings()
    judges = chosen.llm.concurrency if judge else 1
    asked = Asked(parse_readers(readers), _one_pipeline(chosen, pipeline), judge, judges, judge_tokens, judge_model)
    asked.check(chosen)
    for file, field in ((output, "output"), (html, "html"), (save_answers, "save_answers")):
        check_folder(file, field=field)
    with progress(quiet=quiet or as_json) as told:
        if questions.is_dir():
            chunking = _chunking(chunker, max_tokens, overlap)
            of, sample = (questions, split, corpus), (n, unanswerable, seed)
            report, found = _of_folder(chosen, of, asked, sample=sample, chunking=chunking, told=told)
        elif unanswerable:
            raise InputError("A file of questions has unanswerable ones of its own.", field="unanswerable")
        else:
            report, found = _of_file(chosen, questions, asked, n=n, seed=seed, collection=collection, told=told)
        told.pause()
    if save_answers is not None:
        write_answers(found, save_answers)
    _write(report, output, html, as_json=as_json)


@app.command(epilog="Example: papergraph eval compare data/covidqa --pipeline m1,m2,m3 --questions 100 -o comparison")
def compare(
    folder: Folder,
    output: ToFolder,
    pipeline: Systems = None,
    chunkers: Chunkers = "own",
    graph: Graph = "",
    readers: SomeReaders = None,
    split: Split = None,
    corpus: Corpus = None,
    n: NQuestions = None,
    seed: Seed = 0,
    measures: Measures = None,
    judge: MaybeJudge = None,
    judge_tokens: JudgeTokens = None,
    judge_model: JudgeModel = None,
    model_enrichments: ByModel = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare whole systems.

    Every pipeline, on every chunking and with every reader, gets the same questions. The folder receives one page
    (comparison.html), the figures (comparison.json), and the answers for papergraph ratings collect (answers.jsonl).
    """
    from papergraph.evaluation.system_comparison import Judging, Request, run

    judging = Judging(judge, judge_tokens, judge_model, model_enrichments)
    request = Request(folder, output, pipeline, chunkers, readers, split, corpus, n, seed, measures, judging, graph)
    with progress(quiet=quiet or as_json) as told:
        found = run(settings(), request, progress=told)
        told.pause()
    _write(found, None, None, as_json=as_json)


def _verifier(
    of: str | tuple[Path, str | None, str | None],
    *,
    n: int | None,
    seed: int,
    to: tuple[Path | None, Path | None, bool],
    quiet: bool,
) -> None:
    from papergraph.evaluation.answers.verifier_evaluation import (
        N_CLAIMS,
        evaluate_verifier,
        papers_of_collection,
        papers_of_task,
    )
    from papergraph.evaluation.report import check_folder
    from papergraph.evaluation.task import read_task

    output, html, as_json = to
    check_folder(output, field="output")
    check_folder(html, field="html")
    with progress(quiet=quiet or as_json) as told:
        if isinstance(of, str):
            name, papers = of, papers_of_collection(settings(), of, seed=seed, progress=told)
        else:
            folder, split, corpus = of
            name, papers = folder.name, papers_of_task(read_task(folder, split=split, corpus=corpus), seed=seed)
        found = evaluate_verifier(name, papers, n=n or N_CLAIMS, seed=seed, progress=told)
        told.pause()
    _write(found, output, html, as_json=as_json)


def _chunking(chunker: str | None, max_tokens: int | None, overlap: int | None) -> "ChunkOptions | None":
    """Return how documents are cut, None for the default of each kind."""
    from papergraph.ingest.chunkers import ChunkOptions

    if (chunker, max_tokens, overlap) == (None, None, None):
        return None
    return ChunkOptions.choose(chunker or "default", max_tokens=max_tokens, overlap=overlap)


def _write(found: "Evaluated", output: Path | None, html: Path | None, *, as_json: bool) -> None:
    from papergraph.evaluation.report import write_figures, write_page

    if output is not None:
        write_figures(found, output)
    if html is not None:
        write_page(found, html)
    if as_json:
        write_json(found.as_json())
    else:
        write(found.report().as_text())


def _one_pipeline(chosen: "Settings", pipeline: str) -> Any:
    from papergraph.evaluation.retrieval.retrieval_evaluation import parse_pipelines
    from papergraph.server.retrieval.pipelines import known_pipelines

    (one, *others) = parse_pipelines(pipeline, known_pipelines(chosen))
    if others:
        raise InputError("Answers use the passages of one pipeline. Name one with --pipeline.", field="pipeline")
    return one


def _of_folder(
    chosen: "Settings",
    source: tuple[Path, str | None, str | None],
    asked: "Asked",
    *,
    sample: tuple[int | None, int, int],
    chunking: "ChunkOptions | None",
    told: "TerminalProgress",
) -> "Found":
    """Ask the questions of a data folder, in a store that is made of it.

    Args:
        chosen: The settings.
        source: The folder, a split and a corpus of it.
        asked: Options of the readers.
        sample: Number of questions, number of questions about another paper, and seed.
        chunking: Options of chunking.
        told: Progress of the evaluation.
    """
    from papergraph.evaluation.answers.answer_evaluation import evaluate_task, task_cases
    from papergraph.evaluation.task import read_task

    (folder, split, corpus), (n, n_unanswerable, seed) = source, sample
    task = read_task(folder, split=split, corpus=corpus)
    cases = task_cases(task, n=n, n_unanswerable=n_unanswerable, seed=seed)
    notes = (*_drawn(cases, len(task.queries), n, seed), *task.notes)
    return evaluate_task(chosen, task, cases, asked, chunking=chunking, notes=notes, progress=told)


def _of_file(
    chosen: "Settings",
    file: Path,
    asked: "Asked",
    *,
    n: int | None,
    seed: int,
    collection: str,
    told: "TerminalProgress",
) -> "Found":
    """Ask the questions of a file of the store that the settings name."""
    from papergraph.evaluation.answers.answer_evaluation import QuestionSet, judging, measure_readers
    from papergraph.evaluation.answers.question_sets import read_cases, sampled
    from papergraph.server.retrieval.resources import Resources, equipped
    from papergraph.server.startup import open_service
    from papergraph.store import open_store

    every = read_cases(file, source=file.name)
    cases = sampled(every, n, seed=seed)
    questions = QuestionSet(file.stem, cases, collection, notes=_drawn(cases, len(every), n, seed))

    async def work() -> "Found":
        async with (
            judging(chosen, asked) as judge,
            open_service(chosen, address, progress=told) as service,
            equipped(chosen, Resources.of(service.database, service.embedder)) as resources,
        ):
            return await measure_readers(resources, questions, asked, judge_model=judge, progress=told)

    with open_store(chosen, progress=told) as address:
        return asyncio.run(work())


def _drawn(cases: "Sequence[Example]", n_all: int, n: int | None, seed: int) -> tuple[str, ...]:
    return () if n is None or n >= n_all else (f"{n} of {n_all} questions, drawn with seed {seed}",)


GROUP = Group("eval", Section.MEASURE, 61, app)
