"""Runs of lines that are kept apart from running text: entries of a list of references, captions, and tables."""

from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is."""

    ENTRY = "entry"
    CAPTION = "caption"
    TABLE = "table"


@dataclass(frozen=True)
class Block:
    """Lines ``first`` to ``last`` are one paragraph; ``label`` is what the document calls it, such as "Table 2"."""

    kind: BlockKind
    first: int
    last: int
    label: str = ""


@dataclass(frozen=True)
class PlacedBlock:
    """A block in the composed text: characters ``start`` to ``end``."""

    kind: BlockKind
    start: int
    end: int
    label: str
