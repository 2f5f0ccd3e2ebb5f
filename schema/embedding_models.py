"""Embedding models of a store's vectors, and the active one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from papergraph import cypher
from papergraph.database import Database
from papergraph.embedding import ModelCard
from papergraph.vector_slots import VectorSlot


class State(StrEnum):
    """State of a model's vectors: active, being created, kept after a change of models, or being deleted."""

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
        """Identity of the model without loading it; the largest length of a text is unknown."""
        return ModelCard(self.name, self.sha256, self.dimension, 0, probes=self.probes)

    def is_of(self, card: ModelCard) -> bool:
        """Say whether a model is this one, under whatever name."""
        return (self.sha256, self.dimension) == (card.sha256, card.dimension)


@dataclass(frozen=True)
class StoredModels:
    """Active model (None in an unused store), and model of the other slot."""

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
