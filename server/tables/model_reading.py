"""Cells by a language model: a value whose quotes stand in the paper, as the verifier of answers finds them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from papergraph.errors import InputError
from papergraph.language_model import Budget, LanguageModel, Options, Prompt
from papergraph.language_model.prompts import fenced
from papergraph.server.answers.quotes import places_of_words
from papergraph.server.tables.column import CellQuote, CellState, Column, Finding
from papergraph.server.tables.column_types import type_of
from papergraph.server.tables.column_types.number import amounts_in
from papergraph.server.tables.evidence import MOST_QUOTES, PaperText, Piece
from papergraph.server.tables.reading import find_evidence, quote_of, read_of

PROMPTS = Path(__file__).parent / "prompts"
MOST_PIECES, MOST_CHARS, MOST_TOKENS = 40, 12_000, 600
"""Sentences and rows that the model reads, their characters, and tokens of its answer."""


class CellAnswer(BaseModel):
    """Answer of the model."""

    state: Literal["value", "not_reported"]
    value: str = Field(max_length=2000)
    quotes: list[str] = Field(max_length=10)


def cell_prompt(model: LanguageModel) -> Prompt:
    """Return the prompt of a cell."""
    return model.prompt("cell", frozenset({"passages", "question", "form"}), folder=PROMPTS)


def maker_of(model: LanguageModel) -> str:
    """Return the maker of a model's cells: its name and the checksum of the prompt."""
    return f"{model.name}, prompt {cell_prompt(model).version[:12]}"


async def ask_cell(model: LanguageModel, budget: Budget | None, column: Column, paper: PaperText) -> Finding:
    """Return what a model reads for a column in the best sentences and rows of a paper.

    A value without a quote that stands in them, of another form, or a number that is in no quote, is unchecked.

    Raises:
        LanguageModelError: The model failed, or the budget is spent.
    """
    if not paper.pieces:
        return Finding(state=CellState.UNCHECKED, note="the paper has no text that can be quoted")
    evidence = find_evidence(column, paper)
    pieces = _readable([one.piece for one in evidence.weighed])
    values = {
        "passages": fenced("\n".join(_shown(one) for one in pieces)),
        "question": fenced(_question(column)),
        "form": _form(column),
    }
    reply = await model.answer_json(
        cell_prompt(model), values, answer=CellAnswer, options=Options(max_tokens=MOST_TOKENS), budget=budget
    )
    read, answer = read_of(evidence), reply.value
    if answer.state == "not_reported":
        return Finding(state=CellState.NOT_REPORTED, read=read)
    quotes = [quote for words in answer.quotes if (quote := _found(words, pieces)) is not None][:MOST_QUOTES]
    if not quotes:
        return Finding(state=CellState.UNCHECKED, read=read, note="the model gave no quote that is in the paper")
    try:
        value = type_of(column).check(column, answer.value)
    except InputError as error:
        return Finding(state=CellState.UNCHECKED, read=read, note=str(error)[:500])
    finding = Finding(state=CellState.VALUE, value=value, quotes=tuple(quotes), read=read)
    return _with_number(finding) if column.type == "number" else finding


def _with_number(finding: Finding) -> Finding:
    """Return a number with its parts, unchecked if it is in no quote."""
    amount = next(amounts_in(finding.value))
    quoted = [one for quote in finding.quotes for one in amounts_in(quote.text) if one.value == amount.value]
    if not quoted:
        return Finding(state=CellState.UNCHECKED, read=finding.read, note="no quote has the number of the model")
    low, high = (amount.low, amount.high) if amount.low is not None else (quoted[0].low, quoted[0].high)
    return replace(finding, number=amount.value, low=low, high=high, unit=amount.unit or quoted[0].unit)


def _readable(ranked: Sequence[Piece]) -> list[Piece]:
    """Return the best pieces in the order of the paper, as many as the model may read."""
    chosen: list[Piece] = []
    n_chars = 0
    for piece in ranked[:MOST_PIECES]:
        n_chars += len(piece.text)
        if n_chars <= MOST_CHARS:
            chosen.append(piece)
    return sorted(chosen, key=lambda piece: piece.passage.start + piece.start)


def _shown(piece: Piece) -> str:
    """Return a sentence, or a row of a table below the names of its columns."""
    return f"[{' | '.join(piece.head)}]\n{piece.text}" if piece.is_row else piece.text


def _found(words: str, pieces: Sequence[Piece]) -> CellQuote | None:
    """Return a quote with its place in a piece, ignoring differences of typesetting; None if no piece has it."""
    for piece in pieces:
        if places := places_of_words([words], piece.text):
            start, end = places[0]
            return quote_of(replace(piece, start=piece.start + start, end=piece.start + end))
    return None


def _question(column: Column) -> str:
    groups = f" Intervention: {column.intervention}. Comparator: {column.comparator}." if column.intervention else ""
    return f"{column.question}{groups}"


def _form(column: Column) -> str:
    about = type_of(column).about
    unit = f" Unit: {column.unit}." if column.unit else ""
    choices = f" Choose one of: {'; '.join(one.partition(':')[0] for one in column.choices)}." if column.choices else ""
    return f"{about}{unit}{choices}"
