"""Child processes of :mod:`sandbox`, and the process that forks them.

A child reads one line with its limits, its task and the task's arguments, as JSON, and then the document from standard
input, and writes the result as JSON. It limits itself before it reads the document, and dies with its parent.
"""

import base64
import ctypes
import gc
import importlib
import json
import math
import os
import resource
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

LOADED = (
    "papergraph.ingest.parsers.pdf.reading",
    "papergraph.ingest.parsers.pdf.page_image",
    "papergraph.ingest.parsers.sandboxed",
)
"""Modules that are loaded before the first document."""
IDLE_S = 60.0
"""Seconds without a child after which the process that forks them ends."""
MOST_FILES = 1 << 20
PR_SET_PDEATHSIG = 1
PROGRAM_S = 600
"""Seconds of processor time that a program which a child runs may set as its limit."""


class Forker:
    """Forks a child for each message on a socket: its standard files and a channel for its status, in one byte.

    The child is killed when the other end of its channel closes or stops writing.
    """

    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._ended, told = os.pipe()
        os.set_blocking(self._ended, False)
        os.set_blocking(told, False)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for source in (requests, self._ended):
            self._selector.register(source, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until the other end closes, or nothing was asked for a while."""
        while events := self._selector.select(None if self._children else IDLE_S):
            for key, _ in events:
                if key.fileobj is self._requests:
                    _, files, _, _ = socket.recv_fds(self._requests, 1, 4)
                    if not files:
                        return
                    self._start(files)
                elif key.fileobj == self._ended:
                    os.read(self._ended, MOST_FILES)
                    self._reap()
                elif key.data in self._children:
                    self._selector.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)

    def _start(self, files: list[int]) -> None:
        parent = os.getpid()
        pid = os.fork()
        if not pid:
            os._exit(do_task(files, parent))
        *standard, channel = files
        for file in standard:
            os.close(file)
        self._children[pid] = socket.socket(fileno=channel)
        self._selector.register(self._children[pid], selectors.EVENT_READ, pid)

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            channel = self._children.pop(pid)
            if channel in self._selector.get_map():
                self._selector.unregister(channel)
            with channel:
                try:
                    channel.send(b"%d" % os.waitstatus_to_exitcode(status))
                except OSError:  # the other end is closed
                    continue


def serve(requests: socket.socket) -> None:
    """Load the parsers and fork children."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in LOADED:
        importlib.import_module(module)
    gc.freeze()  # so that children share what is loaded
    Forker(requests).run()


def do_task(files: list[int], parent: int) -> int:
    """Do one task on these standard files within its limits; return the exit status."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, file in enumerate(files[:3]):
            os.dup2(file, number)
        os.closerange(3, MOST_FILES)
        limits, task, *arguments = json.loads(sys.stdin.buffer.readline())
        limit_ourselves(limits, parent)
        answer_with(lambda: TASKS[task](sys.stdin.buffer.read(), limits, *arguments), limits)
        sys.stdout.flush()
    except BaseException:  # which the parent reads
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


def read_pdf(data: bytes, limits: Mapping[str, Any]) -> Any:
    """Read a PDF without its scanned pages."""
    from papergraph.ingest.parsers.pdf.reading import read_pdf
    from papergraph.ingest.parsers.sandbox import SandboxLimits

    return asdict(read_pdf(data, SandboxLimits(**limits)))


def read_scan(data: bytes, limits: Mapping[str, Any]) -> Any:
    """Read a PDF with its scanned pages."""
    from papergraph.ingest.parsers.pdf.ocr import Scans
    from papergraph.ingest.parsers.pdf.reading import read_pdf
    from papergraph.ingest.parsers.sandbox import SandboxLimits

    return asdict(read_pdf(data, SandboxLimits(**limits), scans=Scans(report_page)))


def report_page(number: int, n_pages: int) -> None:
    """Report to the parent process that a page is being read."""
    print(f"page {number} of {n_pages}", file=sys.stderr, flush=True)  # noqa: T201


def draw_page(data: bytes, limits: Mapping[str, Any], page: str, width: str, *part: str) -> str:
    """Draw a page of a PDF, or a part of it; return the PNG in base64."""
    from papergraph.ingest.parsers.pdf.page_image import draw

    x0, y0, x1, y1 = map(float, part)
    return base64.b64encode(draw(data, page=int(page), width=int(width), part=(x0, y0, x1, y1))).decode()


def page_frames(data: bytes, limits: Mapping[str, Any]) -> list[Any]:
    """Return the frames of the pages of a PDF."""
    from papergraph.ingest.parsers.pdf.page_image import frames

    return [list(one) for one in frames(data)]


def annotate_pdf(data: bytes, limits: Mapping[str, Any], marks: str) -> str:
    """Write annotations into a PDF; return it in base64."""
    from papergraph.ingest.parsers.pdf.annotated import PdfMark, annotate

    return base64.b64encode(annotate(data, [PdfMark(**one) for one in json.loads(marks)])).decode()


def parse_document(data: bytes, limits: Mapping[str, Any], name: str, format: str, content_hash: str) -> Any:
    """Parse a document of any other format."""
    from papergraph.ingest.parsers.sandboxed import read_here

    return read_here(data, name, format, content_hash)


TASKS: Mapping[str, Callable[..., Any]] = {
    "pdf": read_pdf,
    "scan": read_scan,
    "page": draw_page,
    "frames": page_frames,
    "annotate": annotate_pdf,
    "document": parse_document,
}


def limit_ourselves(limits: Mapping[str, Any], parent: int) -> None:
    """Set the limits of this process, and let it end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    memory_bytes = limits["memory_bytes"]  # a program that is run may raise its own limit up to the second one
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, max(memory_bytes, limits["program_memory_bytes"])))
    signal.setitimer(signal.ITIMER_PROF, limits["seconds"])
    whole = math.ceil(limits["seconds"]) + 1  # of programs too, which the timer does not count
    most = whole + (PROGRAM_S if limits["program_memory_bytes"] else 1)  # a program sets its own limit below this
    resource.setrlimit(resource.RLIMIT_CPU, (whole, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["program_output_bytes"],) * 2)


def answer_with(read: Callable[[], Any], limits: Mapping[str, Any]) -> None:
    """Write what was read, or why nothing could be, which it is too if the answer is too long."""
    from papergraph.errors import Reason
    from papergraph.ingest.parsers.sandbox import RefusedError

    try:
        answer = {"reading": read()}
    except RefusedError as refusal:
        answer = {"refusal": {"reason": refusal.reason, "detail": refusal.detail}}
    except RecursionError:
        answer = {"refusal": {"reason": Reason.DAMAGED, "detail": "is damaged: its objects are nested without end"}}
    text = json.dumps(answer)
    if len(text) > limits["output_bytes"]:
        told = f"gives more than {limits['output_bytes']:,} bytes when it is read"
        text = json.dumps({"refusal": {"reason": Reason.TOO_LARGE, "detail": told}})
    sys.stdout.write(text)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
