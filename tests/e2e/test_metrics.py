"""What ``/metrics`` tells after real requests, and that nothing that a client sends makes it tell more and more."""

import json
import random
import re
import string
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from papergraph import cypher, schema
from papergraph.errors import Code, InputError
from papergraph.ingest.jobs.model import JobState, TaskState
from papergraph.server.app import create_app
from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.graphql.extensions import INTROSPECTION
from papergraph.server.graphql.schema import FIELDS
from papergraph.server.middleware.requests import METHODS, SOCKET
from papergraph.server.operations.service import Service
from papergraph.server.process.metrics_server import telling_metrics
from papergraph.server.retrieval.pipelines import shipped
from papergraph.server.retrieval.steps import steps
from papergraph.server.selection.backends import NAMES
from papergraph.settings import Settings
from papergraph.telemetry.metrics import LABELS, OTHER
from tests.support.servers import NOWHERE, app_client, routes
from tests.support.waiting import free_port, wait_until

SEARCH = "query($input: SearchInput!) { search(input: $input) { hits { rank } } }"
N_FUZZED = 1000

Labels = Mapping[str, str]


class Told:
    """What ``/metrics`` tells, by name and labels."""

    def __init__(self, text: str) -> None:
        self.samples = [one for family in text_string_to_metric_families(text) for one in family.samples]

    def value(self, name: str, **labels: str) -> float:
        """Return the sum over the series of a name that have these labels."""
        return sum(
            sample.value for sample in self.samples if sample.name == name and labels.items() <= sample.labels.items()
        )

    def series(self) -> set[tuple[str, frozenset[tuple[str, str]]]]:
        """Return all series of ours, buckets aside."""
        return {
            (sample.name, frozenset(sample.labels.items()))
            for sample in self.samples
            if sample.name.startswith("papergraph_") and "le" not in sample.labels
        }


async def told_by(client: httpx.AsyncClient, **headers: str) -> Told:
    response = await client.get("/metrics", headers=headers)
    assert response.status_code == 200
    return Told(response.text)


async def search(client: httpx.AsyncClient, pipeline: str = "fast", **more: Any) -> dict[str, Any]:
    asked = {"query": "How are physical qubits read?", "pipeline": pipeline, **more}
    response = await client.post("/graphql", json={"query": SEARCH, "variables": {"input": asked}})
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.slow
async def test_searches_are_counted_where_they_go(app):
    before = await told_by(app)

    for _ in range(3):
        assert (await search(app))["data"]["search"]["hits"]
    assert (await search(app, pipeline="none such"))["errors"]

    after = await told_by(app)

    def more(name: str, **labels: str) -> float:
        return after.value(name, **labels) - before.value(name, **labels)

    post = {"route": "/graphql", "status": "200"}
    assert more("papergraph_http_requests_total", method="POST", **post) == 4
    assert more("papergraph_http_request_seconds_count", **post) == 4
    assert more("papergraph_graphql_fields_total", field="search") == 4
    assert more("papergraph_graphql_operation_seconds_count", kind="query") == 4
    assert more("papergraph_cost_total") >= 4 * 2000
    assert more("papergraph_errors_total", code="BAD_USER_INPUT") == 1
    assert more("papergraph_pipeline_seconds_count", pipeline="fast") == 3
    assert more("papergraph_step_seconds_count", step="search") == 3
    assert more("papergraph_step_candidates_sum", step="search", kind="out") > 0
    assert more("papergraph_database_query_seconds_count", statement="retrieval/passages") == 3
    n_queries = more("papergraph_http_request_queries_sum", route="/graphql")
    assert n_queries == more("papergraph_database_query_seconds_count") - more(
        "papergraph_database_query_seconds_count", statement="jobs/count_states"
    )
    assert after.value("papergraph_http_requests_in_flight") == 1  # the one that asks
    assert after.value("papergraph_build_info") == 1
    assert after.value("process_resident_memory_bytes") > 0


