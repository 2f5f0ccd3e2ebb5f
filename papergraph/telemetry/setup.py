"""What a command that goes on for long does first: begin its log, and its traces where they are asked for."""

from collections.abc import Iterator
from contextlib import contextmanager

from papergraph.settings import Settings
from papergraph.telemetry.export import exporting
from papergraph.telemetry.logs import logging_to


@contextmanager
def telling(settings: Settings, *, service: str) -> Iterator[None]:
    """Write the log and send traces as the settings say, while the context is open.

    Raises:
        InputError: Traces are asked for, and what sends them is not installed.
    """
    secrets = (
        settings.neo4j.password,
        settings.llm.api_key,
        settings.fetch.openalex_key,
        settings.api_key,
        settings.cypher.password,
    )
    bare = [secret.get_secret_value() for secret in (*secrets, settings.api_key)]
    with (
        logging_to(form=settings.log.format, level=settings.log.level, secrets=bare),
        exporting(settings.otel.endpoint, service=service),
    ):
        yield
