"""Child process that reads one document within limits of time and memory, seen from its parent."""

import json
import logging
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import cached_property
from tempfile import TemporaryFile
from typing import IO, Any

from papergraph.errors import Reason

CHILD = "papergraph.ingest.parsers.sandbox_child"
log = logging.getLogger(__name__)

POLL_S = 0.5
END_S = 10.0
"""Seconds that a child which is killed may take to end."""
ERROR_BYTES = 1_000_000
"""Longest error output of a child."""


def _never() -> bool:
    return False


abandoned: ContextVar[Callable[[], bool]] = ContextVar("abandoned", default=_never)
"""Returns True once the result of a child is not needed any more, such as after its job was cancelled."""


def _ignore(page: int, n_pages: int) -> None:
    pass


on_page: ContextVar[Callable[[int, int], None]] = ContextVar("on_page", default=_ignore)
"""Called with the number of each scanned page that a child begins to read, from 1, and that of all pages."""

PAGE = re.compile(rb"^page (\d{1,6}) of (\d{1,6})\n", re.MULTILINE)
"""Line of a child's error output that reports a page."""


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one file.

    Attributes:
        seconds: Processor time of the child process.
        wall_seconds: Wall time of it, far longer, since a busy machine gives it a part of a processor.
        memory_bytes: Largest address space.
        pages: Most pages.
        characters: Most characters of text.
        stream_bytes: Longest stream of the file once unpacked, images aside.
        output_bytes: Longest answer, as JSON.
        program_memory_bytes: Address space of a program that the child runs; 0 for children without programs.
        program_output_bytes: Longest file that such a program writes.
    """

    seconds: float = 50.0
    wall_seconds: float = 600.0
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
    with TemporaryFile() as file:
        file.write(json.dumps([asdict(limits), task, *arguments]).encode() + b"\n")
        file.write(data)
        done = _completed(file, limits)
    if done.returncode in (-signal.SIGPROF, -signal.SIGXCPU, -signal.SIGKILL):
        told = f"needs more than {limits.seconds:g} s of processor time; split it or print it to a new file"
        raise RefusedError(Reason.OUT_OF_TIME, told)
    if done.returncode in (-signal.SIGINT, -signal.SIGTERM):
        raise _interrupted()
    if done.returncode == -signal.SIGABRT:  # how PDFium and the C++ library end when they get no more memory
        raise _out_of_memory(limits.memory_bytes)
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        raise RefusedError(Reason.DAMAGED, f"made its reader crash ({name}); print it to a new file")
    if done.returncode > 0:
        errors = done.stderr.decode(errors="replace")
        if any(sign in errors for sign in OUT_OF_MEMORY):
            raise _out_of_memory(limits.memory_bytes)
        kind = re.match(r"\w*", errors.strip().rpartition("\n")[2])  # the rest may quote the document
        log.warning("a reader of documents ended with status %s: %s", done.returncode, kind and kind[0])
        raise RefusedError(Reason.DAMAGED, "cannot be read: its reader failed; print it to a new file")
    answer = json.loads(done.stdout)
    if refusal := answer.get("refusal"):
        raise RefusedError(Reason(refusal["reason"]), refusal["detail"])
    return answer["reading"]


@dataclass(frozen=True)
class _Completed:
    """Exit status of a child, as in :class:`subprocess.Popen`, and its output."""

    returncode: int
    stdout: bytes
    stderr: bytes


class _Forker:
    """A process that has loaded the parsers and forks children, which saves each the .5 s of loading them."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-I", "-m", CHILD, str(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: S603
                command, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )

    def start(self, files: list[int]) -> socket.socket:
        """Start a child with these standard files; return the channel of its status.

        Closing one's own direction of the channel kills the child. The channel ends without a status if this process
        has ended.

        Raises:
            OSError: This process has ended.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._socket, [b"."], [*files, theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def end(self) -> None:
        """End the process with its children."""
        self._socket.close()
        self._process.wait()


class _Children:
    """The running children of this process, and what forks them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channels: set[socket.socket] = set()

    @cached_property
    def _forker(self) -> _Forker:
        return _Forker()

    def start(self, files: list[int]) -> socket.socket:
        """Start a child, see :meth:`_Forker.start`; a process that has ended is replaced."""
        with self._lock:
            try:
                channel = self._forker.start(files)
            except OSError:
                self._forker.end()
                del self._forker
                channel = self._forker.start(files)
            self._channels.add(channel)
        return channel

    def forget(self, channel: socket.socket) -> None:
        """Kill a child if it still runs."""
        with self._lock:
            self._channels.discard(channel)
        channel.close()

    def kill_all(self) -> None:
        """Kill all children that run."""
        with self._lock:
            for channel in self._channels:
                _kill(channel)


