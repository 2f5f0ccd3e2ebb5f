"""What calls of a language model took, what they cost, and a limit to it."""

from dataclasses import dataclass
from typing import Annotated

from papergraph.errors import BudgetSpentError, InputError
from papergraph.records import Record, described

LETTERS_PER_TOKEN = 3
"""For texts that nobody has counted; English has about four, so that this counts too many rather than too few."""


@dataclass(frozen=True)
class ModelUsage(Record):
    """Language model usage of some calls, such as all for a question; usages add up."""

    requests: Annotated[int, described("Number of calls of the model, with those that failed.")] = 0
    cached: Annotated[int, described("Calls answered from the cache, at no cost.")] = 0
    input_tokens: Annotated[int, described("Tokens sent to the model.")] = 0
    output_tokens: Annotated[int, described("Tokens that the model wrote.")] = 0
    estimated_tokens: Annotated[
        int, described("Number of estimated tokens, where a server told nothing or the connection broke.")
    ] = 0
    cost: Annotated[float, described("Cost in the currency of the configured prices.")] = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        return ModelUsage(
            self.requests + other.requests,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated_tokens + other.estimated_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True)
class Prices:
    """Price of a million tokens, in any one currency; 0 for a model of one's own."""

    input: float = 0.0
    output: float = 0.0

    def usage(self, input_tokens: int, output_tokens: int, *, estimated_tokens: int = 0) -> ModelUsage:
        """Return the usage of one request."""
        cost = (input_tokens * self.input + output_tokens * self.output) / 1e6
        return ModelUsage(1, 0, input_tokens, output_tokens, estimated_tokens, cost)


class Budget:
    """A limit that several callers may share: what a request could take is set aside before it is sent.

    So requests under way at the same time do not overspend together. The limit is kept as far as the estimate of the
    input's tokens is right; the output is bounded by the longest answer asked for.
    """

    def __init__(self, *, cost: float | None = None, tokens: int | None = None, requests: int | None = None) -> None:
        """Set the limits; None is no limit.

        Raises:
            InputError: A limit is below 0.
        """
        for name, limit in (("cost", cost), ("tokens", tokens), ("requests", requests)):
            if limit is not None and not limit >= 0:
                raise InputError(f"a budget of {limit} is below 0", field=name)
        self.cost, self.tokens, self.requests = cost, tokens, requests
        self.spent = ModelUsage()
        self._set_aside: list[ModelUsage] = []

    def set_aside(self, most: ModelUsage) -> None:
        """Keep ``most`` for a request that is about to be sent; :meth:`settle` gives it back.

        Raises:
            BudgetSpentError: It could go over a limit.
        """
        total = sum(self._set_aside, self.spent) + most
        if self.cost is not None and total.cost > self.cost:
            raise BudgetSpentError(f"{self.cost:g} (cost)")
        if self.tokens is not None and total.tokens > self.tokens:
            raise BudgetSpentError(f"{self.tokens} tokens")
        if self.requests is not None and total.requests > self.requests:
            raise BudgetSpentError(f"{self.requests} requests")
        self._set_aside.append(most)

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        """Count what a request took instead of what was set aside for it."""
        self._set_aside.remove(most)
        self.spent += spent


def estimated_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has, rather too many; for languages written without spaces too few."""
    return -(-len(text) // LETTERS_PER_TOKEN)
