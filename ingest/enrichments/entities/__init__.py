"""Entities of papers: found, given or asked for, related, resolved and linked."""

from pathlib import Path

from papergraph.errors import ModelUnavailableError
from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED

AUTO, NONE = "auto", "none"


class EntityOptions(Section):
    """Options of the enrichment of entities; see :class:`papergraph.ingest.enrichments.entities.enrichment.Entities`.

    Attributes:
        gazetteer: File of names to find.
        pipeline: Name or path of a spaCy pipeline; ``auto`` for an installed one that finds entities of papers,
            ``none`` to disable.
        extract: Use of a language model; the default is to use a configured one.
        relations: File of the schema of its results; the default is for research papers.
        per_chunk, per_paper: Most entities kept.
    """

    gazetteer: Path | None = None
    pipeline: str | None = AUTO
    extract: bool | None = None
    relations: Path | None = None
    per_chunk: int = 40
    per_paper: int = 300

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment.

        Raises:
            InputError: A file cannot be read.
            ModelUnavailableError: A model is to be asked and none is configured.
        """
        from papergraph.ingest.enrichments.entities.enrichment import Entities
        from papergraph.ingest.enrichments.entities.extraction import (
            GENERAL_LABELS,
            ExtractionLimits,
            installed_pipeline,
        )
        from papergraph.ingest.enrichments.entities.gazetteer import read_gazetteer
        from papergraph.ingest.enrichments.entities.llm_extraction import DEFAULT, Extractor, read_schema

        if self.extract and model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        asked = None if self.extract is False else model
        installed = installed_pipeline() if self.pipeline == AUTO else None
        named = None if self.pipeline in (AUTO, NONE) else self.pipeline
        return Entities(
            gazetteer=read_gazetteer(self.gazetteer) if self.gazetteer else (),
            pipeline=named or installed,
            left_out=GENERAL_LABELS if installed else frozenset(),
            extractor=Extractor.of(asked, read_schema(self.relations or DEFAULT)) if asked else None,
            limits=ExtractionLimits(self.per_chunk, self.per_paper),
        )


ENRICHMENT = EnrichmentKind(
    "entities",
    2,
    EntityOptions,
    "Entities that passages mention, with their types and relations.",
    (LANGUAGE_MODEL,),
)
