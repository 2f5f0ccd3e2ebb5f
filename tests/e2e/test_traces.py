"""A request's trace over HTTP, from what the client says of its own down to the Cypher file; and that of a document."""

from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

from papergraph.telemetry.tracing import traced
from tests.support.files import write
from tests.support.ingestion import ingest

SEARCH = "query Mine($input: SearchInput!) { search(input: $input) { hits { rank } } }"
QUESTION = "How are xylophones tuned?"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traced(provider):
        yield exporter


def path_of(span: ReadableSpan, spans: Sequence[ReadableSpan]) -> list[str]:
    """Return the names from the first span of a trace down to this one."""
    above = {one.context.span_id: one for one in spans}
    names, at = [span.name], span
    while at.parent is not None and at.parent.span_id in above:
        at = above[at.parent.span_id]
        names.insert(0, at.name)
    return names


async def test_a_search_is_one_trace_from_the_client_down_to_the_cypher_file(app, exporter, caplog):
    asked = {"query": QUESTION, "pipeline": "default", "k": 3, "selection": {"k": 3}}
    response = await app.post(
        "/graphql",
        json={"query": SEARCH, "variables": {"input": asked}},
        headers={"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-ID": "mine"},
    )

    spans = exporter.get_finished_spans()
    paths = [path_of(span, spans) for span in spans]
    operation = ["POST /graphql", "graphql query"]
    search = [*operation, "pipeline default", "step search"]
    assert response.json()["data"]["search"]["hits"]
    assert [*search, "embed query"] in paths
    assert [*search, "retrieval/vector_top_k"] in paths
    assert [*search, "retrieval/fulltext_top_k"] in paths
    assert [*operation, "pipeline default", "step select", "solver exact"] in paths
    assert [*operation, "retrieval/passages"] in paths
    assert {f"{span.context.trace_id:032x}" for span in spans} == {TRACE}

    (request,) = [span for span in spans if span.name == "POST /graphql"]
    assert f"{request.parent.span_id:016x}" == PARENT and request.kind is SpanKind.SERVER
    assert dict(request.attributes) == {
        "http.request.method": "POST",
        "http.route": "/graphql",
        "http.response.status_code": 200,
        "papergraph.request_id": "mine",
    }
    assert "xylophones" not in "".join(span.to_json() for span in spans)
    assert not [record for record in caplog.records if record.name.startswith("opentelemetry")]


@pytest.mark.writes_by_hand
async def test_a_document_is_a_trace_with_a_span_for_each_stage(library, embedder, exporter, tmp_path):
    write(tmp_path / "traced.md", "# Traced\n\n## Start\n\nIt is looked at from all sides.\n")

    report = await ingest(library, embedder, [tmp_path], collection="traced")

    spans = exporter.get_finished_spans()
    paths = [path_of(span, spans) for span in spans]
    assert not report.failed
    for stage in ("fetch", "parse", "chunk"):
        assert ["item", f"stage {stage}"] in paths
    assert ["stage embed"] in paths
    assert ["stage write", "ingest/write_papers"] in paths
    (item,) = [span for span in spans if span.name == "item"]
    assert item.attributes["papergraph.job"] == report.job
