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

from ingest.enrichments.questions.enrichment import Choice, Questions

__all__ = ["Choice", "Questions"]
