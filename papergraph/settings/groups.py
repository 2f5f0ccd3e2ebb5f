"""Groups of settings."""

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

# Groups of settings: a table of papergraph.toml each, and a word of the names of environment variables


TOML_ONLY: dict[str, Any] = {"toml_only": True}
"""Marks settings that papergraph.toml alone sets."""

HTTP = r"^https?://[^/\s]+"
ORIGIN = r"^https?://[^/\s*@]+$"

NO_SECRET = SecretStr("")


def _with_commas(value: Any) -> Any:
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_with_commas)]
"""Names, in an environment variable with commas between."""

WorkSources = Annotated[tuple[Literal["openalex", "crossref", "arxiv"], ...], BeforeValidator(_with_commas)]
"""Catalogues of works, in an environment variable with commas between."""


def _networks(value: tuple[str, ...]) -> tuple[str, ...]:
    for name in value:
        ipaddress.ip_network(name, strict=False)
    return value


Networks = Annotated[Names, AfterValidator(_networks)]
"""Addresses and networks, such as 10.0.0.0/8, in an environment variable with commas between."""

Origins = Annotated[
    tuple[Annotated[str, AfterValidator(str.lower), Field(pattern=ORIGIN)], ...], BeforeValidator(_with_commas)
]
"""Origins of pages, such as ``https://app.example.org``: scheme, host, and port unless it is the default."""

UserPath = Annotated[Path, AfterValidator(Path.expanduser)]
"""Path, where ``~`` is the user's home."""


