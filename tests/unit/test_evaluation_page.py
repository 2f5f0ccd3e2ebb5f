"""Pages of evaluations: valid, self-contained, and readable without colours or sight."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from papergraph.errors import InputError
from papergraph.evaluation.report import Figure, Part, Plot, Report, figure_plots, figure_table, write_page
from papergraph.evaluation.selection_sweep import Comparison, GapAt, Row, Sweep, Way
from papergraph.evaluation.statistics import Interval

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "br"}
FIGURES = {
    "first": {"F1": Figure(0.5, 0.4, 0.6, None, 9), "relevance": Figure(50.0, 40.0, 60.0)},
    "other": {"F1": Figure(0.6, 0.5, 0.7, Interval(0.1, 0.05, 0.15), 8, 7)},
}


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
    return swept.report().as_html()


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
    assert re.findall(r'(?:href|src|action)="([^"]*)"|url\(([^)]*)\)|https?://', html) == []
    assert "<script" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_tags_are_balanced_ids_are_unique_and_what_data_is_called_is_text(html: str):
    read = Balanced()
    read.feed(html)

    assert read.open == []
    assert len(set(read.ids)) == len(read.ids) == 4
    assert "b" not in read.tags
    assert "&lt;b&gt;data&lt;/b&gt;" in html
    assert {"main", "h1", "h2", "table", "caption", "figure", "figcaption", "svg"} <= read.tags
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')


def test_each_plot_has_a_title_for_screen_readers_and_the_names_of_its_rows(drawings):
    assert len(drawings) == 2 * 2
    for svg in drawings:
        titles = {title.get("id"): title.text for title in svg.iter("title")}
        assert svg.get("role") == "img"
        assert titles[svg.get("aria-labelledby")]
        texts = [text.text for text in svg.iter("text")]
        assert {"exact 0.5 of 50", "mmr 0.5 of 50", "top_k of 50", "pipeline fused"} <= set(texts)


def test_tables_show_the_figures_and_the_chosen_rows(html: str):
    assert "0.5000 [0.400, 0.600]" in html
    assert '<tr class="marked"><th scope="row">exact 0.5 of 50 (chosen)</th>' in html
    assert "<td>+0.1000 [+0.050, +0.150]</td><td>yes</td>" in html
    assert "<td>10</td><td>10.00</td><td>0.000000</td>" in html
    assert "Settings were chosen on 60 other queries (c*)." in html


def test_equal_sweeps_give_equal_pages(swept: Sweep, html: str):
    assert swept.report().as_html() == html


def test_text_and_page_show_the_same_table():
    table = figure_table("Answers", FIGURES, p_values={"F1": {"other": 0.01}}, wide=("relevance",))
    report = Report("Two readers", ["noted"], [Part("Answers", tables=[table], plots=figure_plots(FIGURES))])

    assert table.head == ["measure", "system", "n", "mean", "95 % interval", "difference to first", "p", "p < 0.05"]
    assert table.rows[1][2:] == ["8", "0.6000", "[0.500, 0.700]", "+0.1000 [+0.050, +0.150] of 7", "0.0100", "yes"]
    assert table.rows[2][2:5] == ["", "50.00", "[40.0, 60.0]"]
    for told in (report.as_text(), report.as_html()):
        assert all(cell in told for row in table.rows for cell in row)


def test_a_plot_of_equal_values_is_drawn():
    page = Report("One", (), [Part(plots=[Plot("F1", {"a": Interval(1.0, 1.0, 1.0)}), Plot("none", {})])]).as_html()

    assert page.count("<circle") == 1


def test_a_page_that_cannot_be_written_is_an_error(swept: Sweep, tmp_path: Path):
    with pytest.raises(InputError, match="cannot write"):
        write_page(swept, tmp_path)
