"""Pandoc on one document, limited in time, memory and output; the result is its syntax tree.

Pandoc runs as a process that reads standard input; ``--sandbox`` forbids it other files and the network.
"""

import importlib.util
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from papergraph.errors import Reason, install_command
from papergraph.ingest.parsers.pandoc import limited
from papergraph.ingest.parsers.sandbox import too_busy

EXTRA = "pandoc"
API = (1, 23)
"""Version of the syntax tree that is understood: that of pandoc 3.0 and later."""

PARSE_ERROR, MACRO_LOOP, BAD_CONTAINER, HEAP_EXHAUSTED, UNKNOWN_READER = 64, 91, 63, 251, 21


@dataclass(frozen=True)
class PandocLimits:
    """Limits of one document.

    Attributes:
        seconds: Processor time of pandoc.
        wall_seconds: Wall time of it.
        memory_bytes: Largest heap; the address space is limited to twice this.
        output_bytes: Longest syntax tree, as JSON.
    """

    seconds: int = 60
    wall_seconds: int = 600
    memory_bytes: int = 1 << 30
    output_bytes: int = 200_000_000


class PandocError(Exception):
    """Pandoc is not there, or cannot read a document within its limits."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@cache
def find_pandoc() -> str | None:
    """Return the path of pandoc: the one that the extra ``pandoc`` brings, else that on the path."""
    package = importlib.util.find_spec("pypandoc")
    for folder in (package.submodule_search_locations or ()) if package else ():
        packaged = Path(folder, "files", "pandoc")
        if packaged.is_file():
            return str(packaged)
    return shutil.which("pandoc")


def read_tree(data: bytes, reader: str, limits: PandocLimits) -> dict[str, Any]:
    """Return pandoc's syntax tree of a document: ``meta`` and ``blocks``.

    Args:
        data: The document.
        reader: Name of pandoc's reader with its extensions, such as ``latex``.
        limits: What it may take.

    Raises:
        PandocError: Pandoc is missing or too old, cannot read the document, or takes more than its limits.
    """
    program = find_pandoc()
    if program is None:
        raise PandocError(
            Reason.MISSING_PROGRAM,
            f"needs pandoc, which is not installed: {install_command(EXTRA)}, or pandoc 3 from pandoc.org",
        )
    heap = limits.memory_bytes >> 20
    command = [
        *(sys.executable, "-I", "-S", limited.__file__),
        *map(str, (limits.seconds, 2 * limits.memory_bytes, limits.output_bytes)),
        *(program, "+RTS", f"-M{heap}M", "-RTS", "--sandbox", "--from", reader, "--to", "json"),
    ]
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603 the command is ours
                command, input=data, stdout=output, stderr=subprocess.PIPE, timeout=limits.wall_seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise PandocError(Reason.BUSY, too_busy(limits.wall_seconds)) from error
        if done.returncode:
            raise _failure(done.returncode, done.stderr.decode(errors="replace"), limits)
        output.seek(0)
        try:
            tree = json.load(output)
        except (ValueError, RecursionError) as error:
            raise PandocError(Reason.DAMAGED, "is nested too deeply to be a paper") from error
    if tuple(tree["pandoc-api-version"][:2]) != API:
        found = ".".join(map(str, tree["pandoc-api-version"]))
        raise PandocError(
            Reason.MISSING_PROGRAM,
            f"needs pandoc 3, but the syntax tree of {program} has version {found}: {install_command(EXTRA)}",
        )
    return dict(tree)


def _failure(status: int, told: str, limits: PandocLimits) -> PandocError:
    told = " ".join(told.split())
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return _too_slow(limits)
    if status in (-signal.SIGINT, -signal.SIGTERM):
        return PandocError(Reason.UNREADABLE, "reading it was interrupted; ingest it again")
    if status == HEAP_EXHAUSTED or "exhausted" in told or "MemoryError" in told:
        return PandocError(Reason.OUT_OF_MEMORY, f"needs more than {limits.memory_bytes >> 20:,} MiB to be read")
    if status == -signal.SIGXFSZ or "fdWriteBuf" in told or "File too large" in told:
        return PandocError(Reason.TOO_LARGE, f"gives more than {limits.output_bytes:,} bytes when it is read")
    if status == UNKNOWN_READER:
        return PandocError(Reason.MISSING_PROGRAM, f"needs a newer pandoc: {install_command(EXTRA)}")
    if status in (PARSE_ERROR, MACRO_LOOP, BAD_CONTAINER):
        return PandocError(Reason.DAMAGED, f"cannot be read by pandoc ({told[:200]}); ingest its PDF instead")
    if status < 0:
        return PandocError(
            Reason.DAMAGED, f"made pandoc crash ({signal.Signals(-status).name}); ingest its PDF instead"
        )
    return PandocError(Reason.DAMAGED, f"cannot be read by pandoc ({told[:200] or status}); ingest its PDF instead")


def _too_slow(limits: PandocLimits) -> PandocError:
    return PandocError(
        Reason.OUT_OF_TIME, f"needs more than {limits.seconds} s of processor time; ingest its PDF instead"
    )