class Group(BaseModel):
    """Settings of one area."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ServerSettings(Group):
    """Address, API keys and load of the server."""

    host: str = Field("127.0.0.1", description="Address to listen on; other machines need API keys.")
    port: int = Field(8000, ge=1, le=65535, description="Port to listen on.")
    processes: int = Field(1, ge=1, le=64, description="Server processes; limits and metrics cover all of them.")
    require_api_key: bool = Field(False, description="Require an API key for every request.")
    trusted_hosts: Names = Field((), description="Accepted `Host` headers besides those of this machine.")
    trusted_proxies: Networks = Field(
        ("127.0.0.1", "::1"),
        examples=["10.0.0.0/8"],
        description="Addresses and networks of proxies whose `X-Forwarded-*` headers count.",
    )
    allowed_origins: Origins = Field(
        (),
        examples=["https://app.example.org"],
        description="Origins of web pages elsewhere that may use the API (CORS and WebSockets).",
    )
    web: bool = Field(True, description="Serve the [web interface](web.md).")
    max_active_requests: int = Field(
        8,
        ge=0,
        description="Requests processed at the same time; 16 times as many may be open, 8 times from one key; 0 = off.",
    )


class LimitSettings(Group):
    """Limits of one API key, or of one address where no keys are required."""

    requests_per_minute: int = Field(30_000, ge=0, description="Requests of one account or address; 0 = off.")
    cost_per_minute: int = Field(
        10_000_000, ge=0, description="Cost of the requests of one account or address; 0 = off."
    )
    cost_per_request: int = Field(
        20_000,
        ge=1,
        le=1_000_000_000,
        description="Highest cost of a GraphQL operation or REST request.",
        json_schema_extra=TOML_ONLY,
    )


class GraphqlSettings(Group):
    """GraphQL endpoint."""

    allowed_queries: UserPath | None = Field(
        None, examples=["queries.json"], description="JSON file of the only queries that are accepted."
    )
    introspection: bool = Field(
        True, description="Show the schema, and suggest names in errors.", json_schema_extra=TOML_ONLY
    )


class Neo4jSettings(Group):
    """Neo4j store."""

    uri: str | None = Field(
        None,
        examples=["bolt://127.0.0.1:7687"],
        description="Address of a Neo4j server (default: a local one is started).",
    )
    user: str = Field("neo4j", description="User there.")
    password: SecretStr = Field(NO_SECRET, description="Password there.")
    database: str = Field("neo4j", description="Database there.")
    quantization: Literal["none", "scalar", "binary"] = Field(
        "none", description="[Precision of vectors](scaling.md#memory) in the indexes of a new store."
    )
    timeout_s: float = Field(8.0, gt=0, le=600, description="Time limit of a database call; a request gets 1 s more.")
    java: UserPath | None = Field(
        None, examples=["/usr/bin/java"], description="`java` (21 or newer) for the local Neo4j (default: found)."
    )
    heap_mb: int | None = Field(
        None,
        examples=[4096],
        ge=256,
        description="Java heap of the local Neo4j in MiB (default: a sixth of the memory).",
    )
    page_cache_mb: int | None = Field(
        None,
        examples=[4096],
        ge=16,
        description="Page cache of the local Neo4j in MiB (default: a third of the memory).",
    )


class CypherSettings(Group):
    """User-supplied Cypher queries."""

    uri: str | None = Field(
        None,
        examples=["bolt://neo4j@127.0.0.1:7887"],
        description="Neo4j for user-supplied Cypher, such as `bolt://user@host:7687` (default: the store).",
    )
    password: SecretStr = Field(NO_SECRET, description="Password there (known for the local replica).")
    mcp: bool = Field(False, description="Offer Cypher to agents over MCP.")
    timeout_s: float = Field(10.0, gt=0, le=50, description="Time limit of a query.", json_schema_extra=TOML_ONLY)
    concurrency: int = Field(
        2, ge=1, le=64, description="Queries that run at the same time.", json_schema_extra=TOML_ONLY
    )


class LlmSettings(Group):
    """Language model."""

    url: str | None = Field(
        None, examples=["http://127.0.0.1:8080/v1"], description="Base address of an OpenAI-compatible API, with `/v1`."
    )
    model: str | None = Field(None, examples=["qwen3-8b"], description="Name of the model there.")
    api_key: SecretStr = Field(NO_SECRET, description="Key for it.")
    timeout_s: float = Field(180.0, gt=0, le=7200, description="Time limit of an answer, retries included.")
    tokens_per_day: int = Field(0, ge=0, description="Tokens of one account or address in a UTC day; 0 = off.")
    cost_per_day: float = Field(0.0, ge=0, description="Cost of one account or address in a UTC day; 0 = off.")
    attempts: int = Field(5, ge=1, le=20, description="Attempts of one request.", json_schema_extra=TOML_ONLY)
    attempt_timeout_s: float = Field(
        60.0, gt=0, le=3600, description="Time limit of one attempt.", json_schema_extra=TOML_ONLY
    )
    concurrency: int = Field(
        4, ge=1, le=256, description="Requests that one process has open.", json_schema_extra=TOML_ONLY
    )
    max_answer_tokens: int = Field(
        2048, ge=1, le=1_000_000, description="Longest answer to request, in tokens.", json_schema_extra=TOML_ONLY
    )
    json_mode: Literal["json_schema", "json_object", "prompt"] = Field(
        "json_schema",
        description="JSON answers are enforced by a schema, by a JSON mode, or by the prompt alone.",
        json_schema_extra=TOML_ONLY,
    )
    images: bool = Field(False, description="The model reads images: answers send it the figures of found captions.")
    cache_bytes: int = Field(
        1_000_000_000, ge=0, description="Size of the cache of answers; 0 = off.", json_schema_extra=TOML_ONLY
    )
    prompts_dir: UserPath | None = Field(
        None,
        examples=["prompts"],
        description="Folder of prompts that replace built-in ones by name.",
        json_schema_extra=TOML_ONLY,
    )
    input_price: float = Field(
        0.0, ge=0, le=1e6, description="Price of a million input tokens.", json_schema_extra=TOML_ONLY
    )
    output_price: float = Field(
        0.0, ge=0, le=1e6, description="Price of a million output tokens.", json_schema_extra=TOML_ONLY
    )


class AnswerSettings(Group):
    """Second check of answers."""

    second_check: Literal["none", "entailment", "judge"] = Field(
        "none",
        description="Model that may deny sentences that the rules accept ([second check](answers.md#second-check)).",
    )
    entailment_model: str | None = Field(
        None,
        examples=["models/nli-deberta-v3-base"],
        description="Name or path of the entailment model (default: `[reranker] model`).",
    )
    check_timeout_s: float = Field(
        10.0, gt=0, le=600, description="Time limit of the second check of a sentence.", json_schema_extra=TOML_ONLY
    )


class ProxySettings(Group):
    """Service that receives OpenAI requests for other models."""

    url: str | None = Field(
        None, examples=["http://127.0.0.1:8080/v1"], description="Base address of an OpenAI-compatible API, with `/v1`."
    )
    api_key: SecretStr = Field(NO_SECRET, description="Key for it.")
    pipeline: str = Field(
        "default", description="Pipeline that retrieves the passages to add.", json_schema_extra=TOML_ONLY
    )
    input_price: float = Field(
        0.0, ge=0, le=1e6, description="Price of a million input tokens.", json_schema_extra=TOML_ONLY
    )
    output_price: float = Field(
        0.0, ge=0, le=1e6, description="Price of a million output tokens.", json_schema_extra=TOML_ONLY
    )


class IngestSettings(Group):
    """Ingestion."""

    max_file_bytes: int = Field(
        20_000_000, gt=0, le=1_000_000_000, description="Largest document or upload to accept, in bytes."
    )
    processes: int | None = Field(
        None,
        examples=[4],
        ge=0,
        le=256,
        description="Child processes that parse at a time (default: one per processor); 0 = one after the other.",
    )
    partial_share: float = Field(
        0.2, ge=0, le=1, description="Share of a paper's pages or letters above which their loss makes it `PARTIAL`."
    )


class ParserSettings(Group):
    """PDF parser."""

    engine: Literal["builtin", "docling", "marker", "grobid"] = Field(
        "builtin", description="PDF parser: papergraph's own, or a service."
    )
    url: str | None = Field(
        None,
        examples=["http://127.0.0.1:8070"],
        description="Address of that service, such as `http://127.0.0.1:8070`.",
    )
    timeout_s: float = Field(
        300.0, gt=0, le=3600, description="Time limit of one PDF at a service.", json_schema_extra=TOML_ONLY
    )


class FetchSettings(Group):
    """Documents from the network."""

    allowed_hosts: Names = Field(
        ("arxiv.org", "*.arxiv.org", "doi.org", "api.openalex.org"),
        description="Hosts to fetch documents from; `*.example.org` for subdomains, `*` for any.",
    )
    catalogues: bool = Field(False, description="Look up identifiers at Crossref, PubMed and OpenAlex.")
    private_hosts: Names = Field(
        (),
        description="Private hosts that `fetch crawl` may ask, also without TLS; `wiki.intranet:8080` names a port.",
        examples=["wiki.intranet,127.0.0.1:8000"],
    )
    openalex_key: SecretStr = Field(NO_SECRET, description="Free key for OpenAlex.")
    allow_http: bool = Field(False, description="Fetch documents without TLS too.", json_schema_extra=TOML_ONLY)
    timeout_s: float = Field(60.0, gt=0, le=3600, description="Time limit of one URL.", json_schema_extra=TOML_ONLY)


class ZoteroSettings(Group):
    """Zotero, whose library `papergraph zotero sync` reads and `push` writes to."""

    url: str = Field(
        "http://127.0.0.1:23119/api",
        description="Address of its API: of Zotero on this machine, or `https://api.zotero.org`.",
    )
    key: SecretStr = Field(NO_SECRET, description="API key, for the web API and for every push.")
    library: str = Field(
        "users/0",
        pattern=r"^(users|groups)/[0-9]{1,12}$",
        description="Library: `users/0` for one's own on this machine, `users/ID` or `groups/ID`.",
    )
    write_to: str = Field(
        "",
        pattern=r"^(https?://[^ ]+/(users|groups)/[0-9]{1,12})?$",
        examples=["https://api.zotero.org/users/12345"],
        description="Library of the web API that a push writes to; needed if Zotero here is older than 10.",
    )


class DeviceSettings(Group):
    """Ising device for selections."""

    url: str | None = Field(
        None, examples=["http://127.0.0.1:8765"], description="Address of the device, such as `http://127.0.0.1:8765`."
    )
    token: SecretStr = Field(NO_SECRET, description="Bearer token for it, required by the emulator where set.")


class LogSettings(Group):
    """Log of servers and workers."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Lowest level to log.")
    format: Literal["text", "json"] | None = Field(
        None, examples=["json"], description="Format (default: text in a terminal, else JSON)."
    )
    slow_query_ms: float = Field(1000.0, ge=0, description="Log queries slower than this (ms); 0 = off.")


