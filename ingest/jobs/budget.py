"""What one call of an ingestion may spend: time, papers, chunks or tokens; then the job is paused, whole as it is."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from papergraph.errors import InputError

AMOUNT = re.compile(r"(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>s|min|m|h|papers?|chunks?|tokens?)", re.ASCII)
SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """Limits of one call; None is no limit.

    Attributes:
        seconds: After so long nothing more is begun; what is on its way is written.
        papers: Most papers that are parsed, cut and written.
        chunks: Most chunks that are embedded and written; a paper is written whole or left for the next time.
        tokens: Most tokens of these chunks.
    """

    seconds: float | None = None
    papers: int | None = None
    chunks: int | None = None
    tokens: int | None = None

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self | None:
        """Make a budget of what a user wrote, such as ``30m``, ``500 papers`` and ``20000 chunks``; None of nothing.

        Raises:
            InputError: It is no time, and no number of papers or chunks, or it is there twice.
        """
        limits: dict[str, float] = {}
        for text in texts:
            match = AMOUNT.fullmatch(text.strip().lower())
            if match is None:
                raise InputError(
                    f"{text!r} is no budget; write a time such as 90s, 30m or 2h, 500papers, 20000chunks or "
                    "1000000tokens",
                    field="budget",
                )
            amount, unit = float(match["amount"]), match["unit"]
            name = "seconds" if unit in SECONDS else f"{unit.removesuffix('s')}s"
            if name in limits or (name != "seconds" and amount != int(amount)):
                raise InputError(f"{text!r} does not go with the rest of the budget", field="budget")
            limits[name] = amount * SECONDS.get(unit, 1.0)
        if not limits:
            return None
        counts = {name: int(limits[name]) for name in ("papers", "chunks", "tokens") if name in limits}
        return cls(limits.get("seconds"), **counts)


class JobBudget:
    """What is left of a budget on the way; without one there is always more."""

    def __init__(self, budget: Budget | None) -> None:
        self._budget = budget or Budget()
        self._start = time.monotonic()
        self._n_papers = self._n_chunks = self._n_tokens = 0

    @property
    def spent(self) -> str | None:
        """What is spent, in words; None if something is left."""
        budget = self._budget
        if up := self.time_is_up:
            return up
        if budget.papers is not None and self._n_papers >= budget.papers:
            return f"the budget of {budget.papers} papers is spent"
        if budget.chunks is not None and self._n_chunks >= budget.chunks:
            return f"the budget of {budget.chunks} chunks is spent"
        if budget.tokens is not None and self._n_tokens >= budget.tokens:
            return f"the budget of {budget.tokens} tokens is spent"
        return None

    @property
    def time_is_up(self) -> str | None:
        """What is spent in words, if it is time."""
        seconds = self._budget.seconds
        up = seconds is not None and time.monotonic() - self._start >= seconds
        return f"the budget of {seconds:g} s is spent" if up else None

    def most_papers(self, wanted: int, *, under_way: int) -> int:
        """Return how many more papers may be begun, at most ``wanted``, beside those under way."""
        if self._budget.papers is None:
            return wanted
        return min(wanted, max(0, self._budget.papers - self._n_papers - under_way))

    def take(self, n_chunks: int, n_tokens: int = 0) -> str | None:
        """Spend a paper of so many chunks and tokens, or say why there is not enough left for it."""
        budget = self._budget
        if budget.chunks is not None and self._n_chunks + n_chunks > budget.chunks:
            left = budget.chunks - self._n_chunks
            return f"of the budget of {budget.chunks} chunks {left} are left, and the next paper has {n_chunks}"
        if budget.tokens is not None and self._n_tokens + n_tokens > budget.tokens:
            left = budget.tokens - self._n_tokens
            return f"of the budget of {budget.tokens} tokens {left} are left, and the next paper has {n_tokens}"
        self._n_papers += 1
        self._n_tokens += n_tokens
        self._n_chunks += n_chunks
        return None
