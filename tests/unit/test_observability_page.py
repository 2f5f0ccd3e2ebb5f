"""docs/observability.md, the dashboard and the settings say what there is, and nothing that there is not."""

import json
import re
from pathlib import Path

import yaml

from papergraph.settings import known_settings
from papergraph.telemetry import tracing
from papergraph.telemetry.metrics import LABELS, REGISTRY, LedgerGauges

PAGE = Path("docs/observability.md").read_text(encoding="utf-8")
BOARD = Path("docker/grafana/papergraph.json")
ROW = re.compile(r"^\| `(papergraph_\w+)` \| (\w+ \| [^|]*?) \|", re.MULTILINE)
METRIC = re.compile(r"\bpapergraph_\w+")
PARTS = ("_bucket", "_sum", "_count")


def rows_of_metrics() -> dict[str, str]:
    """Return type and labels of each metric, by name."""
    rows = {}
    for registry in (REGISTRY, LedgerGauges()._registry):
        for metric in registry._collector_to_names:
            if name := getattr(metric, "_name", ""):
                labels = ", ".join(f"`{label}`" for label in metric._labelnames)
                ending = "_total" if metric._type == "counter" else ""
                rows[name + ending] = f"{metric._type} | {labels}"
    return rows


def test_the_page_has_a_row_for_each_metric_and_each_label_and_no_other():
    of_metrics, _, _ = PAGE.partition("## The log")

    assert dict(ROW.findall(of_metrics)) == rows_of_metrics()
    assert set(re.findall(r"^\| `(\w+)` \| [^|]+ \|$", of_metrics, re.MULTILINE)) == set(LABELS)


def test_the_board_and_the_examples_ask_for_metrics_that_there_are():
    board = json.loads(BOARD.read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    known = rows_of_metrics()
    histograms = {name for name, row in known.items() if row.startswith("histogram")}
    there = (known.keys() - histograms) | {name + part for name in histograms for part in PARTS}

    promql = "".join(re.findall(r"```promql\n(.*?)```", PAGE, re.DOTALL))
    assert set(METRIC.findall(promql)) <= there
    on_the_board = set(METRIC.findall("\n".join(asked)))
    assert on_the_board <= there
    shown = {name for name in known if name in on_the_board or {name + part for part in PARTS} & on_the_board}
    assert known.keys() - shown == set()


def test_the_panels_of_the_board_stand_beside_each_other():
    panels = json.loads(BOARD.read_text(encoding="utf-8"))["panels"]
    taken: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in panels):
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken and max(x for x, _ in cells) < 24
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_prometheus_asks_the_services_of_the_compose_file():
    (job,) = yaml.safe_load(Path("docker/prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]

    assert [target for group in job["static_configs"] for target in group["targets"]] == ["server:9464"]
    assert [name for group in job["dns_sd_configs"] for name in group["names"]] == ["worker"]


def test_the_page_tells_of_each_setting_and_each_attribute_of_spans():
    settings = [one.variable for one in known_settings() if one.path[0] in ("log", "metrics", "otel")]
    attributes = [
        *(tracing.METHOD, tracing.ROUTE, tracing.STATUS, tracing.REQUEST, tracing.FIELDS, tracing.JOB, tracing.TASK),
        *(tracing.STATEMENT, tracing.ROWS, *tracing.DATABASE, *tracing.CHAT, tracing.MODEL, tracing.INPUT_TOKENS),
        tracing.ERROR,
    ]

    assert len(settings) == 5
    assert all(name in PAGE for name in settings)
    assert all(name in PAGE for name in attributes)
