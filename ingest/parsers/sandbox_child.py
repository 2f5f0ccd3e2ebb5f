"""Child process of :mod:`sandbox`: a document on standard input, a result on standard output, as JSON.

It limits itself before it loads anything that could go wrong on a bad file, and dies with its parent. Its arguments are
the limits, the task, and the arguments of the task.
"""

import base64
import ctypes
import json
import math
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

PR_SET_PDEATHSIG = 1
PROGRAM_S = 600
"""Seconds of processor time that a program which a child runs may set as its limit."""


def main() -> None:
    """Do one task within the limits."""
    limits = limit_ourselves()
    task = TASKS[sys.argv[2]]
    answer_with(lambda: task(sys.stdin.buffer.read(), limits, *sys.argv[3:]), limits)


def read_pdf(data: bytes, limits: Mapping[str, Any]) -> Any:
    """Read a PDF."""
    from papergraph.ingest.parsers.pdf.reading import read_pdf
    from papergraph.ingest.parsers.sandbox import SandboxLimits

    return asdict(read_pdf(data, SandboxLimits(**limits)))


def draw_page(data: bytes, limits: Mapping[str, Any], page: str, width: str, *part: str) -> str:
    """Draw a page of a PDF, or a part of it; return the PNG in base64."""
    from papergraph.ingest.parsers.pdf.page_image import draw

    x0, y0, x1, y1 = map(float, part)
    return base64.b64encode(draw(data, page=int(page), width=int(width), part=(x0, y0, x1, y1))).decode()


def parse_document(data: bytes, limits: Mapping[str, Any], name: str, format: str, content_hash: str) -> Any:
    """Parse a document of any other format."""
    from papergraph.ingest.parsers.sandboxed import read_here

    return read_here(data, name, format, content_hash)


TASKS: Mapping[str, Callable[..., Any]] = {"pdf": read_pdf, "page": draw_page, "document": parse_document}


def limit_ourselves() -> dict[str, Any]:
    """Set the limits that the first argument names, and return them."""
    limits: dict[str, Any] = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    memory_bytes = limits["memory_bytes"]  # a program that is run may raise its own limit up to the second one
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, max(memory_bytes, limits["program_memory_bytes"])))
    signal.setitimer(signal.ITIMER_PROF, limits["seconds"])
    whole = math.ceil(limits["seconds"]) + 1  # of programs too, which the timer does not count
    most = whole + (PROGRAM_S if limits["program_memory_bytes"] else 1)  # a program sets its own limit below this
    resource.setrlimit(resource.RLIMIT_CPU, (whole, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits["program_output_bytes"],) * 2)
    return limits


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
    main()
