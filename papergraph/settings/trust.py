"""Trust in papergraph.toml of the working folder, which may be a folder that somebody else made.

Such a file sets what concerns the papers. It must not choose where a secret is sent that it does not hold itself, nor
a program that is run. The user trusts it as a whole by naming it: ``PAPERGRAPH_CONFIG=papergraph.toml``.
"""

from collections.abc import Sequence

from papergraph.errors import InputError
from papergraph.settings.known import KnownSetting
from papergraph.settings.sources import Source

SENT_TO = (
    ("url", "api_key"),
    ("home", "api_key"),  # whose serve.json names a running server
    ("embedding.url", "embedding.api_key"),
    ("reranker.url", "reranker.api_key"),
    ("llm.url", "llm.api_key"),
    ("proxy.url", "proxy.api_key"),
    ("device.url", "device.token"),
    ("neo4j.uri", "neo4j.password"),
    ("cypher.uri", "cypher.password"),
    ("mirrors.openalex", "fetch.openalex_key"),
)
"""Addresses, and the secret that is sent there."""

PROGRAMS = ("neo4j.java", "embedding.trust_remote_code")
REMEDY = "Set PAPERGRAPH_CONFIG=papergraph.toml if you trust this file"


def refuse_untrusted(known: Sequence[KnownSetting], sources: Sequence[Source]) -> None:
    """Refuse a file of the working folder that would have a secret of another place sent somewhere, or run a program.

    Args:
        known: All settings.
        sources: Places that set something, the first to win first.

    Raises:
        InputError: The file does so.
    """
    by_name = {".".join(one.path): one for one in known}

    def place_of(name: str) -> Source | None:
        return next((source for source in sources if source.has(by_name[name])), None)

    for name in PROGRAMS:
        if (place := place_of(name)) is not None and place.is_untrusted:
            raise InputError(f"{place.name_of(by_name[name])} names a program. {REMEDY}.", field="settings")
    for address, secret in SENT_TO:
        place, owner = place_of(address), place_of(secret)
        if place is not None and owner is not None and place.is_untrusted and not owner.is_untrusted:
            raise InputError(
                f"{owner.name_of(by_name[secret])} is not sent to an address of the working folder "
                f"({place.name_of(by_name[address])}). {REMEDY}, or set {by_name[address].where} as well.",
                field="settings",
            )
