"""Questions that chunks and papers answer: made, merged where they ask the same, reviewed.

``enrichment``     questions of each paper and of a collection
``llm_questions``  questions by a language model: of each chunk, of a paper, and across papers
``templates``      questions by templates and key sentences
``written``        questions that people wrote about the samples
``groups``         questions across papers that share metadata
``candidates``     questions of one paper before they are stored, and their rows
``duplicates``     questions of different papers that ask the same
``review``         decisions of people, and a report of repeated questions
"""

from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class QuestionOptions(Section):
    """Options of the enrichment of questions; see :class:`Questions`."""

    generator: str = "auto"
    per_chunk: int = 5
    pairs: int = 5
    keep_per_chunk: int | None = None
    keep: int | None = None
    threshold: float = 0.95
    most_chunks: int = 500
    across: int = 2
    group_size: int = 4

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment."""
        from papergraph.ingest.enrichments.questions.enrichment import Questions

        return Questions.of(model, **self.model_dump())


ENRICHMENT = EnrichmentKind(
    "questions",
    1,
    QuestionOptions,
    "Questions that passages, papers and groups of papers answer, with those that ask the same.",
    (LANGUAGE_MODEL, "metadata"),
)
