"""Names of earlier releases, each with what replaces it: one that is still set stops the start."""

from collections.abc import Iterable

from papergraph.errors import InputError

RENAMED = {
    "PAPERGRAPH_SECRETS": "PAPERGRAPH_SECRETS_DIR",
    "PAPERGRAPH_KEY": "PAPERGRAPH_API_KEY",
    "PAPERGRAPH_HOST": "PAPERGRAPH_SERVER_HOST",
    "PAPERGRAPH_PORT": "PAPERGRAPH_SERVER_PORT",
    "PAPERGRAPH_SERVING_PROCESSES": "PAPERGRAPH_SERVER_PROCESSES",
    "PAPERGRAPH_KEYS": "PAPERGRAPH_SERVER_REQUIRE_API_KEY (true or false)",
    "PAPERGRAPH_HOSTS": "PAPERGRAPH_SERVER_TRUSTED_HOSTS",
    "PAPERGRAPH_WORKED_ON_AT_ONCE": "PAPERGRAPH_SERVER_MAX_ACTIVE_REQUESTS",
    "PAPERGRAPH_REQUESTS_AT_ONCE": "PAPERGRAPH_SERVER_MAX_ACTIVE_REQUESTS, of which 8 times as many may be open",
    "PAPERGRAPH_ALL_REQUESTS_AT_ONCE": "PAPERGRAPH_SERVER_MAX_ACTIVE_REQUESTS, of which 16 times as many may be open",
    "PAPERGRAPH_REQUESTS_PER_MINUTE": "PAPERGRAPH_LIMITS_REQUESTS_PER_MINUTE",
    "PAPERGRAPH_COST_PER_MINUTE": "PAPERGRAPH_LIMITS_COST_PER_MINUTE",
    "PAPERGRAPH_GRAPHQL_MAX_COST": "[limits] cost_per_request in papergraph.toml",
    "PAPERGRAPH_GRAPHQL_ALLOWED": "PAPERGRAPH_GRAPHQL_ALLOWED_QUERIES",
    "PAPERGRAPH_DATABASE_DEADLINE_S": "PAPERGRAPH_NEO4J_TIMEOUT_S",
    "PAPERGRAPH_JAVA": "PAPERGRAPH_NEO4J_JAVA",
    "PAPERGRAPH_CYPHER_USER": "PAPERGRAPH_CYPHER_URI, as in bolt://user@host:7687",
    "PAPERGRAPH_CYPHER_DEADLINE_S": "[cypher] timeout_s in papergraph.toml",
    "PAPERGRAPH_CYPHER_AT_ONCE": "[cypher] concurrency in papergraph.toml",
    "PAPERGRAPH_MCP_CYPHER": "PAPERGRAPH_CYPHER_MCP",
    "PAPERGRAPH_RERANKER": "PAPERGRAPH_RERANKER_MODEL",
    "PAPERGRAPH_LLM_ATTEMPT_S": "[llm] attempt_timeout_s in papergraph.toml",
    "PAPERGRAPH_LLM_DEADLINE_S": "PAPERGRAPH_LLM_TIMEOUT_S",
    "PAPERGRAPH_LLM_JSON": "[llm] json_mode in papergraph.toml",
    "PAPERGRAPH_LLM_PROMPTS": "[llm] prompts_dir in papergraph.toml",
    "PAPERGRAPH_UPSTREAM_URL": "PAPERGRAPH_PROXY_URL",
    "PAPERGRAPH_UPSTREAM_KEY": "PAPERGRAPH_PROXY_API_KEY",
    "PAPERGRAPH_UPSTREAM_PIPELINE": "[proxy] pipeline in papergraph.toml",
    "PAPERGRAPH_UPSTREAM_INPUT_PRICE": "[proxy] input_price in papergraph.toml",
    "PAPERGRAPH_UPSTREAM_OUTPUT_PRICE": "[proxy] output_price in papergraph.toml",
    "PAPERGRAPH_LAYERS": "the tables [enrichments.*] of papergraph.toml",
    "PAPERGRAPH_PIPELINES": "the tables [pipelines.*] of papergraph.toml",
    "PAPERGRAPH_PARSER": "PAPERGRAPH_PARSER_ENGINE",
    "PAPERGRAPH_DOCLING_URL": "PAPERGRAPH_PARSER_URL",
    "PAPERGRAPH_MARKER_URL": "PAPERGRAPH_PARSER_URL",
    "PAPERGRAPH_GROBID_URL": "PAPERGRAPH_PARSER_URL",
    "PAPERGRAPH_PBIT_URL": "PAPERGRAPH_DEVICE_URL",
    "PAPERGRAPH_PBIT_TOKEN": "PAPERGRAPH_DEVICE_TOKEN",
    "PAPERGRAPH_LOG": "PAPERGRAPH_LOG_FORMAT",
    "PAPERGRAPH_SLOW_QUERY_MS": "PAPERGRAPH_LOG_SLOW_QUERY_MS",
    "PAPERGRAPH_METRICS_HOST": "PAPERGRAPH_METRICS_ADDRESS (host:port)",
    "PAPERGRAPH_METRICS_PORT": "PAPERGRAPH_METRICS_ADDRESS (host:port)",
    "PAPERGRAPH_MAX_FILE_BYTES": "PAPERGRAPH_INGEST_MAX_FILE_BYTES",
    "PAPERGRAPH_UPLOAD_MAX_BYTES": "PAPERGRAPH_INGEST_MAX_FILE_BYTES",
    "PAPERGRAPH_PROCESSES": "PAPERGRAPH_INGEST_PROCESSES",
    "PAPERGRAPH_ALLOWED_HOSTS": "PAPERGRAPH_FETCH_ALLOWED_HOSTS",
    "PAPERGRAPH_ALLOW_HTTP": "[fetch] allow_http in papergraph.toml",
    "PAPERGRAPH_LOCAL_PORTS": "[mirrors] openalex or arxiv in papergraph.toml, whose port is allowed",
    "PAPERGRAPH_OUTBOUND_DEADLINE_S": "[fetch] timeout_s in papergraph.toml",
    "PAPERGRAPH_ARXIV_URL": "[mirrors] arxiv in papergraph.toml",
    "PAPERGRAPH_MAVEN_URL": "[mirrors] maven in papergraph.toml",
    "PAPERGRAPH_OPENALEX_URL": "[mirrors] openalex in papergraph.toml",
    "PAPERGRAPH_OPENALEX_KEY": "PAPERGRAPH_FETCH_OPENALEX_KEY",
}
"""Environment variables, and what is set instead."""

GONE = {
    "PAPERGRAPH_PARSER_MAX_BYTES": "the longest answer of a parser is 100 MB",
    "PAPERGRAPH_GRAPHQL_GET": "GraphQL answers POST only",
    "PAPERGRAPH_UPLOADS_WAITING": "100 uploads of one key may wait",
    "PAPERGRAPH_UPLOADS_BYTES": "uploads of one key may have 500 MB together",
    "PAPERGRAPH_UPLOADS_KEPT_H": "an unused upload is stored for 24 h",
    "PAPERGRAPH_PARSED_BYTES": "the cache of parsed documents has 1 GB",
}
"""Environment variables that nothing replaces, and the value that is fixed now."""


def refuse_old_names(names: Iterable[str]) -> None:
    """Refuse names that no setting has any more.

    Raises:
        InputError: One of the names is an old one; the message has the new one.
    """
    present = sorted(set(names))
    lines = [f"{name} is now {RENAMED[name]}." for name in present if name in RENAMED]
    lines += [f"{name} is no setting any more: {GONE[name]}. Unset it." for name in present if name in GONE]
    if lines:
        raise InputError(" ".join(lines), field="settings")
