"""Numbers of words, as Paper.nWords."""

from dataclasses import dataclass

from papergraph import cypher
from papergraph.ingest.enrichments.base import EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment, EnrichmentContext, StoredPaper
from papergraph.language_model import LanguageModel
from papergraph.neo4j_errors import Transaction
from papergraph.schema.ids import sha256
from papergraph.vector_slots import VectorSlot


@dataclass(frozen=True)
class Words:
    least: int
    name: str = "words"

    @property
    def config_hash(self) -> str:
        return sha256("1", str(self.least))

    def requests(self, paper: StoredPaper) -> int:
        return 0

    async def make(self, paper: StoredPaper, means: EnrichmentContext) -> int:
        return sum(len(word) >= self.least for chunk in paper.chunks for word in chunk.text.split())

    async def write(self, at: Transaction, paper: StoredPaper, made: int, means: EnrichmentContext, slot: VectorSlot):
        await at.run(cypher.load("enrichments/write_words"), id=paper.id, n=made)


class WordOptions(Section):
    least: int = 1

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        return Words(self.least)


ENRICHMENT = EnrichmentKind("words", 70, WordOptions)
