"""Run a child process that reads one document, within its limits of time and memory."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from typing import Any

from ingest.parsers.sandbox.limits import RefusedError, SandboxLimits
from papergraph.errors import Reason


def run_child(module: str, limits: SandboxLimits, data: bytes, *arguments: str) -> Any:
    """Return what a child process read, as JSON.

    Args:
        module: What is run; see :mod:`ingest.parsers.pdf.child` for what it has to do.
        limits: Its limits.
        data: What it reads from standard input.
        arguments: What it is told beside the limits.

    Raises:
        RefusedError: The document cannot become a paper, took too long or too much memory, or made the process crash.
    """
    command = [sys.executable, "-I", "-m", module, json.dumps(asdict(limits)), *arguments]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limits.seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as error:
        raise _too_slow(limits) from error
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
        if "MemoryError" in last or "bad_alloc" in last:
            raise _out_of_memory(limits.memory_bytes)
        raise RefusedError(Reason.DAMAGED, f"cannot be read ({last})")
    answer = json.loads(done.stdout)
    if refusal := answer.get("refusal"):
        raise RefusedError(Reason(refusal["reason"]), refusal["detail"])
    return answer["reading"]


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