async def test_what_is_asked_over_rest_is_counted_by_the_template_of_its_route(app):
    before = await told_by(app)

    assert (await app.get(f"/v1/papers/{NOWHERE}")).status_code == 404
    assert (await app.get("/v1/papers?first=2")).status_code == 200

    after = await told_by(app)

    def more(name: str, **labels: str) -> float:
        return after.value(name, **labels) - before.value(name, **labels)

    assert more("papergraph_http_requests_total", method="GET", route="/v1/papers/{id}", status="404") == 1
    assert more("papergraph_http_request_seconds_count", route="/v1/papers", status="200") == 1
    assert more("papergraph_errors_total", code="NOT_FOUND") == 1
    assert more("papergraph_cost_total") > 1


@pytest.mark.slow
async def test_a_selection_tells_its_time_its_gap_and_whether_it_is_proven(app):
    before = await told_by(app)

    await search(app, pipeline="default", k=3, selection={"k": 3})

    after = await told_by(app)
    assert after.value("papergraph_selection_seconds_count") == before.value("papergraph_selection_seconds_count") + 1
    assert after.value("papergraph_selection_gap_count") == before.value("papergraph_selection_gap_count") + 1
    assert after.value("papergraph_selections_total", backend="exact") >= 1


async def test_jobs_and_tasks_are_told_by_state_as_the_ledger_has_them(library):
    async with app_client(library) as client:
        told = await told_by(client)

    (tasks,) = await library.read(cypher.load("jobs/count"), collections=None)
    assert told.value("papergraph_jobs") == tasks["n"] > 0
    assert {labels["state"] for name, labels in map_of(told) if name == "papergraph_jobs"} == set(JobState)
    assert {labels["state"] for name, labels in map_of(told) if name == "papergraph_tasks"} == set(TaskState)
    assert told.value("papergraph_job_queue_up") == 1


@pytest.mark.slow
async def test_without_its_database_the_rest_is_told(nothing_there):
    async with app_client(nothing_there) as client:
        told = await told_by(client)

    assert told.value("papergraph_job_queue_up") == 0
    assert not [name for name, _ in map_of(told) if name in ("papergraph_jobs", "papergraph_tasks")]
    assert told.value("papergraph_database_errors_total", kind="DatabaseUnavailableError") > 0


async def test_openmetrics_is_spoken_to_those_who_ask_for_it(app):
    response = await app.get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert response.headers["content-type"].startswith("application/openmetrics-text")
    assert response.text.endswith("# EOF\n")