class BackupSettings(Group):
    """Daily backups by the server."""

    dir: UserPath | None = Field(
        None, examples=["~/backups/papers"], description="Folder of the archive of [backups](backup.md); none = off."
    )
    at: str = Field("03:00", pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="Local time of day of the backup.")
    keep: str = Field(
        "7d,4w,12m",
        pattern=r"^\d{1,4}[dwm](,\d{1,4}[dwm])*$",
        description="Days, weeks and months whose last backup stays.",
    )


class WatchSettings(Group):
    """Watches by the server."""

    enabled: bool = Field(False, description="Run due [watches](watching.md#watches) while the server runs.")
    sources: WorkSources = Field(
        (), description="Sources of new papers: `openalex`, `crossref`, `arxiv`.", examples=["openalex,arxiv"]
    )


class MetricsSettings(Group):
    """Metrics."""

    address: str | None = Field(
        None,
        examples=["127.0.0.1:9464"],
        pattern=r"^(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+):[0-9]{1,5}$",
        description="`host:port` that serves metrics without a key (default: off).",
    )

    @property
    def host_and_port(self) -> tuple[str, int] | None:
        """Host and port of the address, or None."""
        if self.address is None:
            return None
        host, _, port = self.address.rpartition(":")
        return host.strip("[]"), int(port)


