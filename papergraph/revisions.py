"""Revisions of papers: every transaction that changes a paper's data gives it a new revision.

A backup reads only papers with a new revision. The header of a file in ``cypher/`` names the changed papers under
``Revises``. A writing file without that line counts as changing all papers, as does a statement outside a file.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import papergraph.neo4j_import  # noqa: F401 - before the driver

# isort: split
from neo4j import AsyncTransaction, Query, Record

from papergraph.statement import Revises, Statement

WRITES = re.compile(
    r"\b(?:SET|CREATE|MERGE|DELETE|REMOVE|INSERT)\b|\bdb\s*\.\s*create\s*\."
    r"|\bCALL\s+(?!(?:db|dbms|tx)\s*\.)[\w`]+\s*\.",
    re.IGNORECASE,
)
"""Words of statements that change nodes or relationships, and procedures of plug-ins such as ``gds.pageRank.write``.
Some reading statements match too.
"""

OF_SCHEMA = re.compile(
    r"\s*(?:CYPHER \d+\s+)?(?:CREATE|DROP)\s+(?:\w+\s+)?(?:INDEX|CONSTRAINT)\b(?!\s*=)", re.IGNORECASE
)
"""Beginning of a statement that creates or drops a constraint or an index; papers stay unchanged."""

ALL = Revises(
    Statement(
        "revise all papers", "CYPHER 25\nMERGE (whole:SchemaVersion {id: 'revision'})\nSET whole.touched = randomUUID()"
    )
)
"""New revision of all papers, as read by ``archive/paper_ids``."""

UNSETTLE = Statement(
    "unsettle revisions",
    """CYPHER 25
MERGE (whole:SchemaVersion {id: 'revision'})
SET whole.touched = randomUUID()
WITH whole
WITH whole, [one IN coalesce(whole.waiting, []) WHERE split(one, ' ')[1] <> $token]
       + (toString(datetime() + duration({seconds: $within_s})) + ' ' + $token + ' ' + toString(datetime())) AS waiting
SET whole.waiting = [one IN waiting WHERE datetime(split(one, ' ')[0]) > datetime()]""",
)
"""Gives all papers another revision, and none for so many seconds, or until it runs with the same token and 0."""

UNSETTLED = Statement(
    "unsettled revisions",
    """CYPHER 25
MATCH (whole:SchemaVersion {id: 'revision'})
UNWIND coalesce(whole.waiting, []) AS one
WITH split(one, ' ') AS said
WHERE datetime(said[0]) > datetime() AND datetime(said[2]) + duration({seconds: $within_s}) < datetime()
RETURN said[1] AS token""",
)
"""Tokens with which papers have no revision since more than so many seconds."""

MARK = "unsettled"
"""Key of the token in a transaction's metadata; papers with this token have no revision meanwhile."""

RUNNING = Statement(
    "running unsettled statements",
    f"CYPHER 25 SHOW TRANSACTIONS YIELD metaData WHERE metaData.{MARK} IS NOT NULL RETURN metaData.{MARK} AS token",
)

SENT_WITHIN_S = 60.0
"""Longest delay in seconds between `UNSETTLE` and the statement itself."""

UNTIL_ENDED_S = 60.0
"""Seconds after a statement's timeout until it has certainly ended; Neo4j checks every few seconds."""

BATCHED = "IN TRANSACTIONS"
"""Clause of a statement with several transactions, which cannot be nested."""

KINDS = ("papers", "chunks", "questions")
"""Kinds of ids in a header: of papers, or of their chunks or questions."""


def may_write(text: str) -> bool:
    """Say whether a statement may change nodes or relationships, other than of indexes and constraints."""
    return WRITES.search(text) is not None and OF_SCHEMA.match(text) is None


def revised_by(statement: Statement) -> Revises | None:
    """Return the papers that get a revision with a statement; None if it changes none or sets revisions itself."""
    if statement.is_file or statement.revises is not None:
        return statement.revises
    return ALL if may_write(statement.text) else None


