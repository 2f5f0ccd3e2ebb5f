"""Questions that chunks and papers answer: made, made one where they ask the same, reviewed.

``enrichment``     the enrichment: what is made of a paper and of a collection
``llm_questions``  through a language model: many of each chunk, pairs with answers over a paper, and across papers
``templates``      without one: templates and key sentences
``written``        questions that people wrote about the samples
``groups``         across papers that share metadata
``candidates``     questions of one paper before they are written
``rows``           how they are written, after what was decided of them
``diversity``      which ask the same, and which say most between them
``duplicates``     questions of different papers that ask the same, by ``leader_index``
``review``         accept, edit, reject
``report``         how much is asked more than once
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
    across: int = 2
    group_size: int = 4

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment."""
        from ingest.enrichments.questions.enrichment import Questions

        return Questions.of(model, **self.model_dump())


ENRICHMENT = EnrichmentKind(
    "questions",
    1,
    QuestionOptions,
    "Questions that passages, papers and groups of papers answer, with those that ask the same.",
    (LANGUAGE_MODEL, "metadata"),
)
