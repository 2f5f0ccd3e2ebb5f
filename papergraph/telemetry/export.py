"""Traces are sent to an OpenTelemetry collector by what the extra ``otel`` installs, as an operator told it to.

The SDK reads ``OTEL_TRACES_SAMPLER``, ``OTEL_RESOURCE_ATTRIBUTES``, ``OTEL_EXPORTER_OTLP_HEADERS`` and others itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from papergraph import __version__
from papergraph.errors import InputError
from papergraph.extras import install_command
from papergraph.telemetry.tracing import traced

PATH = "/v1/traces"


@contextmanager
def exporting(endpoint: str | None, *, service: str) -> Iterator[None]:
    """Send the spans of this process to a collector while the context is open; without an ``endpoint`` there are none.

    Args:
        endpoint: Base address of OTLP over HTTP, such as ``http://127.0.0.1:4318``.
        service: What the process is called there: ``papergraph-server`` or ``papergraph-worker``.

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
