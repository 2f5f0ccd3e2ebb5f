"""The command line as somebody has it in a terminal."""

import asyncio
import io
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil
import pytest

from papergraph import embedding
from papergraph.cli.main import main
from tests.pytest_neo4j import Neo4jServer
from tests.support.leaks import Leaks
from tests.support.remembered_model import RememberedModel

BEGIN_A_LOG = [("demo",), ("serve",), ("worker",), ("mcp",)]
"""Commands that set up logging, which is of a whole process."""

COMMAND = Path(sys.prefix) / "bin" / "papergraph"


@dataclass(frozen=True)
class Papergraph:
    """The command line with settings of its own, as somebody has it in a terminal."""

    home: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def __call__(
        self, *arguments: str | Path, stdin: str = "", timeout_s: float = 240, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end: within this process, unless it begins a log or an event loop runs here already."""
        if arguments[:1] in BEGIN_A_LOG or _in_event_loop():
            return self.process(*arguments, stdin=stdin, timeout_s=timeout_s, **settings)
        return _run_here([str(argument) for argument in arguments], self._environment(settings), stdin)

    def process(
        self, *arguments: str | Path, stdin: str = "", timeout_s: float = 240, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end as a program of its own, as the installed one is run."""
        return subprocess.run(
            [COMMAND, *arguments],
            input=stdin,
            env=self._environment(settings),
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    @contextmanager
    def started(self, *arguments: str | Path, shows_key: bool = False, **settings: str) -> Iterator["Started"]:
        """Start a command that goes on by itself, and end it at the latest when the context is left.

        Its output has no key of the API unless ``shows_key``.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        output = self.home / f"output-{time.monotonic_ns()}.txt"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [COMMAND, *arguments],
                env=self._environment(settings),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                preexec_fn=_hear_ctrl_c,
            )
        try:
            yield Started(process, output)
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        has_key = Leaks.KEY.search(output.read_text(errors="replace")) is not None
        assert has_key == shows_key, f"{arguments} wrote {'a' if has_key else 'no'} key"

    def neo4j_processes(self) -> list[psutil.Process]:
        """Return the Java processes that serve this home, found by their command lines alone."""
        wanted = f"--home-dir={self.home.resolve() / 'neo4j'}"
        return [process for process in psutil.process_iter(["cmdline"]) if wanted in (process.info["cmdline"] or [])]

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        wide = {"COLUMNS": "250"}  # so that no line is broken
        return {**os.environ, **wide, "PAPERGRAPH_HOME": str(self.home), **self.settings, **settings}


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_here(arguments: list[str], environment: Mapping[str, str], stdin: str) -> "subprocess.CompletedProcess[str]":
    """Run the command's own entry point with streams, environment and signals of its own."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    heard = signal.getsignal(signal.SIGTERM)
    root = logging.getLogger()
    handlers = list(root.handlers)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        patch.setattr(embedding, "PackagedModel", _packaged_model)
        patch.setattr(sys, "argv", ["papergraph", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        for name in os.environ.keys() - environment.keys():
            patch.delenv(name)
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            signal.signal(signal.SIGTERM, heard)
            root.handlers[:] = handlers
    written = (stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]
    out, err = (text.replace("\r\n", "\n") for text in written)  # as subprocess does
    return subprocess.CompletedProcess(arguments, status, out, err)


_packaged_model = cache(RememberedModel)
"""The packaged model, loaded once for all commands of this process, which takes a third of a second."""


def _hear_ctrl_c() -> None:
    """Give a command back the signal that it would be deaf to where a script runs these tests in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class Started:
    """A running command; ``output`` holds what it has written to both streams until now."""

    process: "subprocess.Popen[bytes]"
    output: Path

    def wait_for(self, text: str, *, timeout_s: float = 180) -> str:
        """Return all output once ``text`` is in it."""
        deadline = time.monotonic() + timeout_s
        while text not in (said := self.output.read_text()):
            assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{said}"
            assert time.monotonic() < deadline, f"no {text!r} within {timeout_s:g} s:\n{said}"
            time.sleep(0.05)
        return said

    def send(self, number: signal.Signals, *, timeout_s: float) -> int:
        """Send a signal and return the exit status that follows."""
        self.process.send_signal(number)
        return self.process.wait(timeout_s)


def settings_for(neo4j: Neo4jServer) -> dict[str, str]:
    """Return the settings that make the command work with a Neo4j."""
    return {
        "PAPERGRAPH_NEO4J_URI": neo4j.uri,
        "PAPERGRAPH_NEO4J_USER": neo4j.user,
        "PAPERGRAPH_NEO4J_PASSWORD": neo4j.password,
        "PAPERGRAPH_NEO4J_DATABASE": neo4j.database,
    }