class OtelSettings(Group):
    """Traces."""

    endpoint: str | None = Field(
        None,
        examples=["http://127.0.0.1:4318"],
        description="OpenTelemetry collector, such as `http://127.0.0.1:4318`.",
    )


class MirrorSettings(Group):
    """Replacements of public services; their ports on this machine's loopback are allowed."""

    arxiv: str | None = Field(
        None,
        examples=["https://arxiv.example.org"],
        pattern=HTTP,
        description="Mirror of arXiv, with `/api/query`, `/oai`, `/pdf` and `/src`.",
        json_schema_extra=TOML_ONLY,
    )
    hub: str = Field(
        "https://huggingface.co",
        pattern=HTTP,
        description="Hub of `papergraph models get`.",
        json_schema_extra=TOML_ONLY,
    )
    spacy: str = Field(
        "https://github.com/explosion/spacy-models/releases/download",
        pattern=HTTP,
        description="Releases of spaCy's pipelines, for `papergraph models get spacy:…`.",
        json_schema_extra=TOML_ONLY,
    )
    maven: str | None = Field(
        None,
        examples=["https://maven.example.org"],
        pattern=HTTP,
        description="Maven repository of Neo4j's jars.",
        json_schema_extra=TOML_ONLY,
    )
    crossref: str = Field(
        "https://api.crossref.org", pattern=HTTP, description="Address of Crossref.", json_schema_extra=TOML_ONLY
    )
    pubmed: str = Field(
        "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
        pattern=HTTP,
        description="Address of NCBI's E-utilities.",
        json_schema_extra=TOML_ONLY,
    )
    openalex: str = Field(
        "https://api.openalex.org", pattern=HTTP, description="Address of OpenAlex.", json_schema_extra=TOML_ONLY
    )


# Groups of settings of embedding models and rerankers


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
        description="Local models whose own [program code](models.md#local-models) may run.",
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
    protocol: Literal["cohere", "tei", "labels"] = Field(
        "cohere",
        description="Protocol there: of Cohere, Jina and Voyage; `tei` and `labels` (entailment) of TEI.",
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
