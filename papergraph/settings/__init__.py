"""Settings, read once at the edge and passed in.

Each setting has a group and a name: ``url`` of ``[llm]`` in papergraph.toml is ``PAPERGRAPH_LLM_URL`` in the
environment and ``settings.llm.url`` in code. The first of these wins: an argument, the environment, a file of the
secrets folder, papergraph.toml, the default.
"""

import difflib
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from platformdirs import user_cache_path, user_data_path
from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from papergraph.errors import InputError
from papergraph.settings import groups
from papergraph.settings.groups import NO_SECRET, TOML_ONLY, UserPath
from papergraph.settings.sources import (
    FOREIGN_NAMES,
    PREFIX,
    KnownSetting,
    Source,
    known_settings_of,
    read_sources,
    refuse_untrusted,
)

__all__ = [
    "FOREIGN_NAMES",
    "PREFIX",
    "KnownSetting",
    "Settings",
    "known_settings",
    "problems_of",
    "read_settings",
    "sources_of",
    "unknown_settings",
]


class Settings(BaseSettings):
    """Choices of an operator, in groups."""

    model_config = SettingsConfigDict(frozen=True)

    home: UserPath = Field(
        default_factory=lambda: user_data_path("papergraph"),
        description="Folder of the local Neo4j (store, password, logs) and of uploads.",
    )
    cache: UserPath = Field(
        default_factory=lambda: user_cache_path("papergraph"),
        description="Folder of downloads and other files that can be made again.",
    )
    config: UserPath | None = Field(
        None,
        examples=["papergraph.toml"],
        description="TOML file (default: `papergraph.toml` of the working folder, else of the user's).",
    )
    secrets_dir: UserPath | None = Field(
        None,
        examples=["/run/secrets"],
        description="Folder with settings in files, such as `papergraph_neo4j_password`.",
    )
    url: str | None = Field(
        None,
        examples=["http://127.0.0.1:8000"],
        description="Server that commands use (default: the running one of this home).",
    )
    api_key: SecretStr = Field(NO_SECRET, description="API key that commands send to a server.")

    workers: int = Field(1, ge=0, le=64, description="Processes beside the server that process queued jobs; 0 = off.")

    sign_up: Literal["off", "invite"] = Field("off", description="Sign-up for an API key: off, or by invitation.")

    keep_files: bool = Field(True, description="Keep the files of papers below `home`, once per content.")

    server: groups.ServerSettings = groups.ServerSettings()
    limits: groups.LimitSettings = groups.LimitSettings()
    graphql: groups.GraphqlSettings = groups.GraphqlSettings()
    neo4j: groups.Neo4jSettings = groups.Neo4jSettings()
    cypher: groups.CypherSettings = groups.CypherSettings()
    embedding: groups.EmbeddingSettings = groups.EmbeddingSettings()
    reranker: groups.RerankerSettings = groups.RerankerSettings()
    llm: groups.LlmSettings = groups.LlmSettings()
    answers: groups.AnswerSettings = groups.AnswerSettings()
    proxy: groups.ProxySettings = groups.ProxySettings()
    ingest: groups.IngestSettings = groups.IngestSettings()
    parser: groups.ParserSettings = groups.ParserSettings()
    fetch: groups.FetchSettings = groups.FetchSettings()
    zotero: groups.ZoteroSettings = groups.ZoteroSettings()
    device: groups.DeviceSettings = groups.DeviceSettings()
    log: groups.LogSettings = groups.LogSettings()
    backup: groups.BackupSettings = groups.BackupSettings()
    watch: groups.WatchSettings = groups.WatchSettings()
    metrics: groups.MetricsSettings = groups.MetricsSettings()
    otel: groups.OtelSettings = groups.OtelSettings()
    mirrors: groups.MirrorSettings = groups.MirrorSettings()

    pipelines: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Pipelines by name; one may replace a built-in.", json_schema_extra=TOML_ONLY
    )
    enrichments: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Options of enrichments by name.", json_schema_extra=TOML_ONLY
    )

    @field_validator("secrets_dir")
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
        """Read arguments, else the environment, else files of the secrets folder, else papergraph.toml.

        Raises:
            InputError: The TOML file cannot be read, or a variable can be set there only.
        """
        sources = sources_of(os.environ, config=init_settings().get("config"))
        return init_settings, *(InitSettingsSource(settings_cls, source.values) for source in sources)

    def replace(self, **changes: Any) -> Self:
        """Return settings with other values, which are not checked: ``replace(home=..., neo4j={"uri": None})``."""
        return self.model_copy(update={name: _changed(getattr(self, name), value) for name, value in changes.items()})

    @property
    def folder(self) -> Path:
        """Folder that paths in tables of papergraph.toml are relative to."""
        return self.config.resolve().parent if self.config else Path.cwd()


