"""Traces of a process, their export with the metrics, and the set-up of both with the log."""

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

from papergraph import __version__
from papergraph.errors import InputError, install_command
from papergraph.settings import Settings
from papergraph.telemetry.logs import logging_to

# Traces: spans of OpenTelemetry from the request down to the Cypher file, where an operator asked for them.
#
# Until :func:`traced` gives spans somewhere to go they cost a look at a variable. A span has names, numbers and ids;
# the text of an error, which may hold more, stays out of it.


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
    """Open a child span of the current one.

    Args:
        name: Name from a closed list.
        attributes: Names, numbers and ids.
        kind: Server or client.
        headers: Headers of a request, whose ``traceparent`` becomes the parent.
        is_leaf: True for a span without children: inside a generator it would become the consumer's current span.
        below: True to skip a span without a parent, as for the periodic queries of a worker.
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


# Traces are sent to a configured OpenTelemetry collector by the extra ``otel``.
#
# The SDK reads ``OTEL_TRACES_SAMPLER``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_EXPORTER_OTLP_HEADERS`` and others
# itself.


PATH = "/v1/traces"


@contextmanager
def exporting(endpoint: str | None, *, service: str) -> Iterator[None]:
    """Send the spans of this process to a collector while the context is open; disabled without an ``endpoint``.

    Args:
        endpoint: Base address of OTLP over HTTP, such as ``http://127.0.0.1:4318``.
        service: Name of the process in traces: ``papergraph-server`` or ``papergraph-worker``.

    Raises:
        InputError: The extra is not installed.
    """
    if endpoint is None:
        yield
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise InputError(
            f"PAPERGRAPH_OTEL_ENDPOINT is set, and the exporter is not installed: {install_command('otel')}",
            field="otel_endpoint",
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": service, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint.rstrip("/") + PATH)))
    try:
        with traced(provider):
            yield
    finally:
        provider.shutdown()


# Setup of a long-running command: log and traces


@contextmanager
def telling(settings: Settings, *, service: str) -> Iterator[None]:
    """Write the log and send traces as the settings say, while the context is open.

    Raises:
        InputError: Traces are asked for, and what sends them is not installed.
    """
    secrets = (
        settings.neo4j.password,
        settings.llm.api_key,
        settings.fetch.openalex_key,
        settings.api_key,
        settings.cypher.password,
    )
    bare = [secret.get_secret_value() for secret in (*secrets, settings.api_key)]
    with (
        logging_to(form=settings.log.format, level=settings.log.level, secrets=bare),
        exporting(settings.otel.endpoint, service=service),
    ):
        yield
