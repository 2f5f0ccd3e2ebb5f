"""Text to vectors, with local models, or over HTTP with the one server that an operator names.

The packaged default model runs on ONNX Runtime; sentence-transformers, from the extra ``models``, runs every other
local one. A model is identified by the checksum of its weights; a served one by its vectors. Heavy libraries are
imported when a model embeds its first text.
"""

from collections.abc import Sequence

from papergraph.embedding.device import ON_CPU, Execution, execution_of
from papergraph.embedding.files import (
    find_model,
    is_default,
    is_folder,
    load_tokenizer,
    weights_checksum,
)
from papergraph.embedding.model import Embedder, Floats, ModelCard, check_vectors, encode_whole
from papergraph.embedding.packaged import PackagedModel
from papergraph.embedding.packaged_files import DEFAULT_NAME, DEFAULT_SHA256, fetch_packaged
from papergraph.embedding.sentence_transformer import SentenceTransformerModel
from papergraph.embedding.served import ServedModel, open_served
from papergraph.settings.groups import EmbeddingSettings

__all__ = [
    "DEFAULT_NAME",
    "DEFAULT_SHA256",
    "Embedder",
    "Floats",
    "ModelCard",
    "PackagedModel",
    "SentenceTransformerModel",
    "ServedModel",
    "check_vectors",
    "encode_whole",
    "fetch_packaged",
    "find_model",
    "load_model",
    "load_tokenizer",
    "model_checksum",
    "open_model",
    "price_of",
    "weights_checksum",
]


def load_model(name: str, execution: Execution = ON_CPU) -> PackagedModel | SentenceTransformerModel:
    """Return a local embedding model by name or path.

    Args:
        name: ``bge-small-en-v1.5``, a folder, or the name of a model in the local Hugging Face cache.
        execution: Device, and permission for the model's own code.

    Raises:
        EmbeddingError: The model is missing, unreadable, or has other weights than expected.
    """
    return PackagedModel(execution) if is_default(name) else SentenceTransformerModel.load(name, execution)


def open_model(settings: EmbeddingSettings, name: str, known: Sequence[ModelCard] = ()) -> Embedder:
    """Return a model by name: one that the server of the settings has, or a local one, see :func:`load_model`.

    Args:
        settings: Where the server is, if there is one.
        name: A name at the server, where one is set; the packaged model and folders are local all the same.
        known: Models that the store has vectors of; a name that is among them means the same kind of model.

    Raises:
        InputError: The address or key of the server cannot be one.
        EmbeddingError: There is no such model, or it cannot be used.
    """
    if is_served(settings, name, known):
        return open_served(settings, name, known)
    return load_model(name, execution_of(settings, name))


def model_checksum(settings: EmbeddingSettings, name: str, known: Sequence[ModelCard] = ()) -> str:
    """Return the checksum of a model, without loading one that is local; the rest is as in :func:`open_model`."""
    if is_served(settings, name, known):
        return open_served(settings, name, known).card.sha256
    return DEFAULT_SHA256 if is_default(name) else weights_checksum(find_model(name))


def is_served(settings: EmbeddingSettings, name: str, known: Sequence[ModelCard] = ()) -> bool:
    """Say whether a name is that of a model at the server of the settings."""
    for card in known:
        if card.name == name:
            return bool(card.probes)
    return settings.url is not None and not is_default(name) and not is_folder(name)


def price_of(embedder: Embedder) -> float:
    """Return the price of a million tokens; 0 for a local model."""
    return embedder.settings.price if isinstance(embedder, ServedModel) else 0.0
