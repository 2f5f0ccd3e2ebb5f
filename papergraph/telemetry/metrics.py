"""Prometheus metrics of this process; docs/observability.md describes each.

They live as long as the process, as usual with Prometheus: several applications in one process add up. The processes of
a server share files in a folder, ``PROMETHEUS_MULTIPROC_DIR``, and each reports the sums. A label's values are from a
closed list (:data:`LABELS`), never from a request; other values become ``other``.
"""

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, ProcessCollector
from prometheus_client.multiprocess import MultiProcessCollector

from papergraph import __version__
from papergraph.errors import DatabaseError

Together = Literal["livesum", "max"]
"""Aggregation of a gauge over processes."""

OTHER = "other"
MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of Prometheus' client for the common folder of several processes, read at import."""

REFUSED, AGAIN = "refused", "again"

LABELS: Mapping[str, str] = {
    "backend": "the back ends of selection",
    "code": "the codes of errors",
    "field": "the fields of GraphQL's `Query`, `Mutation` and `Subscription`, and introspection",
    "kind": "see the metric",
    "method": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, `WEBSOCKET`, or `other`",
    "outcome": "see the metric",
    "pipeline": "the shipped pipelines; your own are `other`",
    "prompt": "our prompts",
    "python": "the version of Python",
    "reason": "why documents are refused, or nothing",
    "route": "the routes, as `/v1/papers/{id}`; paths that are none are `other`",
    "stage": "the stages of documents and enrichments",
    "state": "the states of jobs or tasks",
    "statement": "the Cypher files; whatever is no file is `other`",
    "status": "the status of the answer; 499 where the client disconnected before the answer, or while it sent the "
    "request; 101 for a WebSocket",
    "step": "the steps of pipelines",
    "version": "the version of papergraph",
}
"""Sources of label values; other labels do not occur."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
LONG_S = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0)
QUERY_S = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
QUERIES = (0, 1, 2, 3, 5, 8, 12, 20, 50)
CANDIDATES = (0, 1, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)
GAPS = (0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0)

# when each series began, told for each, would nearly double them
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]

REGISTRY = CollectorRegistry(auto_describe=True)


def _counter(name: str, about: str, *labels: str) -> Counter:
    return Counter(f"papergraph_{name}", about, labels, registry=REGISTRY)


def _gauge(
    name: str, about: str, *labels: str, registry: CollectorRegistry = REGISTRY, together: Together = "livesum"
) -> Gauge:
    return Gauge(f"papergraph_{name}", about, labels, registry=registry, multiprocess_mode=together)


def _histogram(name: str, about: str, *labels: str, buckets: tuple[float, ...] = SECONDS) -> Histogram:
    return Histogram(f"papergraph_{name}", about, labels, registry=REGISTRY, buckets=buckets)


REQUESTS = _counter("http_requests", "Requests that are over", "method", "route", "status")
REQUEST_SECONDS = _histogram(
    "http_request_seconds", "Time from a request to the end of its answer, sockets and streams aside", "route", "status"
)
REQUESTS_IN_FLIGHT = _gauge("http_requests_in_flight", "Requests and sockets that are being answered")
REQUEST_QUERIES = _histogram(
    "http_request_queries", "Statements and transactions sent to Neo4j for a request", "route", buckets=QUERIES
)
ERRORS = _counter("errors", "Errors that clients were told, by their code", "code")
COST = _counter("cost", "Cost of operations of GraphQL and requests of REST that was charged")

FIELDS = _counter("graphql_fields", "Operations of GraphQL that were done, by the fields that they begin with", "field")
OPERATION_SECONDS = _histogram(
    "graphql_operation_seconds", "Time that queries and mutations took, by kind: query or mutation", "kind"
)
QUERY_SECONDS = _histogram(
    "database_query_seconds",
    "Time of a statement, with all attempts, those that failed too",
    "statement",
    buckets=QUERY_S,
)
SLOW_QUERIES = _counter("database_slow_queries", "Statements that the log tells as slow", "statement")
DATABASE_RETRIES = _counter("database_retries", "Statements and transactions that were sent once more")
DATABASE_ERRORS = _counter(
    "database_errors", "Statements and transactions that failed, by kind: the name of the error", "kind"
)

CYPHER_STUCK = _gauge("cypher_stuck", "Neo4j servers that go on with a query of a user that was ended")

PIPELINE_SECONDS = _histogram("pipeline_seconds", "Time of a pipeline", "pipeline")
STEP_SECONDS = _histogram("step_seconds", "Time of a step of a pipeline", "step")
STEP_CANDIDATES = _histogram(
    "step_candidates", "Candidates before and after a step, by kind: in or out", "step", "kind", buckets=CANDIDATES
)
SELECTION_SECONDS = _histogram("selection_seconds", "Time of the solver of a selection", "backend")
SELECTION_GAP = _histogram("selection_gap", "Gap of a selection to its bound", "backend", buckets=GAPS)
SELECTIONS = _counter("selections", "Selections, by outcome: proven or open", "backend", "outcome")

EMBEDDING_SECONDS = _histogram(
    "embedding_seconds", "Time of one call of the embedding model, by kind: query or documents", "kind"
)
QUERY_VECTORS = _counter(
    "query_vectors", "Vectors of queries that were asked for, by outcome: made, or kept", "outcome"
)
EMBEDDED_TEXTS = _counter("embedded_texts", "Texts that were embedded, by kind: query or documents", "kind")

MODEL_CALLS = _counter(
    "model_calls",
    "Questions to the language model, by outcome: answered, kept (it was known), unavailable, deadline, unusable, "
    "budget or stopped",
    "prompt",
    "outcome",
)
MODEL_SECONDS = _histogram(
    "model_call_seconds", "Time of a question to the language model that was not kept", "prompt", buckets=LONG_S
)
MODEL_REQUESTS = _counter("model_requests", "Requests sent to the language model, all attempts")
MODEL_TOKENS = _counter(
    "model_tokens", "Tokens of the language model, by kind: input, output, or estimated (how many of both are)", "kind"
)
MODEL_COST = _counter("model_cost", "Cost of the tokens, in the currency of the configured prices")

ANSWERS = _counter(
    "answers",
    "Questions that were answered, by outcome: model, extractive, degraded, no_evidence, out_of_scope or "
    "model_unavailable",
    "outcome",
)
DROPPED = _counter("answer_dropped", "Sentences and citations that the verifier dropped, by kind of fault", "kind")
ITEMS = _counter(
    "items",
    "Documents and papers that were seen to, by outcome: added, replaced, joined, unchanged, superseded, made (of "
    "enrichments), gone, refused, or again (later)",
    "outcome",
    "reason",
)
STAGE_SECONDS = _histogram(
    "stage_seconds",
    "Time of a stage: of a document for fetch, parse and chunk, of a group for embed and write, else of a paper",
    "stage",
    buckets=LONG_S,
)

BUILD = _gauge("build_info", "1, for the versions in its labels", "version", "python", together="max")
BUILD.labels(__version__, platform.python_version()).set(1)
ProcessCollector(registry=REGISTRY)


class LedgerGauges:
    """The process's metrics with those of one store's ledger; a collector, as Prometheus' client has it."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry(auto_describe=True)
        self._jobs = _gauge("jobs", "Jobs in the ledger", "state", registry=self._registry)
        self._tasks = _gauge("tasks", "Tasks in the ledger", "state", registry=self._registry)
        about = "1 if the ledger could be read lately; else 0, and jobs and tasks are left out"
        self._is_read = _gauge("job_queue_up", about, registry=self._registry)
        about = "1 if a local Neo4j runs, by kind: store or replica"
        self._is_running = _gauge("neo4j_running", about, "kind", registry=self._registry)
        about = "Starts of a local Neo4j after it had ended by itself, by kind: store or replica"
        self._restarts = _gauge("neo4j_restarts", about, "kind", registry=self._registry)

        about = "Age of the last daily backup, by kind: taken or verified; missing where there is none"
        self._backups = _gauge("backup_age_seconds", about, "kind", registry=self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics, those of the server's other processes too."""
        own = list(self._registry.collect())
        names = {metric.name for metric in own}
        yield from (metric for metric in _collected() if metric.name not in names)
        yield from own

    def set(self, jobs: Iterable[tuple[str, int]], tasks: Iterable[tuple[str, int]]) -> None:
        """Take what was read: a number for each state."""
        for gauge, states in ((self._jobs, jobs), (self._tasks, tasks)):
            for state, n in states:
                gauge.labels(state).set(n)
        self._is_read.set(1)

    def set_servers(self, servers: Iterable[tuple[str, bool, int]]) -> None:
        """Take how local servers are: the kind of each, whether it runs, and how often it was started again."""
        for kind, is_running, restarts in servers:
            self._is_running.labels(kind).set(is_running)
            self._restarts.labels(kind).set(restarts)

    def set_backups(self, ages: Iterable[tuple[str, float]]) -> None:
        """Take how old the last backups are: the kind of each, and its age in seconds."""
        self._backups.clear()
        for kind, age_s in ages:
            self._backups.labels(kind).set(age_s)

    def clear(self) -> None:
        """Clear all values, because the ledger is unreadable."""
        self._jobs.clear()
        self._tasks.clear()
        self._is_read.set(0)


def _collected() -> Iterable[Metric]:
    if MULTIPROCESS not in os.environ:
        return REGISTRY.collect()
    together: Iterable[Metric] = MultiProcessCollector(None).collect()  # type: ignore[no-untyped-call]
    return together


_DATABASE_ERRORS = frozenset(kind.__name__ for kind in DatabaseError.__subclasses__())


@contextmanager
def database_errors() -> Iterator[None]:
    """Count an error of the database that passes."""
    try:
        yield
    except DatabaseError as error:
        name = type(error).__name__
        DATABASE_ERRORS.labels(name if name in _DATABASE_ERRORS else OTHER).inc()
        raise


def seen_to(outcome: str, *, reason: str | None = None) -> None:
    """Count a document or paper, which may be left for later, or to another process."""
    ITEMS.labels(outcome, reason or "").inc()