class Revisions:
    """The revisions that one transaction gives."""

    def __init__(self, run: Callable[..., Awaitable[object]]) -> None:
        """Begin with none.

        Args:
            run: Runs a statement with its parameters in the transaction.
        """
        self._run = run
        self._given: dict[str, set[str]] = defaultdict(set)
        self._papers: Statement | None = None
        self._all: Statement | None = None

    async def before(self, statement: Statement, parameters: Mapping[str, Any]) -> None:
        """Give those papers a revision that a statement is about to change: their chunks may be gone afterwards.

        This takes the papers' write locks. What a transaction then reads of their relationships to other papers stays
        as it is until the transaction ends.
        """
        revises = revised_by(statement)
        if revises is None:
            return
        if not revises.paths:
            self._all = revises.setting
            return
        self._papers = revises.setting
        new = {kind: sorted(set(_ids(parameters, revises.paths, kind)) - self._given[kind]) for kind in KINDS}
        if any(new.values()):
            await self._run(revises.setting, **new)
        for kind, ids in new.items():
            self._given[kind].update(ids)

    async def at_the_end(self) -> None:
        """Give a revision to new papers, or to all if the changed ones are unknown."""
        if self._papers is not None and any(self._given.values()):
            await self._run(self._papers, **{kind: sorted(self._given[kind]) for kind in KINDS})
        if self._all is not None:
            await self._run(self._all)


async def run_revising(
    transaction: AsyncTransaction, statement: Statement, parameters: Mapping[str, Any]
) -> list[Record]:
    """Run a statement with all revisions that come with it, and return its records."""

    async def revise(setting: Statement, **ids: Any) -> None:
        await (await transaction.run(setting.text, ids)).consume()

    revisions = Revisions(revise)
    await revisions.before(statement, parameters)
    result = await transaction.run(statement.sent, dict(parameters))
    answered = [record async for record in result]
    await revisions.at_the_end()
    return answered


Sent = tuple[Query, Mapping[str, Any]]
"""A query with its parameters."""


def unsettled(text: str, parameters: Mapping[str, Any], *, limit_s: float) -> tuple[Sent, Sent, Sent]:
    """Return what is sent, one after the other, so that no paper has a revision while a statement runs.

    Where one of them fails or is cut off, those after it are not sent: more of the statement may be committed. Then no
    paper has a revision until the server has certainly ended it, or :func:`settle_ended` sees that it has.

    Args:
        text: The statement, which is the second that is sent.
        parameters: Its values.
        limit_s: How long the server lets it run at most, in seconds.
    """
    token = uuid4().hex
    before, after = ({"token": token, "within_s": within_s} for within_s in (limit_s + UNTIL_ENDED_S, 0.0))
    unsettle = Query(UNSETTLE.text, timeout=limit_s)
    return (unsettle, before), (Query(text, timeout=limit_s, metadata={MARK: token}), parameters), (unsettle, after)


async def settle_ended(run: Callable[..., Awaitable[list[Record]]]) -> None:
    """Give revisions to papers that lack one because of an ended statement.

    Its client or the server was killed.

    Args:
        run: Function that runs a statement, such as :meth:`papergraph.database.Database.run_alone`.
    """
    left = [record["token"] for record in await run(UNSETTLED, within_s=SENT_WITHIN_S)]
    running = {record["token"] for record in await run(RUNNING)} if left else set()
    for token in left:
        if token not in running:
            await run(UNSETTLE, token=token, within_s=0.0)


def _ids(parameters: Mapping[str, Any], paths: Sequence[tuple[str, tuple[str, ...]]], kind: str) -> Iterator[str]:
    for of, path in paths:
        if of == kind:
            yield from _at(parameters, path)


def _at(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the values at a path, those of each item where a list is on it; nothing where something is missing."""
    if isinstance(value, Mapping):
        yield from _at(value.get(path[0]), path[1:])
    elif isinstance(value, str):
        yield value
    elif value is not None:
        for one in value:
            yield from _at(one, path)
