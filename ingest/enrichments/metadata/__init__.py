"""Metadata of papers: values of closed fields, such as task and method."""

from pathlib import Path

from papergraph.ingest.enrichments.base import LANGUAGE_MODEL, EnrichmentKind, Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel


class MetadataOptions(Section):
    """Options of the enrichment of metadata: the file of fields and their values, by default ours."""

    fields: Path | None = None

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment.

        Raises:
            InputError: The file cannot be read.
        """
        from papergraph.ingest.enrichments.metadata.enrichment import MetadataEnrichment, read_fields

        return MetadataEnrichment.choose(read_fields(self.fields), model)


ENRICHMENT = EnrichmentKind(
    "metadata",
    0,
    MetadataOptions,
    "Values of closed fields of papers, such as task and method.",
    (LANGUAGE_MODEL,),
)
