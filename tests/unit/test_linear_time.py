"""Text of strangers is read in linear time: twice the text may take twice the time, not four times."""

import time
from collections.abc import Callable

import pytest

from papergraph.ingest.parsers.common.markdown import captions, displayed_equations
from papergraph.ingest.sources.tex import without_comments

BOMBS: dict[str, tuple[Callable[[str], object], str, str]] = {
    "iffalse": (without_comments, "\\iffalse ", ""),
    "verbatim": (without_comments, "\\begin{verbatim}", ""),
    "lstlisting": (without_comments, "\\begin{lstlisting}", ""),
    "comment": (without_comments, "\\begin{comment}", ""),
    "verb": (without_comments, "\\verb|\\verb!x", ""),
    "blanks of a paragraph": (lambda text: list(captions(text)), " ", "b\n\n"),
    "blanks behind an equation": (lambda text: list(displayed_equations(f"$$x$$ {text}y")), " ", "z"),
}


@pytest.mark.parametrize(("scan", "piece", "end"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_takes_linear_time(scan, piece, end):
    start = time.perf_counter()
    scan(piece * (800_000 // len(piece)) + end)

    assert time.perf_counter() - start < 20  # half an hour with backtracking


def test_each_verb_with_a_delimiter_that_does_not_come_again_takes_linear_time():
    text = "".join(f"\\verb{chr(0xF0000 + number)}" for number in range(60_000))  # no letters

    assert without_comments(f"{text}%gone") == text
