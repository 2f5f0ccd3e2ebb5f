# Written by python -m scripts.sdk from _async/jobs.py.
"""A job that was opened, and waiting for it."""

import time
from collections.abc import Callable, Generator
from time import sleep

from papergraph_client import errors
from papergraph_client._http import Call
from papergraph_client._sync.pages import Pages
from papergraph_client._sync.streams import follow
from papergraph_client._sync.transport import Transport
from papergraph_client.models import Job, Task

FINISHED = ("done", "cancelled")


class JobHandle:
    """A job of the server.

    Attributes:
        job: The job as last read.
    """

    def __init__(self, transport: Transport, job: Job) -> None:
        """Keep a job that was read."""
        self.job = job
        self._transport = transport

    @property
    def id(self) -> str:
        """Id of the job."""
        return self.job.id

    def wait(
        self, *, within: float = 3600, on_progress: Callable[[Job], object] | None = None, poll: float = 0.5
    ) -> Job:
        """Return the job once it is done or cancelled; the papers can be searched then.

        Args:
            within: Most seconds to wait.
            on_progress: Called with the job after each change.
            poll: Seconds between two looks.

        Raises:
            JobNotFinishedError: It is paused, or the time is over.
        """
        deadline = time.monotonic() + within
        shown = None
        while True:
            job = self.refresh()
            if on_progress is not None and job != shown:
                on_progress(job)
                shown = job
            if job.state in FINISHED:
                return job
            over = time.monotonic() + poll > deadline
            if over or job.state == "paused":
                why = f"is {job.state}" + (f" ({job.detail})" if job.detail else "")
                why += " and waits for a worker" if job.waits_for else ""
                raise errors.JobNotFinishedError(f"Job {job.id} {why}.", job_id=job.id, state=job.state)
            sleep(poll)

    def refresh(self) -> Job:
        """Read the job again."""
        return self._read(Call("GET", "/v1/jobs/{id}", {"id": self.id}))

    def cancel(self) -> Job:
        """Cancel the job; papers that are written stay."""
        return self._read(Call("POST", "/v1/jobs/{id}/cancel", {"id": self.id}, repeatable=False))

    def retry(self) -> Job:
        """Try failed documents again, or resume a paused job."""
        return self._read(Call("POST", "/v1/jobs/{id}/retry", {"id": self.id}, repeatable=False))

    def tasks(self, *, state: str | None = None) -> Pages[Task]:
        """List the documents of the job, with the reason of each failure.

        Args:
            state: State to include, such as failed.
        """
        call = Call("GET", "/v1/jobs/{id}/tasks", {"id": self.id}, {"state": state})
        return Pages(self._transport, call, Task)

    def follow(self) -> Generator[Job, None, None]:
        """Yield the job after each progress, until it is finished."""
        return follow(self._transport, Call("GET", "/v1/jobs/{id}/progress", {"id": self.id}))

    def _read(self, call: Call) -> Job:
        self.job = Job.from_json((self._transport.send(call)).json())
        return self.job
