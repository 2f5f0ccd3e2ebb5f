"""What is known of models by name: texts that go before queries and documents, and how long a text may be.

Source: the model cards of the publishers. A model is found by the end of its name, so that ``bge-m3``,
``BAAI/bge-m3`` and ``bge-m3:latest`` are one.
"""

from dataclasses import dataclass

SEARCH = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True)
class KnownModel:
    """A model.

    Attributes:
        name: Name at the Hugging Face hub.
        max_tokens: Longest text, in its own tokens.
        query_prefix: What goes before a query.
        document_prefix: What goes before any other text.
    """

    name: str
    max_tokens: int
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def short_name(self) -> str:
        """Name without the publisher, in small letters."""
        return self.name.rpartition("/")[2].lower()


KNOWN_MODELS = (
    KnownModel("sentence-transformers/all-MiniLM-L6-v2", 256),
    KnownModel("sentence-transformers/all-mpnet-base-v2", 384),
    *(KnownModel(f"intfloat/e5-{size}-v2", 512, "query: ", "passage: ") for size in ("small", "base", "large")),
    *(KnownModel(f"intfloat/multilingual-e5-{size}", 512, "query: ", "passage: ") for size in ("small", "base")),
    KnownModel("intfloat/multilingual-e5-large", 512, "query: ", "passage: "),
    KnownModel("intfloat/multilingual-e5-large-instruct", 512, f"{INSTRUCT} "),
    *(KnownModel(f"BAAI/bge-{size}-en-v1.5", 512, SEARCH) for size in ("small", "base", "large")),
    KnownModel("BAAI/bge-m3", 8192),
    *(KnownModel(f"thenlper/gte-{size}", 512) for size in ("small", "base", "large")),
    *(KnownModel(f"Alibaba-NLP/gte-{size}-en-v1.5", 8192) for size in ("base", "large")),
    KnownModel("Alibaba-NLP/gte-multilingual-base", 8192),
    *(KnownModel(f"Alibaba-NLP/gte-Qwen2-{size}-instruct", 32768, f"{INSTRUCT} ") for size in ("1.5B", "7B")),
    *(KnownModel(f"Qwen/Qwen3-Embedding-{size}", 32768, INSTRUCT) for size in ("0.6B", "4B", "8B")),
    KnownModel("nomic-ai/nomic-embed-text-v1.5", 8192, "search_query: ", "search_document: "),
    KnownModel("nomic-ai/nomic-embed-text", 8192, "search_query: ", "search_document: "),
    KnownModel("mixedbread-ai/mxbai-embed-large-v1", 512, SEARCH),
    KnownModel("mixedbread-ai/mxbai-embed-large", 512, SEARCH),
    *(KnownModel(f"Snowflake/snowflake-arctic-embed-{size}", 512, SEARCH) for size in ("xs", "s", "m", "l")),
    *(KnownModel(f"Snowflake/snowflake-arctic-embed-{size}-v2.0", 8192, "query: ") for size in ("m", "l")),
    KnownModel("google/embeddinggemma-300m", 2048, "task: search result | query: ", "title: none | text: "),
    *(KnownModel(f"openai/text-embedding-{size}", 8191) for size in ("3-small", "3-large", "ada-002")),
)
DEFAULT_MAX_TOKENS = 512


def known_model(name: str) -> KnownModel:
    """Return what is known of a model; without prefixes and with 512 tokens if that is nothing."""
    short = name.rpartition("/")[2].partition(":")[0].lower()
    found = next((model for model in KNOWN_MODELS if model.short_name == short), None)
    return found or KnownModel(name, DEFAULT_MAX_TOKENS)
