"""Resources of pipelines, created once at start: the store, its model, and other configured parts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace

from papergraph.cross_encoder import Rerankers
from papergraph.database import Database
from papergraph.embedding import Embedder
from papergraph.language_model import LanguageModel
from papergraph.schema.records import Chunk, Paper
from papergraph.server.retrieval.active_model import ActiveModel, KeptVectors
from papergraph.server.selection.backends import Backend
from papergraph.server.selection.ising_backend import device_of
from papergraph.settings import Settings
from papergraph.settings.groups import AnswerSettings


@dataclass(frozen=True)
class Resources:
    """Resources of pipelines.

    Attributes:
        database: A prepared store.
        model: The model of its vectors.
        language_model: The configured one, or None.
        rerankers: Cross-encoders, loaded on first use.
        vectors: Cache of the vectors of chunks.
        figure: Draws the picture of a caption for a language model that reads images, as PNG; None if it cannot.
        device: The Ising device of selections that name the back end ``pbit``, or None.
        answers: Settings of answers.
        turn: Waits for a turn of the server's processors, for work that is no request of its own.
    """

    database: Database
    model: ActiveModel
    language_model: LanguageModel | None = None
    rerankers: Rerankers = field(default_factory=Rerankers)
    vectors: KeptVectors = field(default_factory=KeptVectors)
    figure: Callable[[Paper, Chunk], Awaitable[bytes | None]] | None = None
    device: Backend | None = None
    answers: AnswerSettings = field(default_factory=AnswerSettings)
    turn: Callable[[], AbstractAsyncContextManager[None]] = nullcontext

    @classmethod
    def of(cls, database: Database, embedder: Embedder | ActiveModel) -> "Resources":
        """Return what a store and its model alone are enough for."""
        return cls(database, embedder if isinstance(embedder, ActiveModel) else ActiveModel(embedder))


@asynccontextmanager
async def equipped(settings: Settings, resources: Resources) -> AsyncIterator[Resources]:
    """Give the resources with what the settings name: a language model, a reranker, an Ising device.

    Raises:
        InputError: An address or a key cannot be one.
        FileContentError: A prompt of the user's folder cannot be used.
    """
    resources = replace(
        resources,
        rerankers=Rerankers(settings.reranker.model, served=settings.reranker),
        device=device_of(settings),
        answers=settings.answers,
    )
    if not (settings.llm.url and settings.llm.model):
        yield resources
        return
    async with LanguageModel.from_settings(settings) as model:
        yield replace(resources, language_model=model)
