"""The port of ``papergraph demo``: the option that the error about a taken port names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from typer.testing import CliRunner

from papergraph.cli import serve_running
from papergraph.cli.client import ServerUnavailableError
from papergraph.cli.commands import demo
from papergraph.errors import InputError
from papergraph.server.process.sockets import listen
from papergraph.settings import Settings


@pytest.mark.parametrize(("given", "is_fixed"), [([], False), (["--port", "8123"], True)])
def test_the_port_option_replaces_the_setting(given: list[str], is_fixed: bool, monkeypatch: pytest.MonkeyPatch):
    calls: list[Settings] = []

    @contextmanager
    def opened(*_: object, **__: object) -> Iterator[None]:
        yield None

    async def run(settings: Settings, *_: object, **__: Any) -> None:
        calls.append(settings)

    monkeypatch.setattr("papergraph.store.open_store", opened)
    monkeypatch.setattr(demo, "service", opened)
    monkeypatch.setattr(demo, "settings", Settings)
    monkeypatch.setattr(serve_running, "run", run)

    result = CliRunner().invoke(demo.app, given)

    assert result.exit_code == 0, result.output
    (chosen,) = calls
    assert ("port" in chosen.server.model_fields_set) is is_fixed
    assert chosen.server.port == (8123 if is_fixed else Settings().server.port)


def test_a_taken_port_is_refused_with_the_option_that_chooses_another():
    with listen("127.0.0.1", 0) as taken, pytest.raises(InputError, match=r"in use\. Choose another with --port\."):
        listen("127.0.0.1", taken.getsockname()[1])


def test_a_taken_port_is_refused_before_neo4j_starts(monkeypatch: pytest.MonkeyPatch):
    def opened(*_: object, **__: object) -> Any:
        raise AssertionError("the store is opened")

    monkeypatch.setattr("papergraph.store.open_store", opened)
    monkeypatch.setattr(demo, "settings", Settings)
    with listen("127.0.0.1", 0) as taken:
        result = CliRunner().invoke(demo.app, ["--port", str(taken.getsockname()[1])])

    assert isinstance(result.exception, InputError)
    assert result.exception.field == "port"


@pytest.mark.parametrize("n_failures", [0, 1, serve_running.FIRST_ATTEMPTS])
async def test_the_first_search_is_tried_again_on_a_busy_machine(n_failures: int, monkeypatch: pytest.MonkeyPatch):
    calls: list[str] = []

    def answer(url: str, path: str, body: object, *, key: str) -> dict[str, Any]:
        calls.append(path)
        if len(calls) <= n_failures:
            raise ServerUnavailableError("The database did not answer in time. Retry.")
        return {"hits": [{"rank": 1}]}

    monkeypatch.setattr(serve_running, "ask_server", answer)
    if n_failures == serve_running.FIRST_ATTEMPTS:
        with pytest.raises(ServerUnavailableError):
            await serve_running.first_search("http://127.0.0.1:8000", "qubits", key="")
    else:
        assert await serve_running.first_search("http://127.0.0.1:8000", "qubits", key="") == [{"rank": 1}]

    assert calls == ["/search"] * min(n_failures + 1, serve_running.FIRST_ATTEMPTS)


@pytest.mark.parametrize(
    ("log", "is_terminal", "level"),
    [({}, True, "error"), ({}, False, "info"), ({"level": "info"}, True, "info")],
    ids=["terminal", "pipe", "level set"],
)
def test_a_terminal_shows_no_log_unless_a_level_is_set(log: dict[str, str], is_terminal: bool, level: str):
    chosen = Settings().replace(log=log) if log else Settings()

    assert demo.quiet_on_a_terminal(chosen, is_terminal=is_terminal).log.level == level
