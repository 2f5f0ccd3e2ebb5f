"""Output for people in a terminal: progress on standard error, results on standard output."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from papergraph.ingest.fetch.arxiv import Collected
    from papergraph.ingest.fetch.crawl import Crawled
    from papergraph.ingest.ingestor import IngestReport
    from papergraph.ingest.jobs.model import Job, Task
    from papergraph.ingest.pipeline.estimate import EstimatedNumber, IngestionEstimate
    from papergraph.ingest.reembed import ReembedReport as Reembedding
    from papergraph.ingest.reembed import Status as ModelStatus
    from papergraph.server.graph.values import Rows

SNIPPET_CHARS = 300
TOLD = {
    "added": "added",
    "replaced": "replaced",
    "joined": "further source of a paper",
    "superseded": "kept, but another text of the paper is shown",
}
"""Words of a report for outcomes of changed documents."""
MOST_TOLD = 50
"""Documents of a report that are listed."""
MOST_NAMED = 3
"""Authors that are named; of more, the first."""


LONGEST_THING = 60
"""Characters of what is worked on that stand beside a bar."""


DIRECTIONS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
"""Control characters of the direction of writing; in a title, they show words of a line in another order."""


class TerminalText:
    """A stream to a terminal without :data:`DIRECTIONS`; everything else is as the stream does it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        self._stream.write(text.translate(DIRECTIONS))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class TerminalProgress:
    """Progress as a bar in a terminal, as a line for each step elsewhere, and not at all when quiet."""

    def __init__(self, *, quiet: bool = False, say: Callable[[str], None] | None = None) -> None:
        """Begin with nothing to show.

        Args:
            quiet: Show nothing.
            say: Hears the lines instead of standard error; nothing is drawn then.
        """
        self._quiet, self._say = quiet, say
        self._bars: RichProgress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._last_step = ""

    def __enter__(self) -> Self:
        if not self._quiet and self._say is None and sys.stderr.isatty():
            from rich import progress as parts
            from rich.console import Console

            text, now = parts.TextColumn("{task.description}"), parts.TextColumn("{task.fields[now]}", markup=False)
            counts = (parts.BarColumn(), parts.MofNCompleteColumn(), parts.TimeRemainingColumn(compact=True), now)
            self._bars = parts.Progress(
                parts.SpinnerColumn(), text, *counts, console=Console(stderr=True), transient=True
            )
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Take the bars away, so that something else can be written."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
            self._tasks.clear()

    def step(self, message: str) -> None:
        """Show what has begun."""
        if self._quiet or message == self._last_step:
            return
        self._last_step = message
        if self._bars is not None:
            self._bars.console.print(f"[dim]{message}[/dim]", highlight=False)
        else:
            self._write(message)

    def advance(self, message: str, done: int, total: int) -> None:
        """Show how far it is."""
        if self._quiet:
            return
        if self._bars is not None:
            task = self._tasks.get(message)
            if task is None:
                task = self._tasks[message] = self._bars.add_task(message, now="")
            self._bars.update(task, completed=done, total=total)
        elif done == total:
            self._write(f"{message}: {done} of {total}")

    def at(self, message: str, thing: str) -> None:
        """Show on what work begins, beside its bar."""
        if self._bars is not None and message in self._tasks:
            self._bars.update(self._tasks[message], now=thing[:LONGEST_THING])

    def _write(self, line: str) -> None:
        if self._say is not None:
            self._say(line)
        else:
            print(line, file=sys.stderr, flush=True)  # noqa: T201


