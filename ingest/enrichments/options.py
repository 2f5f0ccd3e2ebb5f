"""Which layers are made and how: what a user chose in TOML, checked, and kept with a job for any worker.

    [questions]
    per_chunk = 10

    [entities]
    gazetteer = "instruments.csv"   # paths are relative to the file that names them

A section that is not there takes the defaults; which layers are made is chosen beside it.
"""

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator

from ingest.layers.layer import Layer, LayerName
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
    """Options of the layer of questions; see :class:`ingest.layers.questions.Questions`."""

    generator: str = "auto"
    per_chunk: int = 5
    pairs: int = 5
    keep_per_chunk: int | None = None
    keep: int | None = None
    threshold: float = 0.95
    most_chunks: int = 500

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer."""
        from ingest.layers.questions import Questions

        return Questions.of(model, **self.model_dump())


class EntityOptions(_Section):
    """Options of the layer of entities; see :class:`ingest.layers.entities.layer.Entities`.

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

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer.

        Raises:
            InputError: A file cannot be read.
            ModelUnavailableError: A model is to be asked and none is configured.
        """
        from ingest.layers.entities.extract import Extractor
        from ingest.layers.entities.find import Limits
        from ingest.layers.entities.gazetteer import read_gazetteer
        from ingest.layers.entities.layer import Entities
        from ingest.layers.entities.schema import DEFAULT, read_schema

        if self.extract and model is None:
            raise ModelUnavailableError(NOT_CONFIGURED)
        asked = None if self.extract is False else model
        return Entities(
            gazetteer=read_gazetteer(self.gazetteer) if self.gazetteer else (),
            pipeline=self.pipeline,
            extractor=Extractor.of(asked, read_schema(self.relations or DEFAULT)) if asked else None,
            limits=Limits(self.per_chunk, self.per_paper),
        )


class MetadataOptions(_Section):
    """Options of the layer of metadata: the file of fields and their values, by default ours."""

    fields: Path | None = None

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer.

        Raises:
            InputError: The file cannot be read.
        """
        from ingest.layers.fields import read_fields
        from ingest.layers.metadata import MetadataLayer

        return MetadataLayer.choose(read_fields(self.fields), model)


class PrototypeOptions(_Section):
    """Options of the layer of prototypes; see :class:`ingest.layers.prototypes.Prototypes`."""

    factor: float = 2.0
    most_change: float = 0.25
    seed: int = 0

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from ingest.layers.prototypes import Prototypes

        return Prototypes(**self.model_dump())


class ClusterOptions(_Section):
    """Options of the layer of clusters; see :class:`ingest.layers.clusters.ClustersLayer`."""

    k: int = 8
    least: float = 0.5
    dimension: int = 64
    engine: Literal["auto", "plain"] = "auto"

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer, which no language model has a part in.

        Raises:
            InputError: An option is out of its range.
        """
        from ingest.layers.clusters import ClustersLayer

        try:
            return ClustersLayer(**self.model_dump())
        except ValueError as error:
            raise InputError(f"clusters: {error}", field="config") from error


class LinkOptions(_Section):
    """Options of the layer of links; see :class:`ingest.layers.links.LinksLayer`."""

    names: bool = True

    def layer(self, model: LanguageModel | None) -> Layer:
        """Return the layer, which no language model has a part in."""
        from ingest.layers.links import LinksLayer

        return LinksLayer(**self.model_dump())


class LayerChoice(_Section):
    """The layers that are to be made, ``names``, and the options of each."""

    names: tuple[LayerName, ...] = tuple(LayerName)
    questions: QuestionOptions = QuestionOptions()
    entities: EntityOptions = EntityOptions()
    metadata: MetadataOptions = MetadataOptions()
    prototypes: PrototypeOptions = PrototypeOptions()
    clusters: ClusterOptions = ClusterOptions()
    links: LinkOptions = LinkOptions()

    @classmethod
    def read(cls, path: Path | None = None, *, names: str = "all") -> Self:
        """Read the options of layers from a file.

        Args:
            path: TOML with a section for each layer that is not to be made by default; None for the defaults.
            names: Which layers are made, with commas between, or ``all``.

        Raises:
            InputError: There is no such layer, section or option, a value is out of its range, or the file cannot be
                read.
        """
        chosen = _names(names)
        if path is None:
            return cls(names=chosen)
        try:
            content = path.read_bytes()
            if len(content) > MAX_BYTES:
                raise InputError(f"{path} has {len(content)} bytes, {MAX_BYTES} are allowed", field="config")
            said = tomllib.loads(content.decode("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path} cannot be read as TOML: {error}", field="config") from error
        known = [name.value for name in LayerName]
        if unknown := next((name for name in said if name not in known), None):
            raise InputError(f"{path}: there is no layer {unknown!r}{_nearest(unknown, known)}", field="config")
        try:
            return cls.model_validate(said | {"names": chosen}, context={"folder": path.resolve().parent})
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
            raise InputError(f"{path}: {'; '.join(problems)}", field="config") from error

    def layers(self, model: LanguageModel | None) -> list[Layer]:
        """Return the layers in the order in which they are made.

        Raises:
            InputError: An option is out of its range, or a file that one names cannot be read.
            ModelUnavailableError: A model is asked for and none is configured.
            PromptError: A prompt of the user's cannot be used.
        """
        sections: dict[LayerName, _Buildable] = {
            LayerName.QUESTIONS: self.questions,
            LayerName.ENTITIES: self.entities,
            LayerName.METADATA: self.metadata,
            LayerName.PROTOTYPES: self.prototypes,
            LayerName.CLUSTERS: self.clusters,
            LayerName.LINKS: self.links,
        }
        return [sections[name].layer(model) for name in self.names]


class _Buildable(Protocol):
    def layer(self, model: LanguageModel | None) -> Layer: ...


def _names(text: str) -> tuple[LayerName, ...]:
    """Return the layers that a user named, in order."""
    if text == "all":
        return tuple(LayerName)
    known = [name.value for name in LayerName]
    named = [name.strip() for name in text.split(",")]
    for name in named:
        if name not in known:
            raise InputError(f"there is no layer {name!r}{_nearest(name, known)}: {', '.join(known)}", field="layers")
    return tuple(name for name in LayerName if name in named)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
