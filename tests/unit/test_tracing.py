"""Spans: a tree by names out of closed lists, below the client's own, which costs nothing where nobody looks."""

import asyncio
import gzip
import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import INVALID_SPAN, StatusCode

from papergraph.errors import InputError
from papergraph.ingest.jobs.model import Stage, StageClock
from papergraph.telemetry.statements import watched
from papergraph.telemetry.tracing import exporting, span, traced
from tests.support.local_server import LocalServer, QuietHandler

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def exporter():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traced(provider):
        yield exporter


@pytest.fixture
def collector():
    """A collector's address, and what it is sent: path and body, unpacked."""
    bodies: list[tuple[str, bytes]] = []

    class Handler(QuietHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            bodies.append((self.path, gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with LocalServer(Handler) as server:
        yield server.address, bodies


def parents(exporter: InMemorySpanExporter) -> dict[str, str | None]:
    """Return the name of the span above each."""
    spans = exporter.get_finished_spans()
    names = {one.context.span_id: one.name for one in spans}
    return {one.name: names.get(one.parent.span_id) if one.parent else None for one in spans}


def test_nobody_looks_unless_told_to():
    with span("pipeline fast", {"a": 1}) as nothing:
        assert nothing is INVALID_SPAN


def test_a_span_stands_below_the_one_it_was_opened_in(exporter):
    with span("request"), span("pipeline"), watched("papers/list", {"text": "secret"}, slow_ms=0) as ran:
        ran.n_records = 3

    assert parents(exporter) == {"request": None, "pipeline": "request", "papers/list": "pipeline"}
    (statement, *_) = exporter.get_finished_spans()
    assert dict(statement.attributes) == {
        "db.system.name": "neo4j",
        "db.query.summary": "papers/list",
        "db.response.returned_rows": 3,
    }


def test_a_statement_that_would_stand_alone_has_no_span(exporter):
    with watched("jobs/next", {}, slow_ms=0):
        pass

    assert not exporter.get_finished_spans()


async def test_a_span_stands_above_what_its_tasks_and_threads_do(exporter):
    async def search() -> None:
        with span("search"):
            await asyncio.to_thread(encode)

    def encode() -> None:
        with span("encode"):
            pass

    with span("step"):
        await asyncio.gather(search())

    assert parents(exporter) == {"encode": "search", "search": "step", "step": None}


def test_the_trace_of_a_client_goes_on(exporter):
    with span("POST /graphql", headers={"traceparent": PARENT}):
        pass
    with span("GET /", headers={"traceparent": "nonsense"}):
        pass

    taken, own = exporter.get_finished_spans()
    assert f"{taken.context.trace_id:032x}" == PARENT.split("-")[1]
    assert f"{taken.parent.span_id:016x}" == PARENT.split("-")[2]
    assert own.parent is None


def test_an_error_is_told_by_its_kind_and_not_by_its_words(exporter):
    with pytest.raises(InputError), span("step"):
        raise InputError("the text of a question", field="query")

    (failed,) = exporter.get_finished_spans()
    assert failed.status.status_code is StatusCode.ERROR and failed.status.description is None
    assert dict(failed.attributes) == {"error.type": "InputError"} and not failed.events


def test_within_a_generator_nothing_comes_to_stand_below_a_leaf(exporter):
    def pieces():
        with span("chat", is_leaf=True):
            yield "a"
            yield "b"

    for _ in pieces():
        with span("reader"):
            pass

    assert parents(exporter) == {"reader": None, "chat": None}


def test_a_document_has_a_span_for_each_stage_until_the_next_one(exporter):
    with span("item"), StageClock() as clock:
        for stage in (Stage.FETCH, Stage.PARSE, Stage.CHUNK):
            clock.reached(stage)

    assert parents(exporter) == {"stage fetch": "item", "stage parse": "item", "stage chunk": "item", "item": None}
    fetch, parse, *_ = exporter.get_finished_spans()
    assert fetch.end_time <= parse.start_time


def test_without_an_address_nothing_is_sent():
    with exporting(None, service="papergraph-server"), span("request") as nothing:
        assert nothing is INVALID_SPAN


def test_with_one_spans_go_to_the_collector_there(collector):
    url, bodies = collector
    with exporting(f"{url}/", service="papergraph-test"), span("POST /graphql"):
        pass

    ((path, body),) = bodies
    assert path == "/v1/traces"
    assert b"papergraph-test" in body and b"POST /graphql" in body


def test_without_what_sends_them_the_setting_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.resources", None)

    with (
        pytest.raises(InputError, match="uv sync --inexact --extra otel"),
        exporting("http://127.0.0.1:4318", service="x"),
    ):
        pass
