"""Which embedding models a store has vectors of, and which of them is in use."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import cypher
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.vector_slots import VectorSlot


class State(StrEnum):
    """What becomes of a model's vectors: searched, made, kept after another model came into use, or deleted."""

    ACTIVE = "active"
    FILLING = "filling"
    KEPT = "kept"
    DROPPING = "dropping"


@dataclass(frozen=True)
class StoredModel:
    """A model that a store has vectors of.

    Attributes:
        slot: The place where they stand.
        name: The model's name or folder, as it was configured.
        sha256: Checksum of its weights.
        dimension: Length of its vectors.
        state: What becomes of them.
        probes: Vectors of the probe texts; '' of a local model.
    """

    slot: VectorSlot
    name: str
    sha256: str
    dimension: int
    state: State
    probes: str = field(default="", repr=False)

    @property
    def identity(self) -> str:
        """Name and checksum in one line."""
        return self.card.identity

    @property
    def card(self) -> ModelCard:
        """What is known of the model without loading it; how long a text may be is not."""
        return ModelCard(self.name, self.sha256, self.dimension, 0, probes=self.probes)

    def is_of(self, card: ModelCard) -> bool:
        """Say whether a model is this one, under whatever name."""
        return (self.sha256, self.dimension) == (card.sha256, card.dimension)


@dataclass(frozen=True)
class StoredModels:
    """The model in use, None in a store that nothing was ever written to, and the one of the other place."""

    active: StoredModel | None = None
    other: StoredModel | None = None

    def __iter__(self) -> Iterator[StoredModel]:
        """Yield those that there are."""
        return (model for model in (self.active, self.other) if model)


async def stored_models(database: Database) -> StoredModels:
    """Read which models a store has vectors of."""
    found = [
        StoredModel(
            VectorSlot(record["slot"]),
            record["name"],
            record["sha256"],
            record["dimension"],
            State(record["state"]),
            record["probes"],
        )
        for record in await database.read(cypher.load("schema/embedding_model"))
    ]
    active = next((model for model in found if model.state is State.ACTIVE), None)
    return StoredModels(active, next((model for model in found if model.state is not State.ACTIVE), None))


def cards_of(models: StoredModels) -> list[ModelCard]:
    """Return what is known of the models of a store."""
    return [model.card for model in models]