def write_report(report: "IngestReport") -> None:
    """Write what an ingestion did: a line of counts, and a line for each document that was refused."""
    from collections import Counter

    counts = Counter("refused" if item.outcome is None else item.outcome.value for item in report.items)
    told = ", ".join(f"{n} {what}" for what, n in counts.items()) or "nothing to do"
    print(f"{len(report.items)} documents in {report.elapsed_s:.1f} s: {told}")  # noqa: T201
    print(f"cut by {report.chunking}")  # noqa: T201
    if n_cut_short := sum(item.n_cut_short for item in report.items):
        print(f"the embedding model reads only the beginning of {n_cut_short} chunks")  # noqa: T201
    warned = Counter(item.warning for item in report.items if item.warning)
    if warned:
        print(f"{warned.total()} of {len(report.items)} documents have a warning")  # noqa: T201
    for warning, n in warned.most_common():
        print(f"  {n} {'paper' if n == 1 else 'papers'}: {warning}")  # noqa: T201
    if report.done.n_texts_kept or report.done.n_parsed_before:
        print(  # noqa: T201
            f"{report.done.n_texts_embedded} texts embedded, {report.done.n_texts_kept} vectors reused; "
            f"{report.done.n_parsed} documents parsed, {report.done.n_parsed_before} read from the cache"
        )
    for name in report.pruned:
        print(f"  deleted: {name} is gone")  # noqa: T201
    changed = [item for item in report.items if item.outcome in TOLD]
    for item in changed[:MOST_TOLD]:
        print(f"  {TOLD[item.outcome or '']}: {item.title} ({PurePath(item.source).name})")  # noqa: T201
    if len(changed) > MOST_TOLD:
        print(f"  and {len(changed) - MOST_TOLD} more; papergraph papers list shows all papers")  # noqa: T201
    for item in report.items:
        if item.outcome is None:
            print(f"  {item.source}: {item.detail} [{item.reason}]", file=sys.stderr)  # noqa: T201
    if report.stopped:
        how = f"run the same command again, or papergraph jobs retry {report.job} and papergraph worker"
        why = f" ({report.detail})" if report.detail else ""
        print(f"{report.stopped}{why}: {report.n_left} documents remain; {how}", file=sys.stderr)  # noqa: T201


def write_plan(plan: "IngestionEstimate") -> None:
    """Write what an ingestion would take, with how much of it is reckoned."""
    print(  # noqa: T201
        f"{plan.n_documents} documents: {plan.n_new} are new or changed, {plan.n_unchanged} unchanged"
    )
    if plan.n_refused:
        print(f"{plan.n_refused} of the parsed documents are refused")  # noqa: T201
    print(f"cut by {plan.chunking}")  # noqa: T201
    print(f"papers     {_told(plan.papers)}")  # noqa: T201
    print(f"chunks     {_told(plan.chunks)}")  # noqa: T201
    print(f"embedding  {_told(plan.texts)} texts, {_told(plan.tokens)} tokens, cost {plan.cost:g}")  # noqa: T201
    print(f"language model  {plan.llm_calls} calls, cost 0")  # noqa: T201
    if plan.total_s is not None:
        rate = f" at {plan.texts_per_s:.0f} texts/s" if plan.texts_per_s else ""
        preparing, embedding = _time(plan.preparing_seconds or 0), _time(plan.embedding_seconds or 0)
        parts = f"{preparing} to parse and cut, {embedding} to embed{rate}"
        print(f"time       about {_time(plan.total_s)}: {parts}; writing runs in parallel")  # noqa: T201
    for document in plan.documents:
        about = [people(document.authors), document.year, document.doi, document.file and f"text: {document.file}"]
        print(f"  {document.source}: {', '.join(str(one) for one in (document.title, *about) if one)}")  # noqa: T201
        if document.detail:
            print(f"    {document.detail}")  # noqa: T201
    of = "all of them" if plan.n_sampled >= plan.n_new else f"{plan.n_sampled} of them"
    print(f"nothing was written; {of} were parsed for this, in {plan.elapsed_s:.1f} s")  # noqa: T201


def _told(estimate: "EstimatedNumber") -> str:
    if estimate.low == estimate.high:
        return f"{estimate.value:,}"
    return f"about {estimate.value:,} ({estimate.low:,} to {estimate.high:,})"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def write_jobs(jobs: "Sequence[Job]") -> None:
    """Write jobs: id, time, state and counts of each, and below them its collection and first documents."""
    for job in jobs:
        stages = ", ".join(f"{n} at {stage}" for stage, n in job.stages.items())
        tasks = [f"{n} {state}" + (f" ({stages})" if state == "running" else "") for state, n in job.states.items()]
        counts = ", ".join([f"{job.n_documents} documents", f"{job.n_unchanged} unchanged", *tasks])
        print(f"{job.id}  {job.created_at:%Y-%m-%d %H:%M}  {job.state}: {counts}")  # noqa: T201
        named = [spec.rpartition("/")[2] if spec.startswith("upload:") else spec for spec in job.specs]
        rest = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        print(f"  {job.collection}: {' '.join(named[:MOST_NAMED])}{rest}")  # noqa: T201


NO_WORKER = "No worker processes jobs. Start papergraph serve or papergraph worker."


def write_queued(job: "Job", queued: str) -> None:
    """Write what was queued, and how to start a worker if the job waits for one."""
    print(f"job {job.id}: {queued} queued")  # noqa: T201
    if job.waits_for:
        print(NO_WORKER)  # noqa: T201


