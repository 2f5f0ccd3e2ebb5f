"""Each statement that is run: how long it took, whether that was slow, and its span."""

import logging
import time
from collections.abc import Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.tracing import SpanKind

SLOW_MS = 1000.0

log = logging.getLogger(__name__)


@dataclass
class Run:
    """Running statement; ``ms`` is set when it ends, ``n_records`` if it succeeds."""

    ms: float = 0.0
    n_records: int | None = None


@contextmanager
def watched(name: str, parameters: Mapping[str, Any], *, slow_ms: float) -> Iterator[Run]:
    """Measure a statement, and tell the log if it takes ``slow_ms`` or more; 0 tells of none.

    Args:
        name: The Cypher file, or ``other``.
        parameters: Of which the log hears names and sizes.
        slow_ms: In milliseconds.
    """
    run, start = Run(), time.perf_counter()
    with tracing.span(name, {**tracing.DATABASE, tracing.STATEMENT: name}, kind=SpanKind.CLIENT, below=True) as span:
        try:
            yield run
        finally:
            seconds = time.perf_counter() - start
            run.ms = 1000.0 * seconds
            metrics.QUERY_SECONDS.labels(name).observe(seconds)
            if run.n_records is not None and span.is_recording():
                span.set_attribute(tracing.ROWS, run.n_records)
            if 0 < slow_ms <= run.ms:
                metrics.SLOW_QUERIES.labels(name).inc()
                sizes = {parameter: size_of(value) for parameter, value in parameters.items()}
                told = {"statement": name, "ms": round(run.ms, 1), "records": run.n_records, "parameters": sizes}
                log.warning("slow query", extra=told)


def size_of(value: Any) -> str:
    """Return what kind of value a parameter has and how large it is, and nothing of what it says."""
    if isinstance(value, str):
        return f"text of {len(value)}"
    if isinstance(value, Mapping):
        return f"map of {len(value)}"
    if isinstance(value, Sized):
        return f"list of {len(value)}"
    return "null" if value is None else type(value).__name__
