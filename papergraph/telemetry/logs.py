"""Log of a process, and the record of the request that is being answered."""

import json
import logging
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

from papergraph.errors import (
    AccessError,
    BudgetSpentError,
    DatabaseUnavailableError,
    DeadlineError,
    EmbeddingError,
    GraphDataScienceMissingError,
    LocalNeo4jError,
    ModelDeadlineError,
    PapergraphError,
    SchemaError,
    UnavailableError,
    UnknownOutcomeError,
)

# The request that the present task works for, and what it came to: any layer may note there, and the log tells it


@dataclass
class Request:
    """Measurements of a request until now.

    Attributes:
        id: Id in the log, in errors and in the answer.
        n_queries: Number of statements and transactions sent to Neo4j.
        cost: Its cost, or None.
        key_id: Public part of its key, or None.
    """

    id: str
    n_queries: int = 0
    cost: int | None = None
    key_id: str | None = None

    def charge(self, cost: int) -> None:
        """Note what it was charged."""
        self.cost = cost + (self.cost or 0)


_current: ContextVar[Request | None] = ContextVar("request", default=None)


def current() -> Request | None:
    """Return the request that this task, or one that started it, works for."""
    return _current.get()


@contextmanager
def began(id: str) -> Iterator[Request]:
    """Work for a request from here on."""
    request = Request(id)
    token = _current.set(request)
    try:
        yield request
    finally:
        _current.reset(token)


# The log of a server or worker: a line for each record, as text or JSON, with its request's id and without secrets.
#
# Ours tell what happened by names, numbers and ids, in fields of their own. The words of an error that is not ours may
# hold anything, so they are left out unless the log is at ``debug``.


Form = Literal["text", "json"]

OURS = "papergraph"
"""Package whose loggers follow the configured level; others log warnings and errors."""

USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every record; the others are fields."""

MOST_ERRORS = 5
"""Most errors of a chain of causes in a line."""

SHORTEST_SECRET = 6
"""Shortest secret that is masked, in characters; shorter ones may be ordinary words."""

SECRETS = (
    (("pg_",), re.compile(r"\b(pg_[a-z0-9]{8}_)[A-Za-z0-9_-]{16,}")),
    (("bearer",), re.compile(r"(?i)\b(bearer\s+)(?!pg_)[A-Za-z0-9._~+/=-]{12,}")),
    (("basic",), re.compile(r"(?i)\b(authorization[\"']?\s*[=:]\s*[\"']?basic\s+)[^\s\"',]{6,}")),
    (("://",), re.compile(r"\b([a-z][a-z0-9+.-]*://[^\s/@:\"']*:)[^\s/\"']+(?=@)")),
    (
        ("api", "password", "secret", "token"),
        re.compile(r"(?i)\b((?:api[_-]?key|password|secret|token)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&}]{4,}"),
    ),
)
"""Keys of ours, headers, passwords in addresses, and what is called a key or password; each with words that hint at it.

Nearly every line has none of these, and looking for words takes a tenth of the time.
"""


@contextmanager
def logging_to(
    stream: TextIO | None = None, *, form: Form | None = None, level: str = "info", secrets: Sequence[str] = ()
) -> Iterator[None]:
    """Write the log of this process while the context is open.

    Args:
        stream: Destination; standard error by default.
        form: Format; by default text in a terminal, else JSON.
        level: Lowest level of our own loggers.
        secrets: Texts to mask, in addition to texts that look like secrets.
    """
    stream = stream or sys.stderr
    form = form or ("text" if stream.isatty() else "json")
    handler = logging.StreamHandler(stream)
    handler.setFormatter((JsonLines if form == "json" else TextLines)(secrets, whole_errors=level == "debug"))
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    before = ours.level
    root.addHandler(handler)
    ours.setLevel(level.upper())
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(before)


def redacted(text: str, secrets: Sequence[str] = ()) -> str:
    """Return a text with ``***`` for what looks like a secret, and for these ``secrets``."""
    for secret in secrets:
        text = text.replace(secret, "***")
    lower = text.lower()
    for hints, form in SECRETS:
        if any(hint in lower for hint in hints):
            text = form.sub(r"\1***", text)
    return text


class Lines(logging.Formatter):
    """Writes a record as one line."""

    def __init__(self, secrets: Sequence[str] = (), *, whole_errors: bool = False) -> None:
        super().__init__()
        self._secrets = [secret for secret in secrets if len(secret) >= SHORTEST_SECRET]
        self._whole_errors = whole_errors

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields = {name: value for name, value in vars(record).items() if name not in USUAL and value is not None}
        request = current()
        if request is not None:
            fields = {"request_id": request.id, **fields}
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            fields["error"] = self._told(error)
        return redacted(self._line(record, fields), self._secrets)

    def _line(self, record: logging.LogRecord, fields: dict[str, Any]) -> str:
        raise NotImplementedError

    def _told(self, error: BaseException) -> str:
        if self._whole_errors:
            return "".join(traceback.format_exception(error)).rstrip()
        return told(error)


class JsonLines(Lines):
    """A JSON object for each record."""

    def _line(self, record: logging.LogRecord, fields: dict[str, Any]) -> str:
        whole = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        return json.dumps(whole, ensure_ascii=False, default=str)


class TextLines(Lines):
    """Time, level, logger and message, then the fields; for people."""

    def _line(self, record: logging.LogRecord, fields: dict[str, Any]) -> str:
        error = fields.pop("error", None)
        shown = " ".join(f"{name}={value}" for name, value in fields.items())
        line = f"{_time(record)} {record.levelname:<7} {record.name}  {record.getMessage()}  {shown}"
        one_line = " ".join(line.split("\n")).replace("\r", " ").rstrip()
        return one_line if error is None else f"{one_line}\n{error}"


def told(error: BaseException) -> str:
    """Return where an error and those behind it came from, frame by frame, and what they say where they are ours."""
    lines: list[str] = []
    at: BaseException | None = error
    while at is not None and len(lines) < MOST_ERRORS:
        frames = traceback.extract_tb(at.__traceback__)
        places = " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        lines.append(f"{summary(at)}" + (f" at {places}" if places else ""))
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return "; because of ".join(lines)


SPEAKING = (
    *(AccessError, BudgetSpentError, DatabaseUnavailableError, DeadlineError, EmbeddingError),
    *(GraphDataScienceMissingError, LocalNeo4jError, ModelDeadlineError, SchemaError, UnavailableError),
    UnknownOutcomeError,
)
"""Errors of ours whose words hold names, numbers and addresses only."""

POINTING = ("query", "status", "what", "fault", "reason", "field")
"""Attributes of the others that say no more."""


def summary(error: BaseException) -> str:
    """Return what an error is without what it may quote: somebody's question, a document, an answer, a parameter."""
    name = type(error).__name__
    if isinstance(error, SPEAKING):
        return f"{name}: {error}"
    if not isinstance(error, PapergraphError):
        return name
    return ", ".join([name, *(str(value) for at in POINTING if (value := getattr(error, at, None)))])


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
