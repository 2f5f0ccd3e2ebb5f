"""Prompts in files, versioned by the checksum of their text and replaceable by a user's file of the same name.

A prompt is plain text in up to two parts, each after a line with its role alone:

    [system]
    You write questions that a passage answers.
    [user]
    The passage: $passage

``$passage`` is a placeholder; ``$$`` is a dollar. Inserted values are not searched for placeholders. Which placeholders
a prompt has is checked when it is loaded, not when it is used.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Literal

from papergraph.errors import FileContentError

Role = Literal["system", "user", "assistant"]

OUR_FOLDER = Path(__file__).parent / "prompts"
MAX_PROMPT_BYTES = 100_000
_FENCE = re.compile(r"<(?=\s*/?\s*(?:material|passage)\b)", re.IGNORECASE)
_HEADING = re.compile(r"^\[(system|user)\]$", re.MULTILINE)


@dataclass(frozen=True)
class Image:
    """A PNG in a message, after a line that says what it shows."""

    label: str
    png: bytes = field(repr=False)

    @property
    def url(self) -> str:
        """Data URL, as OpenAI's image parts have it."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


@dataclass(frozen=True)
class Message:
    """One message of a conversation with a model; ``images`` follow its text."""

    role: Role
    text: str
    images: tuple["Image", ...] = ()


@dataclass(frozen=True)
class Prompt:
    """A prompt that was loaded and checked; :func:`load_prompt` makes it.

    Attributes:
        name: The file's name without its ending.
        version: sha-256 of the file's text; part of what an answer is stored under.
        parts: Role and text with placeholders, in order.
        placeholders: Names that :meth:`fill` wants.
    """

    name: str
    version: str
    parts: tuple[tuple[Role, str], ...]
    placeholders: frozenset[str]

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages with ``values`` in the placeholders' places.

        Raises:
            ValueError: ``values`` are not those of the placeholders.
        """
        if values.keys() != self.placeholders:
            raise ValueError(f"prompt {self.name} takes {sorted(self.placeholders)}, got {sorted(values)}")
        return tuple(Message(role, Template(text).substitute(values)) for role, text in self.parts)


def load_prompt(
    name: str, placeholders: frozenset[str], *, folder: Path = OUR_FOLDER, own: Path | None = None
) -> Prompt:
    """Read ``<name>.txt``, from the user's folder if it exists there.

    Args:
        name: Name without extension, a constant of the code.
        placeholders: Exact set of placeholders of the file.
        folder: Folder of the packaged prompts.
        own: The user's folder, ``[llm] prompts_dir in papergraph.toml``.

    Raises:
        FileContentError: The file is missing, not UTF-8, or over 100,000 bytes; a part is missing, empty or repeated;
            or it has other placeholders.
    """
    path = folder / f"{name}.txt"
    if own is not None:
        if not own.is_dir():
            raise FileContentError(
                str(own), "is no folder; [llm] prompts_dir in papergraph.toml names the folder of your prompts"
            )
        if (own / path.name).exists():
            path = own / path.name
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileContentError(str(path), f"cannot be read as UTF-8: {error}") from error
    if len(content) > MAX_PROMPT_BYTES:
        raise FileContentError(str(path), f"has {len(content)} bytes, {MAX_PROMPT_BYTES} are allowed")
    parts = _parts(path, text)
    found = _placeholders(path, parts)
    if found != placeholders:
        wrong = [f"lacks ${name}" for name in sorted(placeholders - found)]
        wrong += [f"has ${name}, which nothing fills" for name in sorted(found - placeholders)]
        raise FileContentError(str(path), "; ".join(wrong))
    return Prompt(name, hashlib.sha256(content).hexdigest(), parts, placeholders)


def fenced(text: str) -> str:
    """Return ``text`` without end tags of ``<material>`` and ``<passage>``, which would leave its part of a prompt."""
    return _FENCE.sub("‹", text)


def numbered_passages(texts: Iterable[str], *, most_chars: int) -> str:
    """Return texts as parts ``<passage n="1">`` and so on, each fenced and cut at ``most_chars``."""
    return "\n".join(
        f'<passage n="{number}">\n{fenced(text[:most_chars])}\n</passage>' for number, text in enumerate(texts, start=1)
    )


def _parts(path: Path, text: str) -> tuple[tuple[Role, str], ...]:
    before, *rest = _HEADING.split(text)
    if before.strip() or not rest:
        raise FileContentError(str(path), "must begin with a line [system] or [user]")
    parts = tuple(zip(rest[::2], (part.strip() for part in rest[1::2]), strict=True))
    roles = [role for role, _ in parts]
    if roles not in (["system"], ["user"], ["system", "user"]):
        raise FileContentError(str(path), f"has the parts {roles}; it may have [system], then [user], once each")
    if not all(part for _, part in parts):
        raise FileContentError(str(path), "has an empty part")
    return parts  # type: ignore[return-value]  # the expression allows these two roles alone


def _placeholders(path: Path, parts: tuple[tuple[Role, str], ...]) -> frozenset[str]:
    templates = [Template(part) for _, part in parts]
    if not all(template.is_valid() for template in templates):
        raise FileContentError(str(path), "has a $ that begins no placeholder; write $$ for a dollar")
    return frozenset(name for template in templates for name in template.get_identifiers())
