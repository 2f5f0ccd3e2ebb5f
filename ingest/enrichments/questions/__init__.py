"""Questions that chunks and papers answer: made, made one where they ask the same, reviewed.

``enrichment``       the enrichment: what is made of a paper and how it is written
``asked``       through a language model: many of each chunk, and pairs with answers over a paper
``offline``     without one: templates and key sentences
``drafts``      questions of one paper before they are written
``alike``       which ask the same, and which say most between them
``duplicates``  questions of different papers that ask the same, by ``stars``
``review``      accept, edit, reject
``report``      how much is asked more than once
"""

from ingest.enrichments.base import LANGUAGE_MODEL, EnrichmentKind, Section
from ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class QuestionOptions(Section):
    """Options of the enrichment of questions; see :class:`ingest.enrichments.questions.enrichment.Questions`."""

    generator: str = "auto"
    per_chunk: int = 5
    pairs: int = 5
    keep_per_chunk: int | None = None
    keep: int | None = None
    threshold: float = 0.95
    most_chunks: int = 500

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment."""
        from ingest.enrichments.questions.enrichment import Questions

        return Questions.of(model, **self.model_dump())


ENRICHMENT = EnrichmentKind(
    "questions",
    1,
    QuestionOptions,
    "Questions that passages and papers answer, with those that ask the same.",
    (LANGUAGE_MODEL,),
)
