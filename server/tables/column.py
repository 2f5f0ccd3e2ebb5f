"""Columns and cells of evidence tables, as they are asked for, stored and shown."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from papergraph.records import Id, Record, described
from papergraph.requests import request
from papergraph.schema.ids import sha256

MOST_COLUMNS, MOST_WORDS = 50, 20
VERSION = "rules 3"
"""Maker of cells by rules; a change of the rules that changes cells changes it, and all are computed again."""
PERSON = "person"
_HOW_MANY = re.compile(r"\Ahow (?:many|much)\b\s{0,3}", re.IGNORECASE)

Name = Annotated[str, described("Name of the column, unique in its table.", min_length=1, max_length=80)]


class AnsweredBy(StrEnum):
    """What fills a column: rules, a language model, or only people."""

    RULES = "rules"
    MODEL = "model"
    PERSON = "person"


class CellState(StrEnum):
    """State of a cell; unchecked: the paper has no text, or a person rejected its value."""

    VALUE = "value"
    NOT_REPORTED = "not_reported"
    CONTRADICTS = "contradicts"
    UNCHECKED = "unchecked"


@request(kw_only=True)
class Column:
    """Column of an evidence table."""

    name: Name
    question: Annotated[str, described("Question to each paper.", min_length=1, max_length=500)]
    type: Annotated[str, described("Type: text, number, yes-no, choice or direction.", max_length=40)] = "text"
    words: Annotated[
        tuple[Annotated[str, described("A phrase.", min_length=1, max_length=200)], ...],
        described("Phrases to look for, of which one is enough; default: the words of the question.", max_length=20),
    ] = ()
    choices: Annotated[
        tuple[Annotated[str, described("A choice.", min_length=1, max_length=200)], ...],
        described("Choices of the type choice, each with its synonyms as: name: word, word.", max_length=50),
    ] = ()
    unit: Annotated[str, described("Unit of a number, such as mg, % or patients.", max_length=40)] = ""
    intervention: Annotated[str, described("Of a direction: the group or condition compared.", max_length=300)] = ""
    comparator: Annotated[str, described("Of a direction: what it is compared with.", max_length=300)] = ""
    answered_by: Annotated[AnsweredBy, described("What fills the column: rules, model or person.")] = AnsweredBy.RULES

    @property
    def phrases(self) -> tuple[str, ...]:
        """Phrases of which one must be found: its words, or the question without "how many"."""
        return self.words or (_HOW_MANY.sub("", self.question) or self.question,)

    @property
    def hash(self) -> str:
        """sha-256 hex over all that changes its cells; the name does not."""
        values = (self.question, self.type, self.unit, self.intervention, self.comparator, self.answered_by.value)
        return sha256("column", *values, *self.words, "|", *self.choices)


@dataclass(frozen=True)
class CellQuote(Record):
    """Quote of a paper that proves a cell."""

    text: Annotated[str, described("Words of the paper, letter by letter.")]
    section: Annotated[str, described("Headings above the words.")]
    page: Annotated[int | None, described("Page, from 1, if there are pages.")]
    start_char: Annotated[int, described("First character in the source text.")]
    end_char: Annotated[int, described("Character after the last one.")]
    chunk_id: Annotated[Id, described("Id of the chunk that has the words.")]
    kind: Annotated[str, described("table, caption, equation, or the kind of the section.")]
    head: Annotated[tuple[str, ...], described("Names of the table's columns, for a row of a table.")] = ()
    boxes: Annotated[
        tuple[tuple[float, ...], ...],
        described("Rectangles on the pages: page, left, upper, right and lower edge, as shares of the page."),
    ] = ()


@dataclass(frozen=True)
class Read(Record):
    """What was read of a paper for a cell."""

    n_passages: Annotated[int, described("Number of passages that were read.")]
    best_score: Annotated[float, described("Score of the best sentence, at least 0.")]
    coverage: Annotated[float, described("Share of the words' weight in or around it, in [0, 1].")]
    words: Annotated[tuple[str, ...], described("Words that were looked for.")]
    missing: Annotated[tuple[str, ...], described("Those that the paper lacks.")]


@dataclass(frozen=True, kw_only=True)
class Finding(Record):
    """Value of a cell by rules, a model or a person."""

    state: Annotated[CellState, described("State of the cell.")]
    value: Annotated[str, described("Value as text; empty unless there is one.")] = ""
    number: Annotated[float | None, described("Value of a number.")] = None
    low: Annotated[float | None, described("Lower end of its interval.")] = None
    high: Annotated[float | None, described("Upper end of its interval.")] = None
    unit: Annotated[str, described("Unit of a number, as the paper writes it.")] = ""
    quotes: Annotated[tuple[CellQuote, ...], described("1 to 3 quotes of a value.")] = ()
    read: Annotated[Read | None, described("What was read; null for a person's value.")] = None
    note: Annotated[str, described("Remark, such as the reason why a cell is unchecked.")] = ""


@dataclass(frozen=True, kw_only=True)
class StoredFinding(Finding):
    """Finding as it is stored."""

    id: Annotated[Id, described("Id of the finding.")]
    maker: Annotated[str, described("Rules with version, model with prompt, or person.")]
    author: Annotated[str | None, described("Name of the key of the person, if any.")]
    by_person: Annotated[bool, described("True if a person set it.")]
    made_at: Annotated[datetime, described("Time when it was made.")]
    content_hash: Annotated[str, described("sha-256 hex of the text that was read.")]
    column_hash: Annotated[str, described("sha-256 hex of the column that was answered.")]
