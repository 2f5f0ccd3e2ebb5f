"""The ways of selecting that a sweep compares: methods, and values of alpha, k, pool and deadline."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from papergraph.errors import InputError
from server.retrieval.steps.relevance import Relevance
from server.selection.backends import BACKENDS

OWN, MMR, TOP_K = "exact", "mmr", "top_k"
MOST_VALUES = 20
MOST_K, MOST_POOL = 100, 2000


@dataclass(frozen=True)
class Grid:
    """What is swept.

    Attributes:
        alphas: Weights of relevance, MMR's lambda too; each in [0, 1].
        ks: How many are selected.
        backends: Names of back ends; ``top_k`` is always among what is compared.
        pools: Of how many candidates.
        relevances: What makes a candidate relevant.
        settled: The way that was chosen elsewhere, which is compared with the others instead of one chosen here.
        deadline_ms: For each selection.

    Raises:
        InputError: A value is not acceptable; ``field`` says of which option.
    """

    alphas: tuple[float, ...] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    ks: tuple[int, ...] = (10,)
    backends: tuple[str, ...] = (OWN, MMR)
    pools: tuple[int, ...] = (100,)
    relevances: tuple[Relevance, ...] = (Relevance.SCORE,)
    settled: "Way | None" = None
    deadline_ms: float = 50.0

    def __post_init__(self) -> None:
        for name, values in (
            ("alpha", self.alphas),
            ("k", self.ks),
            ("backend", self.backends),
            ("pool", self.pools),
            ("relevance", self.relevances),
        ):
            if not 1 <= len(values) <= MOST_VALUES or len(set(values)) < len(values):
                raise InputError(f"give 1 to {MOST_VALUES} different values of {name}, got {len(values)}", field=name)
        for alpha in self.alphas:
            if not 0.0 <= alpha <= 1.0:
                raise InputError(f"alpha must be in [0, 1], got {alpha:g}", field="alpha")
        for name, values, most in (("k", self.ks, MOST_K), ("pool", self.pools, MOST_POOL)):
            for value in values:
                if not 1 <= value <= most:
                    raise InputError(f"{name} must be 1 to {most}, got {value}", field=name)
        if max(self.ks) > min(self.pools):
            raise InputError(f"k is {max(self.ks)} of a pool of {min(self.pools)} candidates", field="pool")
        for name in self.backends:
            if name not in BACKENDS:
                raise InputError(f"there is no back end {name!r}, only {', '.join(BACKENDS)}", field="backend")

    @classmethod
    def parsed(cls, *, alpha: str, k: str, backend: str, pool: str, relevance: str) -> Self:
        """Return the grid that lists with commas describe.

        Raises:
            InputError: Something in a list is not acceptable.
        """
        return cls(
            alphas=_numbers(alpha, float, field="alpha"),
            ks=_numbers(k, int, field="k"),
            backends=tuple(name.strip() for name in backend.split(",")),
            pools=_numbers(pool, int, field="pool"),
            relevances=_relevances(relevance),
        )

    def ways(self) -> Iterator["Way"]:
        """Yield all ways of selecting but for k, top-k of each pool first."""
        for n, by in itertools.product(self.pools, self.relevances):
            yield Way(TOP_K, None, n, by)
            for name, alpha in itertools.product(self.backends, self.alphas):
                if name != TOP_K:
                    yield Way(name, alpha, n, by)


@dataclass(frozen=True)
class Way:
    """Who selects: a back end, the weight of relevance (None where there is none), of how many, by what relevance."""

    backend: str
    alpha: float | None
    pool: int
    by: Relevance = Relevance.SCORE

    def __str__(self) -> str:
        alpha = "" if self.alpha is None else f" {self.alpha:g}"
        return f"{self.backend}{alpha} of {self.pool}{'' if self.by is Relevance.SCORE else f' by {self.by}'}"


def _numbers(text: str, kind: type[int] | type[float], *, field: str) -> tuple[Any, ...]:
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError as error:
        what = "whole numbers" if kind is int else "numbers"
        raise InputError(f"{field} takes {what} with commas between, not {text!r}", field=field) from error


def _relevances(text: str) -> tuple[Relevance, ...]:
    try:
        return tuple(Relevance(part.strip()) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"{error}; there are {', '.join(Relevance)}", field="relevance") from error
