"""Which enrichments are made and how: what a user chose in TOML, checked, and kept with a job for any worker.

    [questions]
    per_chunk = 10

    [entities]
    gazetteer = "instruments.csv"   # paths are relative to the file that names them

A section that is not there takes the defaults; which enrichments are made is chosen beside it.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from ingest.enrichments.enrichment import Enrichment, EnrichmentName
from papergraph.errors import InputError, ModelUnavailableError
from papergraph.language_model import LanguageModel
from papergraph.language_model.model import NOT_CONFIGURED

MAX_BYTES = 1_000_000


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _beside_the_file(cls, value: Any, info: ValidationInfo) -> Any:
        """Return a path as one that other processes find, relative to the folder that validation is told."""
        path_wanted = info.field_name is not None and cls.model_fields[info.field_name].annotation == Path | None
        folder = (info.context or {}).get("folder")
        return str(folder / Path(value).expanduser()) if path_wanted and isinstance(value, str) and folder else value


class QuestionOptions(_Section):
    """Options of the enrichment of questions; see :class:`ingest.enrichments.questions.Questions`."""

    generator: str = "auto"
    per_chunk: int = 5
    pairs: int = 5
    keep_per_chunk: int | None = None
    keep: int | None = None
    threshold: float = 0.95
    most_chunks: int = 500

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment."""
        from ingest.enrichments.questions import Questions

        return Questions.of(model, **self.model_dump())


class EntityOptions(_Section):
    """Options of the enrichment of entities; see :class:`ingest.enrichments.entities.enrichment.Entities`.

    Attributes:
        gazetteer: File of names to be found.
        pipeline: Name or path of a spaCy pipeline whose entities are taken.
        extract: Whether a language model is asked; by default where one is configured.
        relations: File of the schema that it is held to; by default the one for research papers.
        per_chunk, per_paper: Most entities kept.
    """

    gazetteer: Path | None = None
    pipeline: str | None = None
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
        from ingest.enrichments.entities.enrichment import Entities
        from ingest.enrichments.entities.extraction import ExtractionLimits
        from ingest.enrichments.entities.gazetteer import read_gazetteer
        from ingest.enrichments.entities.llm_extraction import Extractor
        from ingest.enrichments.entities.schema import DEFAULT, read_schema

        if self.extract and model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        asked = None if self.extract is False else model
        return Entities(
            gazetteer=read_gazetteer(self.gazetteer) if self.gazetteer else (),
            pipeline=self.pipeline,
            extractor=Extractor.of(asked, read_schema(self.relations or DEFAULT)) if asked else None,
            limits=ExtractionLimits(self.per_chunk, self.per_paper),
        )


