"""Models worth choosing, by language and size. Source: the model cards of their publishers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from papergraph.embedding.packaged_files import DEFAULT_NAME

BYTES_PER_PARAMETER = 4
LIBRARIES_GB = 0.5
"""Memory of PyTorch and its libraries themselves."""

MANY = "multilingual"


class Kind(StrEnum):
    """Kind of a model."""

    EMBEDDING = "embedding"
    RERANKER = "reranker"


@dataclass(frozen=True)
class RecommendedModel:
    """A model with safetensors weights that sentence-transformers loads without program code of its own.

    Attributes:
        name: Name at the hub.
        kind: What it computes.
        language: ISO 639-1 code, or ``multilingual``.
        dimension: Length of a vector; None of a reranker.
        parameters_m: Parameters, in millions.
        size_mb: Download, in megabytes, about.
        max_tokens: Longest text.
        licence: SPDX identifier.
    """

    name: str
    kind: Kind
    language: str
    dimension: int | None
    parameters_m: int
    size_mb: int
    max_tokens: int
    licence: str

    @property
    def memory_gb(self) -> float:
        """Memory that it takes on the CPU, in GB, about."""
        return round(self.parameters_m * BYTES_PER_PARAMETER / 1000 + LIBRARIES_GB, 1)


def _embedding(
    name: str, language: str, dimension: int, size: tuple[int, int], rest: tuple[int, str]
) -> RecommendedModel:
    return RecommendedModel(name, Kind.EMBEDDING, language, dimension, *size, *rest)


def _reranker(name: str, language: str, size: tuple[int, int], rest: tuple[int, str]) -> RecommendedModel:
    return RecommendedModel(name, Kind.RERANKER, language, None, *size, *rest)


APACHE, MIT = "Apache-2.0", "MIT"
RECOMMENDED = (
    _embedding(DEFAULT_NAME, "en", 384, (33, 134), (256, MIT)),
    _embedding("MongoDB/mdbr-leaf-ir", "en", 768, (23, 91), (512, APACHE)),
    _embedding("sentence-transformers/all-MiniLM-L6-v2", "en", 384, (23, 91), (256, APACHE)),
    _embedding("BAAI/bge-small-en-v1.5", "en", 384, (33, 134), (512, MIT)),
    _embedding("BAAI/bge-base-en-v1.5", "en", 768, (109, 438), (512, MIT)),
    _embedding("Alibaba-NLP/gte-modernbert-base", "en", 768, (149, 300), (8192, APACHE)),
    _embedding("BAAI/bge-large-en-v1.5", "en", 1024, (335, 1340), (512, MIT)),
    _embedding("BAAI/bge-small-zh-v1.5", "zh", 512, (24, 96), (512, MIT)),
    _embedding("BAAI/bge-base-zh-v1.5", "zh", 768, (102, 410), (512, MIT)),
    _embedding("intfloat/multilingual-e5-small", MANY, 384, (118, 490), (512, MIT)),
    _embedding("intfloat/multilingual-e5-base", MANY, 768, (278, 1130), (512, MIT)),
    _embedding("intfloat/multilingual-e5-large-instruct", MANY, 1024, (560, 1140), (512, MIT)),
    _embedding("Snowflake/snowflake-arctic-embed-l-v2.0", MANY, 1024, (568, 2290), (8192, APACHE)),
    _embedding("Qwen/Qwen3-Embedding-0.6B", MANY, 1024, (596, 1210), (32768, APACHE)),
    _reranker("cross-encoder/ms-marco-MiniLM-L6-v2", "en", (23, 91), (512, APACHE)),
    _reranker("Alibaba-NLP/gte-reranker-modernbert-base", "en", (149, 300), (8192, APACHE)),
    _reranker("BAAI/bge-reranker-base", "zh", (278, 1130), (512, MIT)),
    _reranker("BAAI/bge-reranker-v2-m3", MANY, (568, 2290), (8192, APACHE)),
)
"""By kind and language, the smallest first."""


def recommended(name: str) -> RecommendedModel | None:
    """Return what is known of a model, if it is a recommended one."""
    return next((model for model in RECOMMENDED if model.name == name), None)


def for_language(language: str | None) -> Iterable[RecommendedModel]:
    """Return the models for a language, multilingual ones included; all for None."""
    return (model for model in RECOMMENDED if language in (None, model.language) or model.language == MANY)
