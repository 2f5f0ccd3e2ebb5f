"""Text to vectors, with local models and without any network.

The packaged default model runs on ONNX Runtime and, for bulk work, on PyTorch; sentence-transformers runs every other.
Which library made a vector is no part of its identity: the weights are. Heavy libraries are imported when a model
embeds its first text, not before.
"""

from papergraph.embedding.files import (
    DEFAULT_NAME,
    DEFAULT_SHA256,
    find_model,
    is_default,
    load_tokenizer,
    weights_checksum,
)
from papergraph.embedding.model import Embedder, Floats, ModelCard, check_vectors
from papergraph.embedding.packaged import PackagedModel
from papergraph.embedding.sentence_transformer import SentenceTransformerModel
from papergraph.embedding.windows import encode_whole

__all__ = [
    "DEFAULT_NAME",
    "DEFAULT_SHA256",
    "Embedder",
    "Floats",
    "ModelCard",
    "PackagedModel",
    "SentenceTransformerModel",
    "check_vectors",
    "encode_whole",
    "find_model",
    "load_model",
    "load_tokenizer",
    "weights_checksum",
]


def load_model(name: str) -> PackagedModel | SentenceTransformerModel:
    """Return a local embedding model by name or path.

    Args:
        name: ``all-MiniLM-L6-v2``, a folder, or a name whose files already lie in the local Hugging Face cache.

    Raises:
        EmbeddingError: There is no such model here, its files cannot be read, or the weights are not the expected ones.
    """
    return PackagedModel(name) if is_default(name) else SentenceTransformerModel.load(name)
