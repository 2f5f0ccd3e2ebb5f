"""Settings, read once at the edge from the environment (prefix ``PAPERGRAPH_``) and passed in."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SecretsSettingsSource,
    SettingsConfigDict,
)

PREFIX = "PAPERGRAPH_"
FOREIGN_NAMES = frozenset({"PAPERGRAPH_DATA"})
"""Names with our prefix that other programs of the project read: evaluation data, and all of ``PAPERGRAPH_TEST_``."""


class Settings(BaseSettings):
    """What an operator can choose; each field is the environment variable ``PAPERGRAPH_<NAME>``."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    secrets: Path | None = None
    """Folder with settings in files, such as ``papergraph_neo4j_password``, kept out of the environment."""

    home: Path = Field(default_factory=lambda: user_data_path("papergraph"))
    """Where the local Neo4j keeps its store, its password and its logs, and where uploads lie."""

    cache: Path = Field(default_factory=lambda: user_cache_path("papergraph"))
    """Where downloads lie that can be fetched again."""

    neo4j_uri: str | None = None
    """A Neo4j of one's own; with it nothing local is started."""

    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr = SecretStr("")
    neo4j_database: str = "neo4j"

    cypher_uri: str | None = None
    """A Neo4j that other people's Cypher is asked of, such as that of ``papergraph neo4j copy``; else the store is."""

    cypher_user: str = "neo4j"
    cypher_password: SecretStr = SecretStr("")
    """Login there; of the local copy the password is known."""

    database_deadline_s: float = Field(default=8.0, gt=0, le=600)
    """Longest time that one read or write may take; a request may take a second more."""

    cypher_deadline_s: float = Field(default=10.0, gt=0, le=50)
    """Longest time that a query of a researcher's may take."""

    cypher_at_once: int = Field(default=2, ge=1, le=64)
    """How many of them run at the same time, each asker's one by one; others wait."""

    mcp_cypher: bool = False
    """Whether agents may query with Cypher over MCP."""

    slow_query_ms: float = Field(default=1000.0, ge=0)
    """Statements that take as long, in milliseconds, are told in the log; 0 tells of none."""

    log: Literal["text", "json"] | None = None
    """How the log of a server or worker is written; by default as text in a terminal, else as JSON."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least that the log tells of."""

    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = Field(default=None, ge=1, le=65535)
    """Where a server or worker tells its metrics and asks for no key; off by default, the server has ``/metrics``."""

    otel_endpoint: str | None = None
    """Base address of an OpenTelemetry collector that traces are sent to, such as ``http://127.0.0.1:4318``."""

    embedding_model: str = "all-MiniLM-L6-v2"
    """Name or path of a local sentence-transformers model; the default comes out of a package."""

    llm_url: str | None = None
    """Base address of an OpenAI-compatible language model, such as ``http://127.0.0.1:8080/v1``; none by default."""

    llm_model: str | None = None
    """Name of the model there."""

    llm_api_key: SecretStr = SecretStr("")
    """Key for it; empty where none is asked for."""

    llm_attempt_s: float = Field(default=60.0, gt=0, le=3600)
    """Longest time for one attempt at an answer."""

    llm_deadline_s: float = Field(default=180.0, gt=0, le=7200)
    """Longest time for an answer, with all attempts, pauses and the repair."""

    llm_attempts: int = Field(default=5, ge=1, le=20)
    """How often a request is sent that fails for reasons that may pass."""

    llm_concurrency: int = Field(default=4, ge=1, le=256)
    """How many requests of one process are open at once."""

    llm_max_answer_tokens: int = Field(default=2048, ge=1, le=1_000_000)
    """Longest answer asked for."""

    llm_json: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    """How a JSON answer is asked for: the server holds the model to the schema, to JSON, or the prompt alone does."""

    llm_input_price: float = Field(default=0.0, ge=0, le=1e6)
    llm_output_price: float = Field(default=0.0, ge=0, le=1e6)
    """Prices per million tokens, in any one currency."""

    llm_tokens_per_day: int = Field(default=0, ge=0)
    llm_cost_per_day: float = Field(default=0.0, ge=0)
    """What the questions of one key, or from one address, may take of it in a day of UTC; 0 for any amount."""

    llm_cache_bytes: int = Field(default=1_000_000_000, ge=0)
    """Room for answers below ``cache``; 0 keeps none."""

    llm_prompts: Path | None = None
    """Folder of prompts of one's own, which replace ours of the same name."""

    upstream_url: str | None = None
    """Base address of an OpenAI-compatible service, to which requests for models that are not ours are passed on."""

    upstream_key: SecretStr = SecretStr("")
    """Key for it; empty where none is asked for."""

    upstream_pipeline: str = "default"
    """How passages are found that such requests are given."""

    upstream_input_price: float = Field(default=0.0, ge=0, le=1e6)
    upstream_output_price: float = Field(default=0.0, ge=0, le=1e6)
    """Prices of that service per million tokens, in the currency of ``llm_cost_per_day``."""

    layers: Path | None = None
    """TOML file of the options of layers that ``papergraph enrich`` makes."""

    pipelines: Path | None = None
    """TOML file of pipelines of one's own; one with the name of ours replaces it."""

    reranker: str | None = None
    """Name or path of a sentence-transformers CrossEncoder, for pipelines that rerank."""

    parser: Literal["own", "docling", "marker", "grobid"] = "own"
    """What reads PDFs: papergraph itself, or a service at one of the next three addresses."""

    docling_url: str | None = None
    """Address of docling-serve, such as ``http://127.0.0.1:5001``."""

    marker_url: str | None = None
    """Address of marker_server, such as ``http://127.0.0.1:8001``."""

    grobid_url: str | None = None
    """Address of GROBID, such as ``http://127.0.0.1:8070``."""

    parser_timeout_s: float = Field(default=300.0, gt=0, le=3600)
    """Longest time that a service may take for one PDF."""

    parser_max_bytes: int = Field(default=100_000_000, gt=0)
    """Longest answer that is taken from it."""

    pbit_url: str | None = None
    """Address of an Ising device for selections, such as ``http://127.0.0.1:8765``; it speaks docs/device.md."""

    pbit_token: SecretStr = SecretStr("")
    """What is shown to it, and what ``papergraph pbit-emulator`` asks for; empty where none is."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)

    keys: Literal["off", "required"] = "off"
    """Whether requests to the server need a key."""

    key: SecretStr = SecretStr("")
    """The key that commands show to a running server."""

    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Names and addresses that the server is reached by beside those of this machine, with commas between."""

    requests_per_minute: int = Field(default=30_000, ge=0)
    """Requests with one key, or from one address where there are no keys; 0 for any number."""

    cost_per_minute: int = Field(default=10_000_000, ge=0)
    """What they may cost, in GraphQL and REST; 0 for anything."""

    requests_at_once: int = Field(default=64, ge=0)
    """Requests of one key, or from one address, that are answered at the same time; 0 for any number."""

    all_requests_at_once: int = Field(default=128, ge=0)
    """Requests of all that are; 0 for any number."""

    worked_on_at_once: int = Field(default=8, ge=0)
    """Those of them that are worked on while the others wait for their turn, 2 s at most; 0 for any number."""

    graphql_max_cost: int = Field(default=20_000, ge=1, le=1_000_000_000)
    """Highest cost of a GraphQL operation, or a request of REST; docs/graphql.md tells how it is reckoned."""

    graphql_introspection: bool = True
    """Whether GraphQL tells its schema, and names that are near to a wrong one."""

    graphql_get: bool = False
    """Whether GraphQL queries may come by GET, which caches on the way keep, and logs too."""

    graphql_allowed: Path | None = None
    """JSON file of GraphQL queries by their sha-256; with it no others are answered."""

    upload_max_bytes: int = Field(default=25_000_000, gt=0, le=1_000_000_000)
    """Largest file that may be uploaded."""

    uploads_waiting: int = Field(default=100, ge=1, le=10_000)
    """How many uploads of one key, or from one address, may wait until their jobs are done."""

    uploads_bytes: int = Field(default=500_000_000, gt=0)
    """How large they may be together."""

    uploads_kept_h: float = Field(default=24.0, gt=0, le=8760)
    """How long an upload is kept that no unfinished job names."""

    max_file_bytes: int = Field(default=20_000_000, gt=0)
    """Largest document that is read."""

    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ("arxiv.org", "*.arxiv.org", "doi.org", "api.openalex.org")
    """Hosts that may be asked for documents, with commas between; ``*.example.org`` for all below, ``*`` for any."""

    allow_http: bool = False
    """Whether documents may be fetched without TLS."""

    local_ports: Annotated[tuple[Annotated[int, Field(ge=1, le=65535)], ...], NoDecode] = ()
    """Ports of this machine's loopback that documents may be fetched from, with commas between: a mirror's, say."""

    outbound_deadline_s: float = Field(default=60.0, gt=0, le=3600)
    """Longest time that fetching one URL may take."""

    arxiv_url: str | None = None
    """A mirror to ask instead of arXiv, with ``/api/query``, ``/oai``, ``/pdf`` and ``/src`` below."""

    openalex_key: SecretStr = SecretStr("")
    """Key for OpenAlex, which is free; without one, little may be asked each day."""

    openalex_url: str = "https://api.openalex.org"
    """Where OpenAlex answers."""
    parsed_bytes: int = Field(default=1_000_000_000, ge=0)
    """Room below ``cache`` for documents that took a while to parse; 0 keeps none."""

    processes: int | None = Field(default=None, ge=0, le=256)
    """How many processes parse documents; by default as many as there are processors, 0 none but our own."""

    java: Path | None = None
    """The ``java`` to run the local Neo4j with; else one is looked for, else the packaged one is used."""

    maven_url: str | None = None
    """Where jars are fetched from, if not from Maven Central."""

    @field_validator("secrets")
    @classmethod
    def _is_a_folder(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_dir():
            raise ValueError(f"{value} is not a folder")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read what is passed in, else the environment, else a file of the folder of secrets."""
        folder = _secrets_folder(os.environ)
        files = (SecretsSettingsSource(settings_cls, secrets_dir=folder),) if folder else ()
        return init_settings, env_settings, *files

    @field_validator("allowed_hosts", "local_ports", "hosts", mode="before")
    @classmethod
    def _with_commas(cls, value: Any) -> Any:
        return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


def unknown_settings(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return one line for each ``PAPERGRAPH_*`` variable or secret that nothing reads, with the nearest that is."""
    known = {name.upper() for name in Settings.model_fields}
    folder = _secrets_folder(environment)
    lines = []
    for name in sorted({*environment, *(file.name.upper() for file in (folder.iterdir() if folder else ()))}):
        bare = name.removeprefix(PREFIX)
        if bare == name or bare in known or name in FOREIGN_NAMES or bare.startswith("TEST_"):
            continue
        nearest = difflib.get_close_matches(bare, known, n=1)
        lines.append(f"{name} is not a setting" + (f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""))
    return lines


def _secrets_folder(environment: Mapping[str, str]) -> Path | None:
    folder = environment.get(f"{PREFIX}SECRETS")
    return Path(folder) if folder and Path(folder).is_dir() else None
