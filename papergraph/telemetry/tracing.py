"""Traces: spans of OpenTelemetry from the request down to the Cypher file, where an operator asked for them.

Until :func:`traced` gives spans somewhere to go they cost a look at a variable. A span has names, numbers and ids; the
text of an error, which may hold more, stays out of it.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from opentelemetry.trace import (
    INVALID_SPAN,
    Span,
    SpanKind,
    StatusCode,
    Tracer,
    TracerProvider,
    get_current_span,
    use_span,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

__all__ = ["SpanKind", "span", "traced"]

NAME = "papergraph"

DATABASE = {"db.system.name": "neo4j"}
STATEMENT, ROWS = "db.query.summary", "db.response.returned_rows"
METHOD, ROUTE, STATUS = "http.request.method", "http.route", "http.response.status_code"
ERROR = "error.type"
CHAT = {"gen_ai.operation.name": "chat"}
MODEL, INPUT_TOKENS, OUTPUT_TOKENS = "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
FIELDS = "graphql.fields"
JOB, TASK, REQUEST = "papergraph.job", "papergraph.task", "papergraph.request_id"
"""Names of OpenTelemetry's semantic conventions; those of language models may still change there."""

_tracer: Tracer | None = None
_nothing: AbstractContextManager[Span] = nullcontext(INVALID_SPAN)
_propagator = TraceContextTextMapPropagator()


@contextmanager
def traced(provider: TracerProvider) -> Iterator[None]:
    """Give the spans of this process to a provider while the context is open."""
    global _tracer
    before, _tracer = _tracer, provider.get_tracer(NAME)
    try:
        yield
    finally:
        _tracer = before


def span(
    name: str,
    attributes: Mapping[str, AttributeValue] | None = None,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    headers: Mapping[str, str] | None = None,
    is_leaf: bool = False,
    below: bool = False,
) -> AbstractContextManager[Span]:
    """Open a span below the present one.

    Args:
        name: Out of a closed list.
        attributes: Names, numbers and ids.
        kind: Whether it is asked for or asks for something.
        headers: Of a request, whose ``traceparent`` it then stands below.
        is_leaf: Nothing is to stand below it: within a generator it would become the present span of whoever reads.
        below: Open none where it would stand alone, as for what a worker asks the ledger every few seconds.
    """
    if _tracer is None or (below and not get_current_span().get_span_context().is_valid):
        return _nothing
    return _opened(_tracer, name, attributes, kind, headers, is_leaf)


@contextmanager
def _opened(
    tracer: Tracer,
    name: str,
    attributes: Mapping[str, AttributeValue] | None,
    kind: SpanKind,
    headers: Mapping[str, str] | None,
    is_leaf: bool,
) -> Iterator[Span]:
    parent = None if headers is None else _propagator.extract(headers)
    opened = tracer.start_span(name, parent, kind, attributes)
    present = nullcontext() if is_leaf else use_span(opened, record_exception=False, set_status_on_exception=False)
    try:
        with present:
            yield opened
    except BaseException as error:
        opened.set_status(StatusCode.ERROR)
        opened.set_attribute(ERROR, type(error).__name__)
        raise
    finally:
        opened.end()
