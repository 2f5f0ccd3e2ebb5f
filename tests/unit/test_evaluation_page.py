"""The page of a sweep: whole in itself, valid, and readable without colours or sight."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from evaluation import html_page
from evaluation.bootstrap import Interval
from evaluation.selection.comparison import Comparison, GapAt, Row, Sweep
from evaluation.selection.grid import Way
from evaluation.selection.html_report import page, write_page
from papergraph.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}


def rows(k: int) -> list[Row]:
    places = np.linspace(0.2, 0.8, 4)
    measures = {f"alpha-nDCG@{k}": Interval(0.5, 0.4, 0.6), f"subtopic-recall@{k}": Interval(0.7, 0.6, 0.8)}
    ways = [Way("top_k", None, 50), Way("exact", 0.5, 50), Way("mmr", 0.5, 50), Way("cpsat", 0.5, 50)]
    selected = [
        Row("a & b", k, measures, way, {}, float(place), 0.9 - float(place), 0.01, 0.5, {"p50": 1.0, "p95": 2.0})
        for way, place in zip(ways, places, strict=True)
    ]
    return [*selected, Row("fused", k, measures)]


@pytest.fixture(scope="module")
def swept() -> Sweep:
    every = [row for k in (5, 10) for row in rows(k)]
    settled = tuple(row for row in every if row.way == Way("exact", 0.5, 50))
    compared = [
        Comparison(row.candidates, row.k, f"alpha-nDCG@{row.k}", row.name, "top_k of 50", Interval(0.1, 0.05, 0.15))
        for row in settled
    ]
    gaps = [
        GapAt("a & b", k, Way(name, 0.5, 50), deadline, deadline, gap)
        for k in (5, 10)
        for name, deadline, gap in (("exact", 5.0, 0.01), ("exact", 10.0, 0.0), ("mmr", 1.0, 0.02))
    ]
    return Sweep(
        "<b>data</b>", "test", None, 60, 115, 60, "c*", tuple(every), settled, tuple(compared), tuple(gaps), ("noted",)
    )


@pytest.fixture(scope="module")
def html(swept: Sweep) -> str:
    return page(swept)


@pytest.fixture(scope="module")
def drawings(html: str) -> list[etree._Element]:
    return [etree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]


class Balanced(HTMLParser):
    """Ends with no tag open if every one was closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_nothing_is_fetched_and_no_script_runs(html: str):
    targets = re.findall(r'(?:href|src|action)="([^"]*)"|url\(([^)]*)\)', html)

    assert targets
    assert all((one or other).startswith("#") for one, other in targets)
    assert set(re.findall(r"https?://[^\"'< ]+", html)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "<script" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_tags_are_balanced_ids_are_unique_and_what_data_is_called_is_text(html: str):
    read = Balanced()
    read.feed(html)

    assert read.open == []
    assert len(set(read.ids)) == len(read.ids) > 20
    assert "b" not in read.tags
    assert "&lt;b&gt;data&lt;/b&gt;" in html
    assert {"main", "h1", "h2", "table", "caption", "figure", "figcaption", "svg"} <= read.tags
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')


def test_each_plot_has_a_title_for_those_who_do_not_see_it_and_labels_at_its_axes(drawings):
    assert len(drawings) == 2 * 4
    for svg in drawings:
        titles = {title.get("id"): title.text for title in svg.iter(f"{SVG}title")}
        assert svg.get("role") == "img"
        assert titles[svg.get("aria-labelledby")]
    texts = [" ".join(text.text or "" for text in svg.iter(f"{SVG}text")) for svg in drawings]
    for labels in (
        ("alpha-nDCG@5 by way of selecting", "mean and 95 % interval", "exact 0.5 of 50 (chosen)", "pipeline fused"),
        ("subtopic-recall@10", "way of selecting"),
        ("Relevance against redundancy", "mean cosine of the selection's pairs", "mean relevance", "top_k", "cpsat"),
        ("Gap against time", "time of a selection with its certificate, ms", "certified gap", "mmr"),
    ):
        assert any(all(label in text for label in labels) for text in texts), labels


def test_ways_differ_by_mark_and_not_by_colour_alone(drawings):
    trade = next(svg for svg in drawings if "redundancy" in " ".join(svg.itertext()))

    shapes = {use.get("d") for defs in trade.iter(f"{SVG}defs") for use in defs.iter(f"{SVG}path")}

    assert len(shapes) >= 4


def test_tables_tell_the_figures_and_which_was_chosen(html: str):
    assert "0.5000 (0.400 to 0.600)" in html
    assert '<tr class="settled"><th scope="row">exact 0.5 of 50 (chosen)</th>' in html
    assert "<td>+0.1000</td><td>+0.0500 to +0.1500</td><td>yes</td>" in html
    assert "Settings were chosen on 60 other queries (c*)." in html


def test_the_same_sweep_gives_the_same_page(swept: Sweep, html: str):
    assert page(swept) == html


def test_without_what_draws_the_message_says_how_to_get_it(swept: Sweep, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(html_page, "find_spec", lambda name: None)

    with pytest.raises(InputError, match="uv sync --inexact --extra plots"):
        write_page(swept, tmp_path / "page.html")


def test_a_page_that_cannot_be_written_is_told(swept: Sweep, tmp_path: Path):
    with pytest.raises(InputError, match="cannot write"):
        write_page(swept, tmp_path)
