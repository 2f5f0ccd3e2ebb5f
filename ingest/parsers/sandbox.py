"""Child process that reads one document within limits of time and memory, seen from its parent."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import Any

from papergraph.errors import Reason

CHILD = "papergraph.ingest.parsers.sandbox_child"

_children: set["subprocess.Popen[bytes]"] = set()


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one file.

    Attributes:
        seconds: Wall time of the child process with its start.
        memory_bytes: Largest address space.
        pages: Most pages.
        characters: Most characters of text.
        stream_bytes: Longest stream of the file once unpacked, images aside.
        output_bytes: Longest answer, as JSON.
        program_memory_bytes: Address space of a program that the child runs; 0 for children without programs.
        program_output_bytes: Longest file that such a program writes.
    """

    seconds: float = 50.0
    memory_bytes: int = 1 << 30
    pages: int = 2_000
    characters: int = 10_000_000
    stream_bytes: int = 200_000_000
    output_bytes: int = 100_000_000
    program_memory_bytes: int = 0
    program_output_bytes: int = 0


class RefusedError(Exception):
    """A document that cannot become a paper; crosses to the parent process as its reason and detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def run_child(task: str, limits: SandboxLimits, data: bytes, *arguments: str) -> Any:
    """Return the result of a task of the child process, as JSON.

    Args:
        task: One of :data:`papergraph.ingest.parsers.sandbox_child.TASKS`.
        limits: Limits of the process.
        data: Its standard input.
        arguments: Arguments of the task.

    Raises:
        RefusedError: The document cannot become a paper, took too long or too much memory, or made the process crash.
    """
    command = [sys.executable, "-I", "-m", CHILD, json.dumps(asdict(limits)), task, *arguments]
    done = _completed(command, limits, data)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _too_slow(limits)
    if done.returncode in (-signal.SIGINT, -signal.SIGTERM):
        raise RefusedError(Reason.UNREADABLE, "reading it was interrupted; ingest it again")
    if done.returncode == -signal.SIGABRT:  # how PDFium and the C++ library end when they get no more memory
        raise _out_of_memory(limits.memory_bytes)
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise RefusedError(Reason.DAMAGED, f"made its reader crash ({name}); print it to a new file")
    if done.returncode > 0:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200]
        if any(sign in last for sign in OUT_OF_MEMORY):
            raise _out_of_memory(limits.memory_bytes)
        raise RefusedError(Reason.DAMAGED, f"cannot be read ({last})")
    answer = json.loads(done.stdout)
    if refusal := answer.get("refusal"):
        raise RefusedError(Reason(refusal["reason"]), refusal["detail"])
    return answer["reading"]


def _completed(command: list[str], limits: SandboxLimits, data: bytes) -> subprocess.CompletedProcess[bytes]:
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as child:  # noqa: S603
        _children.add(child)
        try:
            written, errors = child.communicate(data, limits.seconds)
        except subprocess.TimeoutExpired as error:
            raise _too_slow(limits) from error
        finally:
            child.kill()
            _children.discard(child)
    return subprocess.CompletedProcess(command, child.returncode, written, errors)


def end_children() -> None:
    """Kill all child processes of this process; pending requests to them fail."""
    for child in list(_children):
        child.kill()


OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "failed to map segment", "cannot allocate memory")
"""Last words of a child that got no more memory, also while it imported a library."""


def _out_of_memory(memory_bytes: int) -> RefusedError:
    """Return the refusal of a file that needs more memory than it may have."""
    return RefusedError(
        Reason.OUT_OF_MEMORY,
        f"needs more than {memory_bytes >> 20:,} MiB to be read; split it or print it to a new file",
    )


def _too_slow(limits: SandboxLimits) -> RefusedError:
    return RefusedError(
        Reason.OUT_OF_TIME, f"could not be read within {limits.seconds:g} s; split it or print it to a new file"
    )
