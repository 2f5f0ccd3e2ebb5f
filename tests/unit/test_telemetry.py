"""What a process tells of itself, without any service."""

from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from papergraph.telemetry.metrics import LABELS, REGISTRY, LedgerGauges
from papergraph.telemetry.statements import size_of


def families() -> dict[str, Collector]:
    """Return all metrics of ours by name."""
    gauges = LedgerGauges()
    gauges.set([("queued", 1)], [("done", 2)])
    return {family.name: family for family in gauges.collect() if family.name.startswith("papergraph_")}


class TestMetrics:
    def test_every_label_says_which_closed_list_its_values_come_from(self):
        used = {name for metric in REGISTRY._collector_to_names for name in getattr(metric, "_labelnames", ())}

        assert used | {"state"} == LABELS.keys()

    def test_every_metric_says_what_it_is(self):
        assert all(family.documentation for family in families().values())

    def test_what_is_told_can_be_read_by_prometheus(self):
        gauges = LedgerGauges()
        gauges.set([("queued", 1)], [("done", 2)])

        told = {family.name: family for family in text_string_to_metric_families(generate_latest(gauges).decode())}

        assert told.keys() >= families().keys() - {"papergraph_http_requests"}
        assert [(one.labels, one.value) for one in told["papergraph_tasks"].samples] == [({"state": "done"}, 2.0)]

    def test_a_ledger_that_cannot_be_read_is_left_out(self):
        gauges = LedgerGauges()
        gauges.set([("queued", 1)], [("done", 2)])

        gauges.clear()

        told = {family.name: family.samples for family in gauges.collect() if family.name.startswith("papergraph_")}
        assert (told["papergraph_jobs"], told["papergraph_tasks"]) == ([], [])
        assert told["papergraph_job_queue_up"][0].value == 0


class TestSlowQueries:
    def test_a_parameter_is_told_by_its_size_and_never_by_what_it_says(self):
        secret = "the text of a document"

        sizes = [size_of(value) for value in (secret, [secret], {secret: secret}, 7, 0.5, True, None)]

        assert sizes == ["text of 22", "list of 1", "map of 1", "int", "float", "bool", "null"]
