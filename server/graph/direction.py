"""Direction of a relationship as one of its nodes sees it."""

from enum import StrEnum


class Direction(StrEnum):
    """Direction of a relationship: away from the node before it, or towards that node."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"

    @classmethod
    def of(cls, is_outgoing: bool) -> "Direction":
        """Return the direction of a relationship that leads away from its node, or does not."""
        return cls.OUTGOING if is_outgoing else cls.INCOMING
