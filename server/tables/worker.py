"""Run of an evidence table: a job with a task for each paper that lacks cells; done cells are kept.

A cell is made again if the text of its paper, its column or the rules changed. The cells of a paper are written in the
transaction that ends its task.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from papergraph import cypher
from papergraph.concurrency import gather_or_cancel
from papergraph.database import Database
from papergraph.errors import (
    BudgetSpentError,
    LanguageModelError,
    ModelAnswerError,
    ModelUnavailableError,
    NotFoundError,
    QueryError,
    Reason,
)
from papergraph.ingest.jobs import queue as jobs
from papergraph.ingest.jobs.model import Claim, Job, JobKind, JobState, NewTask, Request, TaskResult, TaskState
from papergraph.ingest.jobs.worker import HeldTasks, JobWorker, Owner, again, settle
from papergraph.language_model import Budget, LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED
from papergraph.neo4j_errors import Transaction
from papergraph.progress import Progress, silent
from papergraph.schema.ids import sha256
from papergraph.server.tables.column import VERSION, AnsweredBy, Column, Finding
from papergraph.server.tables.evidence import PaperText
from papergraph.server.tables.model_reading import ask_cell, maker_of
from papergraph.server.tables.reading import read_cell
from papergraph.server.tables.store import (
    CellFindings,
    EvidenceTable,
    TablePaper,
    cell_row,
    find_table,
    findings_of,
    papers_of,
    read_papers,
)

STAGE = "cells"
PAPERS_AT_ONCE = 4


@dataclass(frozen=True)
class Pending:
    """Missing or outdated cells of a table.

    Attributes:
        papers: Papers of the table.
        wanted: Columns with missing cells of each paper that has such.
    """

    papers: tuple[TablePaper, ...]
    wanted: dict[str, list[tuple[str, Column]]]

    @property
    def n_cells(self) -> int:
        """Number of missing cells."""
        return sum(map(len, self.wanted.values()))

    @property
    def n_asked(self) -> int:
        """Number of missing cells that a language model answers."""
        return sum(column.answered_by is AnsweredBy.MODEL for columns in self.wanted.values() for _, column in columns)


def is_current(findings: CellFindings | None, paper: TablePaper, column: Column) -> bool:
    """Say whether the machine's finding was made of this text and this column, by these rules or by any model."""
    one = findings.machine if findings else None
    if one is None or (one.content_hash, one.column_hash) != (paper.text_hash, column.hash):
        return False
    return column.answered_by is AnsweredBy.MODEL or one.maker == VERSION


async def find_pending(
    database: Database, table: EvidenceTable, *, names: Sequence[str] = (), limit: int | None = None
) -> Pending:
    """Find the cells that are missing or outdated.

    Args:
        database: The store.
        table: The table.
        names: Columns; empty for all.
        limit: Most papers with such cells; None for no limit.

    Raises:
        NotFoundError: A column is unknown.
        DatabaseError: Neo4j failed.
    """
    known = [column.name for _, column in table.columns]
    if unknown := [name for name in names if name not in known]:
        raise NotFoundError("column", unknown[0][:80], field="columns")
    columns = [
        (id, column)
        for id, column in table.columns
        if column.answered_by is not AnsweredBy.PERSON and (not names or column.name in names)
    ]
    papers = await papers_of(database, table)
    findings = await findings_of(database, table, [paper.id for paper in papers])
    wanted: dict[str, list[tuple[str, Column]]] = {}
    for paper in papers:
        missing = [
            (id, column) for id, column in columns if not is_current(findings.get((paper.id, id)), paper, column)
        ]
        if missing and (limit is None or len(wanted) < limit):
            wanted[paper.id] = missing
    return Pending(tuple(papers), wanted)


async def open_run(
    database: Database, table: EvidenceTable, pending: Pending, *, names: Sequence[str] = (), account: str = ""
) -> Job | None:
    """Open a job for pending cells, or continue an equal one; None if nothing is pending.

    Raises:
        ConflictError: The account has too many unfinished jobs.
        DatabaseError: The outcome is unknown; the same call continues.
    """
    if not pending.wanted:
        return None
    tasks = [NewTask(id, ordinal, stage=STAGE) for ordinal, id in enumerate(pending.wanted)]
    columns = sha256(*(column.hash for _, column in table.columns))
    settings = json.dumps({"account": account} if account else {})
    request = Request(table.collection, (table.id, *names), settings, columns, JobKind.TABLES, account=account)
    n = len(pending.papers)
    job_id = await jobs.open_job(database, request, tasks, n_documents=n, n_unchanged=n - len(tasks))
    return await jobs.find_job(database, job_id)


@dataclass(frozen=True)
class Asked:
    """Language model of columns that it answers, and its budget."""

    model: LanguageModel | None = None
    budget: Budget | None = None


