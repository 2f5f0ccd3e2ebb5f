"""Labels of axes are told from rows of numbers, and stay out of the text of a PDF."""

import pytest

from ingest.parsers.pdf.axes import is_axis
from ingest.parsers.pdf.reading import read_pdf
from ingest.parsers.sandbox.limits import SandboxLimits
from tests.support.typeset import pdf, prose


@pytest.mark.parametrize(
    "lines",
    [
        ["450", "400", "350"],
        ["0 5 10 15 20"],
        ["0.2 0.2 0.2 0.2"],
        ["−1.0 −0.5 0.0 0.5"],
        ["1 2 3", "0.8 0.8 0.8"],
    ],
)
def test_numbers_at_equal_steps_are_an_axis(lines):
    assert is_axis(lines)


@pytest.mark.parametrize("lines", [["0.71 0.64 0.93"], ["1998 2004"], ["1 2 3 apples"], ["4", "8 9"], []])
def test_other_numbers_are_none(lines):
    assert not is_axis(lines)


def test_ticks_of_a_figure_stay_out_of_the_text_and_numbers_of_the_text_stay_in():
    figure = "#block(height: 3em, text(size: 7pt)[#grid(columns: 5, gutter: 4em, [100], [150], [200], [250], [300])])"
    data = pdf(f"= Introduction\n{prose(300)}\n\n{figure}\n\nThere are 100 150 and 200 of them. {prose(200)}")

    reading = read_pdf(data, SandboxLimits())

    assert "250" not in reading.text
    assert "There are 100 150 and 200 of them." in reading.text
    assert reading.n_body_chars <= len("".join(reading.text.split()))
