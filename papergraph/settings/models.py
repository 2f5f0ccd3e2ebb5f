"""Groups of settings of embedding models and rerankers."""

from typing import Literal

from pydantic import Field, SecretStr

from papergraph.settings.groups import NO_SECRET, TOML_ONLY, Group, Names

Device = Literal["cpu", "cuda", "mps", "auto"]


class EmbeddingSettings(Group):
    """Embedding model."""

    model: str = Field(
        "bge-small-en-v1.5",
        description="Name or path of an embedding model; without it a store keeps its own.",
    )
    url: str | None = Field(
        None,
        examples=["http://127.0.0.1:8080/v1"],
        description="Base address of a server with the model, with `/v1` for OpenAI's protocol.",
    )
    api_key: SecretStr = Field(NO_SECRET, description="Key for it.")
    protocol: Literal["openai", "tei"] = Field(
        "openai", description="Protocol there; `tei` for text-embeddings-inference."
    )
    dimension: int | None = Field(
        None,
        examples=[256],
        ge=1,
        le=4096,
        description="Numbers of a vector of that server to keep, for models that allow it (default: all).",
    )
    query_prefix: str | None = Field(
        None,
        examples=["query: "],
        description="Text before a query at that server (default: by the model's name).",
        json_schema_extra=TOML_ONLY,
    )
    document_prefix: str | None = Field(
        None,
        examples=["passage: "],
        description="Text before any other text there (default: by the model's name).",
        json_schema_extra=TOML_ONLY,
    )
    max_tokens: int | None = Field(
        None,
        examples=[512],
        ge=16,
        le=1_000_000,
        description="Longest text for that server, in tokens (default: by the model's name, else 512).",
        json_schema_extra=TOML_ONLY,
    )
    tokenizer: str = Field(
        "bge-small-en-v1.5",
        description="Name or path of the model whose tokenizer measures texts for that server.",
        json_schema_extra=TOML_ONLY,
    )
    batch_size: int = Field(
        64, ge=2, le=2000, description="Texts in one request to that server.", json_schema_extra=TOML_ONLY
    )
    concurrency: int = Field(
        4, ge=1, le=256, description="Requests that one process has open there.", json_schema_extra=TOML_ONLY
    )
    attempts: int = Field(6, ge=1, le=20, description="Attempts of one request there.", json_schema_extra=TOML_ONLY)
    timeout_s: float = Field(
        120.0,
        gt=0,
        le=7200,
        description="Time limit of a request there, retries included.",
        json_schema_extra=TOML_ONLY,
    )
    price: float = Field(0.0, ge=0, le=1e6, description="Price of a million tokens there.", json_schema_extra=TOML_ONLY)
    device: Device = Field(
        "cpu",
        description="Processor of local models but the packaged one; `auto` is a GPU (`cuda`, `mps`), if there is one.",
    )
    trust_remote_code: Names = Field(
        (),
        examples=["Alibaba-NLP/gte-base-en-v1.5"],
        description="Local models whose own [program code](models.md#models-with-program-code) may run.",
    )


class RerankerSettings(Group):
    """Reranker."""

    model: str | None = Field(
        None, examples=["models/my-cross-encoder"], description="Name or path of a sentence-transformers CrossEncoder."
    )
    url: str | None = Field(
        None,
        examples=["http://127.0.0.1:8080/v1"],
        description="Base address of a server with the model; papergraph asks `/rerank` below it.",
    )
    api_key: SecretStr = Field(NO_SECRET, description="Key for it.")
    protocol: Literal["cohere", "tei"] = Field(
        "cohere", description="Protocol there: that of Cohere, Jina and Voyage, or `tei` for text-embeddings-inference."
    )
    scores: Literal["probability", "logit"] = Field(
        "probability", description="Scores there: from 0 to 1, or logits.", json_schema_extra=TOML_ONLY
    )
    batch_size: int = Field(
        32, ge=1, le=1000, description="Passages in one request there.", json_schema_extra=TOML_ONLY
    )
    attempts: int = Field(2, ge=1, le=20, description="Attempts of one request there.", json_schema_extra=TOML_ONLY)
    timeout_s: float = Field(
        5.0, gt=0, le=60, description="Time limit of a request there in all.", json_schema_extra=TOML_ONLY
    )
    device: Device = Field("cpu", description="Processor of a local reranker, as of embedding models.")
