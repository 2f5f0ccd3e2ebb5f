"""The port of ``papergraph demo``: the option that the error about a taken port names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from typer.testing import CliRunner

from papergraph.cli import serve_running
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
