"""Cells by rules: what a paper says for a column, with its quotes, or that it does not report it."""

from papergraph.server.tables.column import CellQuote, CellState, Column, Finding, Read
from papergraph.server.tables.column_types import type_of
from papergraph.server.tables.evidence import Evidence, PaperText, Piece, Wanted

LEAST_COVERAGE = 0.45
"""Share of the looked-for words' weight in or around the best sentence, below which a paper does not report a column.
Chosen on half of the trial papers of ``evaluation.tables``."""


def read_cell(column: Column, paper: PaperText) -> Finding:
    """Return what a paper says for a column, by rules.

    Raises:
        InputError: The type of the column is unknown.
    """
    if not paper.pieces:
        return Finding(state=CellState.UNCHECKED, note="the paper has no text that can be quoted")
    evidence = find_evidence(column, paper)
    read = read_of(evidence)
    reading = type_of(column).read(column, evidence) if evidence.coverage >= LEAST_COVERAGE else None
    if reading is None:
        return Finding(state=CellState.NOT_REPORTED, read=read)
    return Finding(
        state=reading.state,
        value=reading.value,
        number=reading.number,
        low=reading.low,
        high=reading.high,
        unit=reading.unit,
        quotes=tuple(quote_of(one.piece) for one in reading.quotes),
        read=read,
    )


def find_evidence(column: Column, paper: PaperText) -> Evidence:
    """Return the pieces of a paper, ranked for a column."""
    names = " ".join((column.intervention, column.comparator, column.question if column.words else ""))
    return paper.find(Wanted(column.phrases, names, type_of(column).wants_result))


def read_of(evidence: Evidence) -> Read:
    """Return what was read for a cell."""
    return Read(
        evidence.n_passages, round(evidence.best, 3), round(evidence.coverage, 3), evidence.words, evidence.missing
    )


def quote_of(piece: Piece) -> CellQuote:
    """Return a piece as a quote, without its place on the pages."""
    passage = piece.passage
    start = passage.start + piece.start
    return CellQuote(
        piece.text,
        passage.section,
        passage.page_of(start),
        start,
        start + len(piece.text),
        passage.id,
        passage.kind,
        piece.head,
    )
