"""Metrics and traces of operations, by root fields and never by name or text."""

import time
from collections.abc import Iterator

from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.metrics import OTHER
from server.graphql.extensions.permissions import root_access, root_fields

INTROSPECTION = frozenset({"__typename", "__schema", "__type"})


class Watched(SchemaExtension):
    """Counts and times operations that are done, and is the span of each; refused ones are counted as errors."""

    def on_execute(self) -> Iterator[None]:
        """Let the operation be done."""
        execution, known = self.execution_context, root_access(self.execution_context.schema).keys() | INTROSPECTION
        kind = execution.operation_type
        fields = [field if field in known else OTHER for field in root_fields(execution)]
        for field in fields:
            metrics.FIELDS.labels(field).inc()
        if kind is OperationType.SUBSCRIPTION:  # lasts as long as its client likes
            yield
            return
        start = time.perf_counter()
        with tracing.span(f"graphql {kind.value}", {tracing.FIELDS: sorted(set(fields))}):
            yield
        metrics.OPERATION_SECONDS.labels(kind.value).observe(time.perf_counter() - start)
