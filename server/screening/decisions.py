"""Decisions of raters on records, and what follows from them for each stage."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from papergraph.records import Record, described

NOT_RETRIEVED = "not retrieved"
"""Reason of the stage of full texts for a report that could not be got; always allowed."""


class ScreeningStage(StrEnum):
    """Stages of screening: title and abstract, then the full text of what was included."""

    ABSTRACT = "abstract"
    TEXT = "text"


class ScreeningVerdict(StrEnum):
    """Decision of a rater; open withdraws it."""

    INCLUDE = "include"
    EXCLUDE = "exclude"
    MAYBE = "maybe"
    OPEN = "open"


class ScreeningState(StrEnum):
    """State of a record at a stage; conflict: raters disagree, or one is unsure, and nobody resolved it."""

    OPEN = "open"
    CONFLICT = "conflict"
    INCLUDED = "included"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class RaterDecision(Record):
    """Decision of a rater on a record."""

    stage: Annotated[ScreeningStage, described("abstract or text.")]
    rater: Annotated[str, described("Account or name of the rater; empty for the only one of a server without keys.")]
    name: Annotated[str, described("Name of the key of the rater, or of the rater.")]
    verdict: Annotated[ScreeningVerdict, described("include, exclude, maybe, or open: withdrawn.")]
    reason: Annotated[str, described("Reason of an exclusion; may be empty.")]
    note: Annotated[str, described("Remark.")]
    resolves: Annotated[bool, described("True if it settles a conflict.")]
    decided_at: Annotated[datetime, described("Time of the decision.")]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "RaterDecision":
        """Return a decision from the properties of its node."""
        return cls(
            ScreeningStage(stored["stage"]),
            stored["rater"],
            stored.get("name") or stored["rater"],
            ScreeningVerdict(stored["verdict"]),
            stored["reason"],
            stored["note"],
            stored["resolves"],
            stored["decidedAt"].to_native(),
        )


@dataclass(frozen=True)
class Judgement:
    """What was decided of a record at a stage.

    Attributes:
        state: Its state.
        votes: Last decision of each rater, the first rater first; withdrawn ones are left out.
        resolution: Decision that settled a conflict, if any.
        reason: Reason of an exclusion; of two reasons the one that is listed first.
        decided_at: Time of the decision that made the state; None while it is open.
    """

    state: ScreeningState
    votes: tuple[RaterDecision, ...]
    resolution: RaterDecision | None
    reason: str
    decided_at: datetime | None

    @property
    def label(self) -> bool | None:
        """Whether it counts as included for learning: by its state, or else by the only vote; None if unknown."""
        if self.state in (ScreeningState.INCLUDED, ScreeningState.EXCLUDED):
            return self.state is ScreeningState.INCLUDED
        verdicts = {vote.verdict for vote in self.votes}
        return (
            verdicts == {ScreeningVerdict.INCLUDE}
            if verdicts in ({ScreeningVerdict.INCLUDE}, {ScreeningVerdict.EXCLUDE})
            else None
        )


def judged(
    decisions: Iterable[RaterDecision], stage: ScreeningStage, *, raters: int, reasons: Sequence[str] = ()
) -> Judgement:
    """Return what decisions, in their order, make of a record at a stage."""
    votes: dict[str, RaterDecision] = {}
    resolution: RaterDecision | None = None
    for one in decisions:
        if one.stage is not stage:
            continue
        if one.resolves:
            resolution = None if one.verdict is ScreeningVerdict.OPEN else one
        else:
            votes.pop(one.rater, None)
            if one.verdict is not ScreeningVerdict.OPEN:
                votes[one.rater] = one
    found = tuple(votes.values())
    if len(found) < raters:
        return Judgement(ScreeningState.OPEN, found, None, "", None)
    last = resolution or max(found, key=lambda one: one.decided_at)
    verdicts = {resolution.verdict} if resolution else {vote.verdict for vote in found}
    if verdicts == {ScreeningVerdict.INCLUDE}:
        return Judgement(ScreeningState.INCLUDED, found, resolution, "", last.decided_at)
    if verdicts != {ScreeningVerdict.EXCLUDE}:
        return Judgement(ScreeningState.CONFLICT, found, resolution, "", last.decided_at)
    stated = [resolution.reason] if resolution else [vote.reason for vote in found if vote.reason]
    first = min(stated, key=lambda one: reasons.index(one) if one in reasons else len(reasons), default="")
    return Judgement(ScreeningState.EXCLUDED, found, resolution, first, last.decided_at)