class TableWorker(JobWorker):
    """One process's work on the job of a table."""

    def __init__(
        self, database: Database, table: EvidenceTable, job: Job, owner: Owner, asked: Asked, progress: Progress
    ) -> None:
        super().__init__(HeldTasks(database, job.id, owner, first_stage=STAGE))
        self._database, self._table, self._asked, self._progress = database, table, asked, progress
        self._names = job.specs[1:]
        self._n_papers = job.n_pending
        self.n_made = self.n_cells = 0

    async def _step(self) -> bool:
        claims = [] if self.turn_is_over() else await self.tasks.claim(PAPERS_AT_ONCE)
        if not claims:
            return False
        ids = [claim.source for claim in claims]
        papers = {paper.id: paper for paper in await papers_of(self._database, self._table, among=ids)}
        texts = await read_papers(self._database, list(papers))
        findings = await findings_of(self._database, self._table, list(papers))
        gone = [claim for claim in claims if claim.source not in texts or claim.source not in papers]
        await self.tasks.settle([TaskResult(claim.id, TaskState.DONE, STAGE, outcome="gone") for claim in gone])
        there = [claim for claim in claims if claim not in gone]
        await gather_or_cancel(self._fill(one, papers[one.source], texts[one.source], findings) for one in there)
        return self.stopped is None

    async def _fill(
        self, claim: Claim, paper: TablePaper, text: PaperText, findings: dict[tuple[str, str], CellFindings]
    ) -> None:
        try:
            rows = []
            for id, column in self._table.columns:
                if column.answered_by is AnsweredBy.PERSON or (self._names and column.name not in self._names):
                    continue
                if not is_current(findings.get((paper.id, id)), paper, column):
                    made, maker = await self._read(column, text)
                    cell = sha256("TableCell", id, paper.source, paper.text_hash, column.hash, maker)
                    rows.append(cell_row(cell, (id, column.hash), paper, made, maker=maker))
            await self._write(claim, paper, rows)
        except QueryError as error:
            await self.tasks.settle([again(claim, STAGE, Reason.DATABASE, str(error)[:500])])
        except (BudgetSpentError, ModelUnavailableError) as error:
            self.stopped = str(error)
        except LanguageModelError as error:
            reason = Reason.MODEL_ANSWER if isinstance(error, ModelAnswerError) else Reason.MODEL_DEADLINE
            await self.tasks.settle([again(claim, STAGE, reason, str(error)[:500])])
        else:
            self.n_made, self.n_cells = self.n_made + 1, self.n_cells + len(rows)
            self._progress.advance("papers", min(self.n_made, self._n_papers), self._n_papers)

    async def _read(self, column: Column, text: PaperText) -> tuple[Finding, str]:
        """Return what a column's machine finds in a paper, and its name."""
        if column.answered_by is not AnsweredBy.MODEL:
            return await asyncio.to_thread(read_cell, column, text), VERSION
        if self._asked.model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        found = await ask_cell(self._asked.model, self._asked.budget, column, text)
        return found, maker_of(self._asked.model)

    async def _write(self, claim: Claim, paper: TablePaper, rows: list[dict[str, object]]) -> None:
        done = TaskResult(claim.id, TaskState.DONE, STAGE, key=paper.key, outcome="made", title=paper.title)

        async def work(transaction: Transaction) -> bool:
            await transaction.run(cypher.load("tables/write_cells"), rows=rows)
            await settle(transaction, self.tasks.owner, [done])
            return True

        await self._database.transact_until_known(f"write cells of {paper.key}", work)
        self.tasks.forget([claim.id])


async def run_job(
    database: Database,
    job: Job,
    *,
    to_the_end: bool,
    asked: Asked | None = None,
    turn_is_over: Callable[[], bool] = lambda: False,
    progress: Progress = silent,
) -> tuple[JobState | None, int, int]:
    """Work on the job of a table; return its state, and how many papers and cells this process made.

    A job whose table was deleted is cancelled.

    Raises:
        DatabaseError: Neo4j failed; finished papers are stored, and the same call continues.
    """
    try:
        table = await find_table(database, job.collection, job.specs[0])
    except NotFoundError:
        await jobs.cancel(database, job.id)
        return JobState.CANCELLED, 0, 0
    with Owner() as owner:
        worker = TableWorker(database, table, job, owner, asked or Asked(), progress)
        worker.turn_is_over = turn_is_over
        state = await worker.run(to_the_end=to_the_end)
    return state, worker.n_made, worker.n_cells


async def work_on(
    database: Database,
    job: Job,
    turn_is_over: Callable[[], bool],
    *,
    model: LanguageModel | None = None,
    budget_of: Callable[[str], AbstractAsyncContextManager[Budget | None]] | None = None,
) -> int:
    """Work on the job of a table until there is nothing to do now; return how many papers that were.

    Args:
        database: The store.
        job: The job.
        turn_is_over: Returns True once other accounts wait.
        model: Language model of columns that it answers; without one such a job is paused.
        budget_of: Opens the budget of an account for it.
    """
    account = json.loads(job.settings).get("account", "")
    async with budget_of(account) if budget_of and account else nullcontext() as budget:
        asked = Asked(model, budget)
        return (await run_job(database, job, to_the_end=False, asked=asked, turn_is_over=turn_is_over))[1]
