"""``papergraph jobs``: list, show and change jobs."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from papergraph.cli.common import Json, Quiet, say, with_database, write, write_json
from papergraph.cli.groups import Group, Section, new_app

if TYPE_CHECKING:
    from papergraph.database import Database
    from papergraph.ingest.jobs.model import Job, Task

MOST_TASKS = 100_000
JobName = Annotated[str, typer.Argument(help="Id of a job, or its beginning.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="Number of newest jobs.", min=1, max=1000)]

Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Show each document that changes until the job is finished.")
]

app = new_app("List, show, retry and cancel jobs.")


@app.command("list")
def list_jobs(limit: Limit = 20, as_json: Json = False, quiet: Quiet = False) -> None:
    """List jobs."""
    from papergraph.ingest.jobs import queue as jobs

    found = with_database(lambda database: jobs.list_jobs(database, limit=limit), quiet=quiet or as_json)
    if as_json:
        write_json([asdict(job) for job in found])
    elif found:
        from papergraph.cli.output import write_jobs

        write_jobs(found)
    else:
        say("There are no jobs.")


@app.command("show")
def show_job(name: JobName, follow: Follow = False, as_json: Json = False, quiet: Quiet = False) -> None:
    """Show a job and its documents."""
    from papergraph.ingest.jobs import queue as jobs

    if follow:
        _follow(name, as_json=as_json, quiet=quiet)
        return

    async def find(database: "Database") -> "tuple[Job, list[Task]]":
        job = await jobs.find_job(database, name)
        return job, await jobs.tasks_of(database, job.id, limit=MOST_TASKS)

    job, tasks = with_database(find, quiet=quiet or as_json)
    if as_json:
        write_json(asdict(job) | {"documents": [asdict(task) for task in tasks]})
        return
    from papergraph.cli.output import write_job

    write_job(job, tasks)


@app.command("retry")
def retry_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Retry failed documents, or resume a paused job."""
    from papergraph.ingest.jobs import queue as jobs

    _change(
        name,
        jobs.retry,
        "documents queued; papergraph serve or papergraph worker takes them up",
        as_json=as_json,
        quiet=quiet,
    )


@app.command("cancel")
def cancel_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Cancel a job; written documents are kept."""
    from papergraph.ingest.jobs import queue as jobs

    _change(name, jobs.cancel, "documents cancelled", as_json=as_json, quiet=quiet)


@app.command("delete")
def delete_job(name: JobName, as_json: Json = False, quiet: Quiet = False) -> None:
    """Delete the record of a finished job."""
    from papergraph.ingest.jobs import queue as jobs

    _change(name, jobs.forget, "documents deleted from the record", as_json=as_json, quiet=quiet)


def _follow(name: str, *, as_json: bool, quiet: bool) -> None:
    """Write what changes of a job until it is finished, after ``--json`` an object per line."""
    from papergraph.cli.output import write_job, write_task
    from papergraph.ingest.jobs import queue as jobs

    async def do(database: "Database") -> "Job | None":
        job = None
        async for event in jobs.follow_tasks(database, name):
            job = event.job
            if as_json:
                write_json(asdict(event))
            for task in () if as_json else event.tasks:
                write_task(task)
        return job

    job = with_database(do, quiet=quiet or as_json)
    if job is not None and not as_json:
        write_job(job, [])


def _change(
    name: str, change: "Callable[[Database, str], Awaitable[int]]", result: str, *, as_json: bool, quiet: bool
) -> None:
    from papergraph.ingest.jobs import queue as jobs

    async def do(database: "Database") -> "tuple[Job, int]":
        job = await jobs.find_job(database, name)
        return job, await change(database, job.id)

    job, n = with_database(do, quiet=quiet or as_json)
    if as_json:
        write_json({"job": job.id, "documents": n})
    else:
        write(f"job {job.id}: {n} {result}")


GROUP = Group("jobs", Section.PAPERS, 26, app)
