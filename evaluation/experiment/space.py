"""A space of options: ranges and lists of values, and points of it that lie evenly."""

import itertools
from collections.abc import Mapping
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from scipy.stats import qmc

MOST_POINTS = 16_384
MOST_HEADS = 200
"""Combinations of options that ask the store: each is a search for each question."""

ASK_THE_STORE = ("search", "expand")
"""Steps whose options have lists of values: each value asks the store again, so a range would ask it for each point."""


class SpaceError(ValueError):
    """A space that cannot be searched."""


class Range(BaseModel):
    """Numbers from ``from`` to ``to``, both included; whole where both are, evenly by logarithm with ``log``."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    low: float | int = Field(alias="from")
    high: float | int = Field(alias="to")
    log: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.low < self.high or (self.log and self.low <= 0):
            raise ValueError("a range goes from a number to a larger one, and with log from more than 0")
        return self

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def at(self, share: float) -> float | int:
        """Return the number at a share of the range, in [0, 1)."""
        low, high = float(self.low), float(self.high)
        if self.is_whole and not self.log:
            return int(low + share * (high - low + 1))
        value = low * (high / low) ** share if self.log else low + share * (high - low)
        return round(value) if self.is_whole else float(f"{value:.4g}")


Choices = Annotated[list[Any], Field(min_length=1)]


def _dimension(value: Any) -> Any:
    return Range.model_validate(value) if isinstance(value, dict) else value


Dimension = Annotated[Range | Choices, BeforeValidator(_dimension)]
Space = Annotated[dict[str, Dimension], Field(min_length=1, max_length=20)]


def value_at(dimension: Range | list[Any], share: float) -> Any:
    """Return the value of an option at a share of its range or list, in [0, 1)."""
    return dimension.at(share) if isinstance(dimension, Range) else dimension[int(share * len(dimension))]


def check_space(space: Mapping[str, Range | list[Any]]) -> None:
    """Refuse a space whose points ask the store too often.

    Raises:
        SpaceError: An option of a step that asks the store has a range, or these have too many combinations.
    """
    n_heads = 1
    for path, dimension in space.items():
        if _asks_the_store(path):
            if isinstance(dimension, Range):
                raise SpaceError(f"{path} asks the store again for each value: write a list of values, not a range")
            n_heads *= len(dimension)
    if n_heads > MOST_HEADS:
        raise SpaceError(f"options of steps that ask the store have {n_heads:,} combinations, {MOST_HEADS} is the most")


def drawn_points(space: Mapping[str, Range | list[Any]], n: int, *, seed: int) -> list[dict[str, Any]]:
    """Return ``n`` points of a space: Sobol's, scrambled by a seed.

    Source: Sobol' 1967, doi:10.1016/0041-5553(67)90144-9; scrambled as in Owen 1998, doi:10.1006/jcom.1998.0487.
    """
    sobol = qmc.Sobol(len(space), rng=np.random.default_rng(seed))
    shares = sobol.random_base2(int(np.ceil(np.log2(max(2, n)))))[:n]
    return [
        {path: value_at(dimension, float(share)) for (path, dimension), share in zip(space.items(), row, strict=True)}
        for row in shares
    ]


def heads(space: Mapping[str, Range | list[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the options of steps that ask the store."""
    asking = {path: values for path, values in space.items() if _asks_the_store(path) and isinstance(values, list)}
    return [dict(zip(asking, values, strict=True)) for values in itertools.product(*asking.values())]


def _asks_the_store(path: str) -> bool:
    return path.partition(".")[0].rstrip("0123456789") in ASK_THE_STORE
