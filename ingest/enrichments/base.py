"""The protocol of a kind of enrichment: its name, its place among the others, and its options."""

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel

LANGUAGE_MODEL = "language model"
"""Name of the requirement of a language model."""

NO_LANGUAGE_MODEL = "No language model is configured. Set PAPERGRAPH_LLM_URL and PAPERGRAPH_LLM_MODEL on the server."
"""Error of an enrichment or pipeline that needs a language model."""


TEMPLATES = "papergraph enrich --questions template"
"""Command that makes questions without a language model."""


class Section(BaseModel):
    """Options of an enrichment, as a section of a TOML file has them: fixed, and none is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _beside_the_file(cls, value: Any, info: ValidationInfo) -> Any:
        """Return a path as an absolute one; relative paths start at the folder in the validation context."""
        path_wanted = info.field_name is not None and cls.model_fields[info.field_name].annotation == Path | None
        folder = (info.context or {}).get("folder")
        return str(folder / Path(value).expanduser()) if path_wanted and isinstance(value, str) and folder else value

    @abstractmethod
    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment with these options.

        Args:
            model: The configured language model, or None.

        Raises:
            InputError: An option is out of its range, or a file cannot be read.
            ModelUnavailableError: A model is to be asked and none is configured.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class EnrichmentKind:
    """A kind of enrichment, as its folder or file registers it.

    Attributes:
        name: Name in ``--enrichments``, in options, and in the marks of papers.
        order: Position; an enrichment runs after those that it reads.
        options: Class of its options.
        about: Its result, in one sentence.
        uses: Optional inputs: ``language model``, or names of other enrichments.
    """

    name: str
    order: int
    options: type[Section]
    about: str = ""
    uses: tuple[str, ...] = ()