@pytest.mark.slow
async def test_a_thousand_odd_requests_add_no_labels_beyond_the_closed_lists(library, embedder):
    made = random.Random(21)  # noqa: S311 the same requests in every run
    application = create_app(Service(library, embedder), ServerLimits(requests_at_once=64))
    transport = httpx.ASGITransport(application, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        before = (await told_by(client)).series()  # of other tests in this process, with applications of their own
        for _ in range(N_FUZZED):
            request = odd_request(made)
            try:
                await client.request(**request)
            except (httpx.InvalidURL, httpx.LocalProtocolError):
                continue
        added = (await told_by(client)).series() - before

    allowed = closed_lists()
    for name, labels in added:
        for label, value in labels:
            assert label not in allowed or value in allowed[label], (name, label)
    told_routes = {value for _, labels in added for label, value in labels if label == "route"}
    assert len(told_routes) <= len(routes().routes) + 1
    assert len(added) < 1500


def described_statuses() -> set[str]:
    """Return the statuses that the description of REST has; GraphQL's are among them."""
    paths = json.loads((Path(schema.__file__).parent / "openapi.json").read_text())["paths"]
    return {status for path in paths.values() for operation in path.values() for status in operation["responses"]}


def odd_request(made: random.Random) -> dict[str, Any]:
    def odd(n: int = 12) -> str:
        return "".join(made.choices(string.ascii_letters + string.digits + "-_.~%éß {}\"'\\", k=n))

    def odd_name() -> str:
        return "".join(made.choices(string.ascii_letters, k=8))

    kind = made.randrange(7)
    if kind == 0:
        return {"method": made.choice([*METHODS, odd_name().upper()]), "url": "/" + odd(20).replace("%", "")}
    if kind == 1:
        return {"method": odd_name().upper(), "url": made.choice(sorted(path for _, path in routes().routes))}
    if kind == 2:
        path = made.choice(sorted(path for method, path in routes().routes if method == "GET" and "{" in path))
        return {"method": "GET", "url": re.sub(r"{\w+}", odd_name(), path), "params": {odd_name(): odd()}}
    if kind == 3:
        body = {"query": f"query {odd_name()} {{ pipelines {{ name }} }}", "operationName": odd_name()}
    elif kind == 4:
        body = {"query": f"query {odd_name()} {{ {odd_name()}: __typename {odd_name()} }}"}
    elif kind == 5:
        body = {"query": f'query {odd_name()} {{ {odd_name()}: papers(collection: "{odd_name()}") {{ totalCount }} }}'}
    else:
        asked = {"query": odd(), "pipeline": odd_name(), "collection": odd_name()}
        body = {"query": SEARCH, "variables": {"input": asked}}
    return {"method": "POST", "url": "/graphql", "json": body, "headers": {"User-Agent": odd_name()}}


def closed_lists() -> Mapping[str, set[str]]:
    """Return what each label may say that requests come to; the others are told by code of ours alone."""
    lists: dict[str, set[str]] = {
        "backend": set(NAMES),
        "code": set(Code),
        "field": {*FIELDS, *INTROSPECTION},
        "method": {*METHODS, SOCKET, OTHER},
        "pipeline": {*shipped(), OTHER},
        "route": {path for _, path in routes().routes} | {OTHER},
        "state": {*JobState, *TaskState},
        "statement": {*cypher.names(), OTHER},
        "status": {*described_statuses(), *(str(status) for status in (101, 405, 499))},
        "step": set(steps()),
    }
    assert LABELS.keys() - lists.keys() == {
        *("kind", "outcome", "prompt", "python", "reason", "stage", "version"),
    }
    return lists


def map_of(told: Told) -> Iterator[tuple[str, Labels]]:
    for name, labels in told.series():
        yield name, dict(labels)


@pytest.mark.slow
def test_a_worker_tells_its_metrics_on_a_port_of_its_own(papergraph):
    port = free_port()
    with papergraph.started("worker", PAPERGRAPH_METRICS_ADDRESS=f"127.0.0.1:{port}") as worker:
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}")
        wait_until(lambda: worker.process.poll() is not None or answers(client), timeout_s=120)
        told = Told(client.get("/metrics").text)
        elsewhere = client.get("/metrics", headers={"Host": "rebound.example.org"})

    assert told.value("papergraph_build_info") == 1
    assert not [name for name, _ in map_of(told) if name == "papergraph_job_queue_up"]
    assert elsewhere.status_code == 400


async def test_a_port_that_others_reach_is_told_of_in_the_log_and_answers_to_any_name(caplog):
    port = free_port()
    settings = Settings(metrics={"address": f"0.0.0.0:{port}"})  # as in a compose file

    async with telling_metrics(settings), httpx.AsyncClient() as client:
        url = f"http://127.0.0.1:{port}/metrics"
        response = await client.get(url, headers={"Host": "server:9464"})
        with pytest.raises(InputError, match="Choose another with PAPERGRAPH_METRICS_ADDRESS"):
            async with telling_metrics(settings):
                pass

    assert Told(response.text).value("papergraph_build_info") == 1
    assert "no key is asked for" in caplog.text


async def test_without_the_setting_there_is_no_such_port(monkeypatch):
    monkeypatch.setattr("papergraph.server.process.uvicorn_server.uvicorn.Config", None)  # which a server would call

    async with telling_metrics(Settings()):
        pass


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/metrics").status_code == 200
    except httpx.TransportError:
        return False