def _changed(old: object, new: object) -> object:
    return old.model_copy(update=new) if isinstance(old, BaseModel) and isinstance(new, Mapping) else new


@cache
def known_settings() -> tuple[KnownSetting, ...]:
    """Return all settings in the order of docs/settings.md."""
    return known_settings_of(Settings)


def sources_of(environment: Mapping[str, str], *, config: Path | str | None = None) -> list[Source]:
    """Return what the environment, the secrets folder and papergraph.toml set, the first to win first.

    Raises:
        InputError: A variable can be set in papergraph.toml only; or that file cannot be read, or is one of the
            working folder that would have a secret of another place sent somewhere.
    """
    sources = read_sources(known_settings(), environment, config=config)
    for source in sources:
        _refuse_toml_only(source.names)
    refuse_untrusted(known_settings(), sources)
    return sources


def _refuse_toml_only(names: Mapping[str, str]) -> None:
    by_name = {one.variable: one for one in known_settings() if one.toml_only}
    if found := [by_name[name] for name in names if name in by_name]:
        lines = [f"{one.variable} has no effect: set {one.in_toml} in papergraph.toml." for one in found]
        raise InputError(" ".join(lines), field="settings")


def read_settings(**values: Any) -> Settings:
    """Read the settings.

    Raises:
        InputError: A setting has a value that it cannot have; the message names it as the user wrote it.
    """
    try:
        return Settings(**values)
    except ValidationError as error:
        raise InputError("; ".join(problems_of(error)), field="settings") from error


def problems_of(error: ValidationError) -> list[str]:
    """Return a line for each setting with a wrong value, which names it."""
    sources = sources_of(os.environ)
    by_path = {one.path: one for one in known_settings()}
    lines = []
    for problem in error.errors():
        path = tuple(str(part) for part in problem["loc"][:2])
        one = by_path.get(path) or by_path.get(path[:1])
        if one is None:
            lines.append(f"{'.'.join(path)} is not a setting{_nearest(path, by_path)}")
            continue
        origin = next((source.name_of(one) for source in sources if source.has(one)), one.variable)
        lines.append(f"{origin}: {problem['msg']}")
    return lines


def unknown_settings(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return one line for each ``PAPERGRAPH_*`` variable or secret that nothing reads, with the nearest that is."""
    known = {one.variable for one in known_settings()}
    bare = {name.removeprefix(PREFIX): name for name in known}
    lines = []
    for name in sorted({name for source in sources_of(environment) for name in source.names}):
        if name not in known:
            near = difflib.get_close_matches(name.removeprefix(PREFIX), bare, n=1)
            lines.append(f"{name} is not a setting" + (f"; did you mean {bare[near[0]]}?" if near else ""))
    return lines


def _nearest(path: tuple[str, ...], known: Iterable[tuple[str, ...]]) -> str:
    names = {".".join(one[: len(path)]) for one in known}
    near = difflib.get_close_matches(".".join(path), names, n=1)
    return f"; did you mean {near[0]}?" if near else ""
