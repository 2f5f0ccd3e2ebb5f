"""What pipelines run with, made once at the edge: the store, its model, and what is configured beside them."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.language_model import LanguageModel
from papergraph.settings import Settings
from server.retrieval.followed import FollowedModel
from server.retrieval.pipelines import Pipeline, read_pipelines, shipped
from server.retrieval.rerank import Rerankers
from server.retrieval.vectors import KeptVectors
from server.selection.backends import Backend
from server.selection.device import device_of


@dataclass(frozen=True)
class Resources:
    """What a pipeline can use.

    Attributes:
        database: A prepared store.
        model: The model of its vectors.
        language_model: The configured one, or None.
        rerankers: Cross-encoders, loaded when they are first needed.
        vectors: Those of chunks that selections read last.
        pipelines: All that there are, by name: ours, and the user's, which replace ours of the same name.
        device: The Ising device of selections that name the back end ``pbit``, or None.
    """

    database: Database
    model: FollowedModel
    language_model: LanguageModel | None = None
    rerankers: Rerankers = field(default_factory=Rerankers)
    vectors: KeptVectors = field(default_factory=KeptVectors)
    pipelines: Mapping[str, Pipeline] = field(default_factory=shipped)
    device: Backend | None = None

    @classmethod
    def of(cls, database: Database, embedder: Embedder | FollowedModel) -> "Resources":
        """Return what a store and its model alone are enough for."""
        return cls(database, embedder if isinstance(embedder, FollowedModel) else FollowedModel(embedder))


def known_pipelines(settings: Settings) -> Mapping[str, Pipeline]:
    """Return ours and the user's pipelines by name.

    Raises:
        PipelineError: The user's file cannot be read, or a pipeline of it is wrong.
    """
    return {**shipped(), **(read_pipelines(settings.pipelines) if settings.pipelines else {})}


@asynccontextmanager
async def equipped(settings: Settings, resources: Resources) -> AsyncIterator[Resources]:
    """Give the resources with what the settings name: a language model, a reranker, pipelines, an Ising device.

    Raises:
        InputError: An address, a key or a pipeline cannot be one.
        PromptError: A prompt of the user's folder cannot be used.
    """
    resources = replace(
        resources,
        rerankers=Rerankers(settings.reranker),
        pipelines=known_pipelines(settings),
        device=device_of(settings),
    )
    if not (settings.llm_url and settings.llm_model):
        yield resources
        return
    async with LanguageModel.from_settings(settings) as model:
        yield replace(resources, language_model=model)
