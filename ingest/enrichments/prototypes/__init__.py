"""Prototypes: an inverted index over vectors of questions and chunks."""

from papergraph.ingest.enrichments.base import EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class PrototypeOptions(Section):
    """Options of the enrichment of prototypes; see :class:`Prototypes`."""

    factor: float = 2.0
    most_change: float = 0.25
    seed: int = 0

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from papergraph.ingest.enrichments.prototypes.enrichment import Prototypes

        return Prototypes(**self.model_dump())


ENRICHMENT = EnrichmentKind(
    "prototypes",
    4,
    PrototypeOptions,
    "Groups of near questions and passages, for a faster search.",
    ("questions",),
)