_children = _Children()


def _kill(channel: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        channel.shutdown(socket.SHUT_WR)


def _completed(file: IO[bytes], limits: SandboxLimits) -> _Completed:
    """Run a child on a file; once more if what forks children ended, as it does when it had nothing to do."""
    for _ in range(2):
        file.seek(0)
        with ExitStack() as stack:
            (output, child_output), (errors, child_errors) = os.pipe(), os.pipe()
            stack.callback(os.close, output)
            stack.callback(os.close, errors)
            try:
                channel = _children.start([file.fileno(), child_output, child_errors])
            finally:
                os.close(child_output)
                os.close(child_errors)
            stack.callback(_children.forget, channel)
            status, written, told = _answer(channel, output, errors, limits)
        if status:
            return _Completed(int(status), written, told)
    raise RefusedError(Reason.UNREADABLE, "its reader could not be started; ingest it again")


def _answer(channel: socket.socket, output: int, errors: int, limits: SandboxLimits) -> tuple[bytes, bytes, bytes]:
    """Return status, output and errors of a child within its time, unless it is abandoned before."""
    end, is_abandoned, report, n_reported = time.monotonic() + limits.wall_seconds, abandoned.get(), on_page.get(), 0
    read = {channel.fileno(): bytearray(), output: bytearray(), errors: bytearray()}
    refusal: RefusedError | None = None
    with selectors.DefaultSelector() as selector:
        for source in read:
            selector.register(source, selectors.EVENT_READ)
        while selector.get_map() and (refusal is None or time.monotonic() < end):
            for key, _ in selector.select(max(0.0, min(POLL_S, end - time.monotonic()))):
                block = os.read(key.fd, 1 << 20)
                read[key.fd] += block
                if not block:
                    selector.unregister(key.fd)
            if len(pages := PAGE.findall(read[errors])) > n_reported:
                n_reported = len(pages)
                report(*map(int, pages[-1]))
            if refusal is None:
                refusal = _refusal(end, is_abandoned, len(read[output]) + len(read[errors]), limits)
                if refusal:
                    _kill(channel)
                    end = time.monotonic() + END_S
    if refusal:
        raise refusal
    return bytes(read[channel.fileno()]), bytes(read[output]), bytes(read[errors])


def _refusal(end: float, is_abandoned: Callable[[], bool], n_bytes: int, limits: SandboxLimits) -> RefusedError | None:
    """Return why a running child is not waited for any longer."""
    if n_bytes > limits.output_bytes + ERROR_BYTES:
        return RefusedError(Reason.TOO_LARGE, f"gives more than {limits.output_bytes:,} bytes when it is read")
    if time.monotonic() >= end:
        return RefusedError(Reason.BUSY, too_busy(limits.wall_seconds))
    return _interrupted() if is_abandoned() else None


def too_busy(seconds: float) -> str:
    """Return why a document was not read that needed little processor time."""
    return f"was not read within {seconds:g} s, because the machine is busy; ingest it again when it is not"


def end_children() -> None:
    """Kill all child processes of this process; pending requests to them fail."""
    _children.kill_all()


OUT_OF_MEMORY = ("MemoryError", "bad_alloc", "failed to map segment", "cannot allocate memory")
"""Last words of a child that got no more memory, also while it imported a library."""


def _out_of_memory(memory_bytes: int) -> RefusedError:
    """Return the refusal of a file that needs more memory than it may have."""
    return RefusedError(
        Reason.OUT_OF_MEMORY,
        f"needs more than {memory_bytes >> 20:,} MiB to be read; split it or print it to a new file",
    )


def _interrupted() -> RefusedError:
    return RefusedError(Reason.UNREADABLE, "reading it was interrupted; ingest it again")
