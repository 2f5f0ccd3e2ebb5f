"""Options of enrichments, read from TOML, validated, and stored with a job for any worker.

    [questions]
    per_chunk = 10

    [entities]
    gazetteer = "instruments.csv"   # paths are relative to the file that names them

A missing section has the defaults; the enrichments themselves are chosen elsewhere.
"""

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from papergraph.errors import InputError
from papergraph.ingest.enrichments import enrichments
from papergraph.ingest.enrichments.base import Section
from papergraph.ingest.enrichments.enrichment import Enrichment
from papergraph.language_model import LanguageModel

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class EnrichmentOptions:
    """Chosen enrichments with their options.

    Attributes:
        names: Names of the chosen enrichments, in order.
        sections: Options of all kinds by name.
        account: Account whose daily budget pays for language models; empty without a budget.
    """

    names: tuple[str, ...]
    sections: Mapping[str, Section]
    account: str = ""

    @classmethod
    def choose(cls, names: Sequence[str] | None = None, **sections: Section) -> Self:
        """Return a choice; all enrichments are made unless some are named, and options are the defaults otherwise."""
        known = enrichments()
        chosen = tuple(known) if names is None else tuple(names)
        return cls(chosen, {name: sections.get(name) or kind.options() for name, kind in known.items()})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the choice that :meth:`to_json` wrote.

        Raises:
            InputError: An enrichment or an option is unknown.
        """
        said = json.loads(text)
        names, account = ",".join(said.pop("names")), said.pop("account", "")
        return replace(cls.of(said, names=names, folder=Path.cwd(), said_in="job"), account=account)

    def to_json(self) -> str:
        """Return the choice as JSON, all options given."""
        sections = {name: options.model_dump(mode="json") for name, options in self.sections.items()}
        account = {"account": self.account} if self.account else {}
        return json.dumps({"names": self.names, **account, **sections}, ensure_ascii=False, separators=(",", ":"))

    def named(self, names: Sequence[str]) -> Self:
        """Return the same options for other enrichments; for all if none is named.

        Raises:
            InputError: There is no such enrichment.
        """
        return replace(self, names=_names(",".join(names) or "all"))

    def with_questions(self, generator: str | None) -> Self:
        """Return the same options with another generator of questions; unchanged for None."""
        if generator is None:
            return self
        section = self.sections["questions"].model_copy(update={"generator": generator})
        return replace(self, sections={**self.sections, "questions": section})

    @classmethod
    def read(cls, path: Path | None = None, *, names: str = "all") -> Self:
        """Read the options of enrichments from a file.

        Args:
            path: TOML with a section for each enrichment that is not to be made by default; None for the defaults.
            names: Which enrichments are made, with commas between, or ``all``.

        Raises:
            InputError: There is no such enrichment, section or option, a value is out of its range, or the file cannot
                be read.
        """
        if path is None:
            return cls.choose(_names(names))
        try:
            content = path.read_bytes()
            if len(content) > MAX_BYTES:
                raise InputError(
                    f"{path} has {len(content):,} bytes. At most {MAX_BYTES:,} are allowed.", field="config"
                )
            said = tomllib.loads(content.decode("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(f"{path} cannot be read as TOML: {error}", field="config") from error
        return cls.of(said, names=names, folder=path.resolve().parent, said_in=str(path))

    @classmethod
    def of(cls, said: Mapping[str, Any], *, names: str = "all", folder: Path, said_in: str = "[enrichments]") -> Self:
        """Check options of enrichments.

        Args:
            said: A section for each enrichment that is not to be made by default.
            names: Which enrichments are made, with commas between, or ``all``.
            folder: What paths are relative to.
            said_in: Where the sections are, for people.

        Raises:
            InputError: There is no such enrichment, section or option, or a value is out of its range.
        """
        chosen = _names(names)
        known = enrichments()
        if unknown := next((name for name in said if name not in known), None):
            raise InputError(
                f"{said_in}: Enrichment {unknown!r} does not exist.{_nearest(unknown, known)}", field="config"
            )
        sections = {
            name: _checked(name, kind.options, said.get(name, {}), folder, said_in) for name, kind in known.items()
        }
        return cls(chosen, sections)

    def enrichments(self, model: LanguageModel | None) -> list[Enrichment]:
        """Return the enrichments in the order in which they are made.

        Raises:
            InputError: An option is out of its range, or a file that one names cannot be read.
            ModelUnavailableError: A model is asked for and none is configured.
            FileContentError: A prompt of the user's cannot be used.
        """
        return [self.sections[name].enrichment(model) for name in self.names]


def _checked(name: str, options: type[Section], said: Any, folder: Path, said_in: str) -> Section:
    try:
        return options.model_validate(said, context={"folder": folder})
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, (name, *one['loc'])))}: {one['msg']}" for one in error.errors()]
        raise InputError(f"{said_in}: {'; '.join(problems)}", field="config") from error


def _names(text: str) -> tuple[str, ...]:
    """Return the enrichments that a user named, in order."""
    if text == "all":
        return tuple(enrichments())
    known = enrichments()
    named = [name.strip() for name in text.split(",")]
    for name in named:
        if name not in known:
            raise InputError(
                f"Enrichment {name!r} does not exist.{_nearest(name, known)} Choose from {', '.join(known)}.",
                field="enrichments",
            )
    return tuple(name for name in known if name in named)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""
