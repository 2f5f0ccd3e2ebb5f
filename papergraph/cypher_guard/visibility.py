"""What is kept from a query, and how it is told."""

from dataclasses import dataclass

from papergraph.errors import UnsafeQueryError


@dataclass(frozen=True)
class Fence:
    """What is kept from a query.

    Attributes:
        labels: Labels of nodes that it must not come to.
        types: Types of relationships that lead to them.
    """

    labels: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Labels and types together."""
        return self.labels | self.types


NO_FENCE = Fence()


def kept(name: str) -> UnsafeQueryError:
    """Return the refusal of a query that would come to what is kept from it."""
    return UnsafeQueryError(
        f"{name} belongs to the service, not to the papers.", "Use papergraph doctor and papergraph keys instead."
    )


def words_of(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())