def write_job(job: "Job", tasks: "Sequence[Task]") -> None:
    """Write a job, and a line for each of its documents."""
    write_jobs([job])
    if job.detail:
        print(job.detail)  # noqa: T201
    if job.n_warned:
        print(f"{job.n_warned} documents have a warning")  # noqa: T201
    if job.waits_for:
        print(NO_WORKER)  # noqa: T201
    for task in tasks:
        write_task(task)


def write_task(task: "Task") -> None:
    """Write how far a document of a job is."""
    became = f"{task.outcome} as {task.key}" if task.outcome else f"at {task.stage}"
    chunks = f", {task.n_embedded} of {task.n_chunks} chunks" if task.n_embedded else ""
    left = f", about {task.seconds_left:.0f} s left" if task.seconds_left else ""
    tries = f", {task.attempts} tries" if task.attempts > 1 else ""
    why = f": {task.detail} [{task.reason}]" if task.reason else f", {task.detail}" if task.detail else ""
    print(f"  {task.source}: {task.state}, {became}{chunks}{left}{tries}{why}", flush=True)  # noqa: T201
    if task.warning:
        print(f"    {task.warning}", flush=True)  # noqa: T201


def write_collection(found: "Collected") -> None:
    """Write what was collected: a line of counts, and a line for each paper that is withdrawn or incomplete."""
    print(f"{found.n_papers} papers in {found.folder}, of {found.n_matching} that arXiv has")  # noqa: T201
    print(f"{found.n_new} new, {found.n_newer} in a newer version, {found.n_fetched} files fetched")  # noqa: T201
    for arxiv_id in found.withdrawn:
        print(f"  {arxiv_id} was withdrawn")  # noqa: T201
    for missing in found.missing:
        print(f"  {missing.arxiv_id}: {missing.what}: {missing.detail}", file=sys.stderr)  # noqa: T201


def write_crawl(found: "Crawled") -> None:
    """Write what a crawl gave: a line of counts, one for each fate, and one for each URL that could not be had."""
    left = f"; {found.n_left} more are known" if found.n_left else ""
    print(f"{found.n_pages} pages in {found.folder}{left}")  # noqa: T201
    for fate, n in found.fates.items():
        print(f"  {n} {fate}")  # noqa: T201
    for lost in found.lost:
        print(f"  {lost.url}: {lost.detail}", file=sys.stderr)  # noqa: T201


def write_reembedding(report: "Reembedding") -> None:
    """Write what a change of models did, and which models there are vectors of now."""
    done = [
        f"{report.n_made} vectors made" if report.n_made else "",
        f"{report.n_deleted} deleted" if report.n_deleted else "",
    ]
    print(f"{', '.join(filter(None, done)) or 'nothing to do'} in {report.elapsed_s:.1f} s")  # noqa: T201
    write_models(report.status)


def write_models(status: "ModelStatus") -> None:
    """Write which model is in use, and what becomes of the other one's vectors, if there are any, with what to do."""
    active, other = status.active, status.other
    if active is None:
        print("no vectors yet")  # noqa: T201
        return
    print(f"in use: {active.identity}, {status.n_vectors} vectors")  # noqa: T201
    if other is None:
        return
    there = f"{status.n_vectors - status.n_missing} of {status.n_vectors} vectors"
    match other.state:
        case "filling" if not status.n_missing:
            told = f"complete: {other.identity}; papergraph embeddings switch {other.name} switches to it"
        case "filling":
            told = f"incomplete: {other.identity}, {there}; papergraph embeddings switch {other.name} resumes"
        case "kept":
            told = f"kept: {other.identity}, {there}; papergraph embeddings rollback, or prune"
        case _:
            told = f"partly deleted: {other.identity}; papergraph embeddings prune resumes"
    print(told)  # noqa: T201


