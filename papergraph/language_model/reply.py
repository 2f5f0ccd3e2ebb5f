"""A reply of the language model, asked for as text or as JSON of a form, and read."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from papergraph.errors import (
    AnswerFault,
    ModelAnswerError,
)
from papergraph.language_model.completion import shown
from papergraph.language_model.prompts import Message
from papergraph.language_model.usage import ModelUsage

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
SHOWN_FAULTS = 10


@dataclass(frozen=True)
class Reply(Generic[T]):
    """An answer that passed its check.

    Attributes:
        value: The answer.
        model: Name of the model that gave it.
        prompt_version: Version of the prompt that asked for it.
        usage: What this call took; ``n_cached`` is 1 where it took nothing.
    """

    value: T
    model: str
    prompt_version: str
    usage: ModelUsage


def joined_values(messages: Iterable[Message]) -> list[Message]:
    """Return one message for each role, system first; servers take the system's message only once and at the start."""
    texts: dict[str, list[str]] = {}
    for message in messages:
        texts.setdefault(message.role, []).append(message.text)
    return [Message(role, "\n\n".join(texts[role])) for role in ("system", "user") if role in texts]


def response_format_of(json_mode: str, name: str, schema: dict[str, Any]) -> dict[str, Any]:
    if json_mode == "json_schema":
        return {"response_format": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}}
    if json_mode == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {}


def parse_reply(what: str, text: str, answer: type[M]) -> M:
    """Return ``text`` as an ``answer``; models like to put JSON into a fence of Markdown, which is taken off."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```"):
        bare = bare.removesuffix("```").partition("\n")[2]
    try:
        return answer.model_validate_json(bare)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        fault = AnswerFault.NOT_JSON if faults[0]["type"] == "json_invalid" else AnswerFault.WRONG_SCHEMA
        lines = [f"{'.'.join(map(str, one['loc'])) or 'the answer'}: {shown(one['msg'])}" for one in faults]
        raise ModelAnswerError(f"prompt {what}", fault, shown("; ".join(lines[:SHOWN_FAULTS]))) from None