class MetadataOptions(_Section):
    """Options of the enrichment of metadata: the file of fields and their values, by default ours."""

    fields: Path | None = None

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment.

        Raises:
            InputError: The file cannot be read.
        """
        from ingest.enrichments.metadata.enrichment import MetadataEnrichment
        from ingest.enrichments.metadata.fields import read_fields

        return MetadataEnrichment.choose(read_fields(self.fields), model)


class PrototypeOptions(_Section):
    """Options of the enrichment of prototypes; see :class:`ingest.enrichments.prototypes.enrichment.Prototypes`."""

    factor: float = 2.0
    most_change: float = 0.25
    seed: int = 0

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from ingest.enrichments.prototypes.enrichment import Prototypes

        return Prototypes(**self.model_dump())


class ClusterOptions(_Section):
    """Options of the enrichment of clusters; see :class:`ingest.enrichments.clusters.ClustersEnrichment`."""

    k: int = 8
    least: float = 0.5
    dimension: int = 64
    engine: Literal["auto", "plain"] = "auto"

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from ingest.enrichments.clusters import ClustersEnrichment

        try:
            return ClustersEnrichment(**self.model_dump())
        except ValueError as error:
            raise InputError(f"clusters: {error}", field="config") from error


class LinkOptions(_Section):
    """Options of the enrichment of links; see :class:`ingest.enrichments.links.LinksEnrichment`."""

    names: bool = True

    def enrichment(self, model: LanguageModel | None) -> Enrichment:
        """Return the enrichment, which no language model has a part in."""
        from ingest.enrichments.links import LinksEnrichment

        return LinksEnrichment(**self.model_dump())


class EnrichmentOptions(_Section):
    """The enrichments that are to be made, ``names``, and the options of each."""

    names: tuple[EnrichmentName, ...] = tuple(EnrichmentName)
    questions: QuestionOptions = QuestionOptions()
    entities: EntityOptions = EntityOptions()
    metadata: MetadataOptions = MetadataOptions()
    prototypes: PrototypeOptions = PrototypeOptions()
    clusters: ClusterOptions = ClusterOptions()
    links: LinkOptions = LinkOptions()

    @classmethod
    def read(cls, path: Path | None = None, *, names: str = "all") -> Self:
        """Read the options of enrichments from a file.

        Args:
            path: TOML with a section for each enrichment that is not to be made by default; None for the defaults.
            names: Which enrichments are made, with commas between, or ``all``.

        Raises:
            InputError: There is no such enrichment, section or option, a value is out of its range, or the file cannot
                be read.
        """
        if path is None:
            return cls(names=_names(names))
        try:
            content = path.read_bytes()
            if len(content) > MAX_BYTES:
                raise InputError(
                    f"{path} has {len(content):,} bytes. At most {MAX_BYTES:,} are allowed.", field="config"
                )
            said = tomllib.loads(content.decode("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path} cannot be read as TOML: {error}", field="config") from error
        return cls.of(said, names=names, folder=path.resolve().parent, said_in=str(path))

    @classmethod
    def of(cls, said: Mapping[str, Any], *, names: str = "all", folder: Path, said_in: str = "[enrichments]") -> Self:
        """Check options of enrichments.

        Args:
            said: A section for each enrichment that is not to be made by default.
            names: Which enrichments are made, with commas between, or ``all``.
            folder: What paths are relative to.
            said_in: Where the sections are, for people.

        Raises:
            InputError: There is no such enrichment, section or option, or a value is out of its range.
        """
        chosen = _names(names)
        known = [name.value for name in EnrichmentName]
        if unknown := next((name for name in said if name not in known), None):
            raise InputError(
                f"{said_in}: Enrichment {unknown!r} does not exist.{_nearest(unknown, known)}", field="config"
            )
        try:
            return cls.model_validate({**said, "names": chosen}, context={"folder": folder})
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
            raise InputError(f"{said_in}: {'; '.join(problems)}", field="config") from error

    def enrichments(self, model: LanguageModel | None) -> list[Enrichment]:
        """Return the enrichments in the order in which they are made.

        Raises:
            InputError: An option is out of its range, or a file that one names cannot be read.
            ModelUnavailableError: A model is asked for and none is configured.
            PromptError: A prompt of the user's cannot be used.
        """
        sections: dict[EnrichmentName, _Buildable] = {
            EnrichmentName.QUESTIONS: self.questions,
            EnrichmentName.ENTITIES: self.entities,
            EnrichmentName.METADATA: self.metadata,
            EnrichmentName.PROTOTYPES: self.prototypes,
            EnrichmentName.CLUSTERS: self.clusters,
            EnrichmentName.LINKS: self.links,
        }
        return [sections[name].enrichment(model) for name in self.names]


class _Buildable(Protocol):
    def enrichment(self, model: LanguageModel | None) -> Enrichment: ...


def _names(text: str) -> tuple[EnrichmentName, ...]:
    """Return the enrichments that a user named, in order."""
    if text == "all":
        return tuple(EnrichmentName)
    known = [name.value for name in EnrichmentName]
    named = [name.strip() for name in text.split(",")]
    for name in named:
        if name not in known:
            raise InputError(
                f"Enrichment {name!r} does not exist.{_nearest(name, known)} Choose from {', '.join(known)}.",
                field="enrichments",
            )
    return tuple(name for name in EnrichmentName if name in named)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""