def write_hits(hits: Sequence[Mapping[str, Any]], *, explain: bool = False) -> None:
    """Write hits as REST gives them: where each stands, which retriever found it, and the beginning of its text."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    are_several = len({hit["paper"]["collection"] for hit in hits}) > 1
    for hit in hits:
        paper = hit["paper"]
        paths = [" > ".join(one for one in part["path"] if one != paper["title"]) for part in hit["sections"]]
        place = " > ".join(filter(None, (paper["title"], "; ".join(filter(None, dict.fromkeys(paths))))))
        outside = ["outside the filter"] if hit["outsideFilter"] else []
        where = [f"in {paper['collection']}"] if are_several else []
        retrievers = ", ".join([*where, *map(_retriever, hit["explanation"]["retrievers"]), *outside])
        status = (marked(paper.get("editorialStatus")), "bold red")
        head = (f"{hit['rank']:>2}. ", "bold"), (place, "bold"), status, (f"  ({retrievers})", "dim")
        console.print(Text.assemble(*head))
        if origin := described(paper, page=hit["chunk"]["startPage"]):
            console.print(Padding(Text(origin, style="dim"), (0, 0, 0, 4)))
        console.print(Padding(Text(_beginning(hit["passage"])), (0, 0, 0, 4)))
        for one in hit["relations"]:
            relation = f"{one['subject']} {one['type'].replace('_', ' ')} {one['object']}"
            told = f"{relation}: {one['quote']}" if one["quote"] else relation
            console.print(Padding(Text(" ".join(told.split()), style="italic"), (0, 0, 0, 4)))
        for line in _explained(hit) if explain else ():
            console.print(Padding(Text(line, style="dim"), (0, 0, 0, 4)))


def marked(status: str | None) -> str:
    """Return the editorial status of a paper as a mark behind its title; empty without one."""
    return f" [{status.upper()}]" if status else ""


def people(names: Sequence[str]) -> str:
    """Return names of authors, of many the first."""
    return f"{names[0]} et al." if len(names) > MOST_NAMED else ", ".join(names)


def described(paper: Mapping[str, Any], *, page: int | None = None) -> str:
    """Return authors, year, file and page of a paper as REST gives it, as far as they are known."""
    file = paper["sources"][0] if paper["sources"] else ""
    named = people([author["name"] for author in paper["authors"]])
    return ", ".join(filter(None, (named, str(paper["year"] or ""), file, f"p. {page}" if page else "")))


def write_trace(found: Mapping[str, Any]) -> None:
    """Write what was searched for, what each step did, and the certificate of a selection."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for number, asked in enumerate(found["queries"]):
        console.print(Text(f"query {number} ({asked['origin']}): {asked['text']}"))
    for number, step in enumerate(found["trace"], start=1):
        files = ", ".join(dict.fromkeys(call["file"] for call in step["cypher"]))
        candidates = f"{step['candidatesIn']:>5} -> {step['candidatesOut']:<5} "
        told = f"{number}. {step['step']:<10}{step['ms']:8.1f} ms  {candidates}"
        console.print(Text.assemble((told, "bold"), (files, "dim")))
        for note in step["notes"]:
            console.print(Text(f"   {note}", style="dim"))
    if (selection := found["selection"]) is not None:
        proof = "proven optimal" if selection["proven"] else f"at most {selection['gap']:.4f} from optimal"
        worth = f"{selection['k']} passages, objective {selection['objective']:.4f}"
        instead = f" ({selection['fallback']})" if selection["fallback"] else ""
        console.print(Text(f"selection: {worth}, {proof}, by {selection['backend']}{instead}"))
    console.print()


def write_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table whose last columns wrap."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*head, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    Console(highlight=False, markup=False).print(table)


def write_rows(found: "Rows") -> None:
    """Write what a query of Cypher gave: a table, long values cut, and no paths beside other values."""
    from neo4j.graph import Path

    from papergraph.server.graph.values import told

    drawn = {number for row in found.rows for number, value in enumerate(row) if isinstance(value, Path)}
    shown = [number for number in range(len(found.columns)) if number not in drawn] or sorted(drawn)
    write_table([found.columns[n] for n in shown], [[_beginning(told(row[n])) for n in shown] for row in found.rows])


def _beginning(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= SNIPPET_CHARS else shown[:SNIPPET_CHARS].rpartition(" ")[0] + " …"


def _retriever(retriever: Mapping[str, Any]) -> str:
    query = f" for query {retriever['query']}" if retriever["query"] else ""
    return f"{retriever['retriever'].lower()} {retriever['rank']}{query}"


def _explained(hit: Mapping[str, Any]) -> list[str]:
    """Return the reasons for a hit and for its rank."""
    explanation, lines = hit["explanation"], []
    if way := explanation["via"] or next((one["via"] for one in explanation["retrievers"] if one["via"]), ()):
        lines.append("by " + ", then ".join(f"{via['label'].lower()} «{via['name']}»" for via in way))
    if explanation["mergedChunkIds"]:
        lines.append(f"in the place of {len(explanation['mergedChunkIds'])} of its parts")
    if (chosen := hit["selection"]) is not None:
        near = f", nearest other {chosen['nearestSimilarity']:.2f}" if chosen["nearest"] else ""
        lines.append(f"chosen: was {chosen['rankBefore']}, worth {chosen['marginal']:.4f}{near}")
    if explanation["whyNotHigher"]:
        lines.append(f"not higher: {explanation['whyNotHigher']}")
    return lines
