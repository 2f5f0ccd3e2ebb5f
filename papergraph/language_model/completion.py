"""What a chat service answered: its text, tokens and end, checked, and the cause of what failed."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from pydantic import SecretStr

from papergraph.errors import AnswerFault, ModelAnswerError
from papergraph.language_model.prompts import Message
from papergraph.language_model.usage import ModelUsage

if TYPE_CHECKING:
    from openai import AsyncOpenAI


E = TypeVar("E", bound=BaseException)
SHOWN_LETTERS = 300
"""How much of a server's words goes into an error."""
MOST_LETTERS_PER_TOKEN = 128
"""No token of the usual vocabularies is longer, and that one is all spaces."""


@dataclass(frozen=True)
class Endpoint:
    """Where the model is.

    Attributes:
        url: Base address, such as ``http://127.0.0.1:8080/v1``.
        model: Its name there.
        api_key: Empty where none is asked for; only the transport reads it.
    """

    url: str
    model: str
    api_key: SecretStr = field(default_factory=lambda: SecretStr(""))


@dataclass(frozen=True)
class Completion:
    """What a server answered; not checked beyond that it is whole."""

    text: str
    usage: ModelUsage


def shown(text: str) -> str:
    """Return the beginning of what a server or model said, fit for a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:SHOWN_LETTERS])


def openai_client(endpoint: Endpoint, http: httpx.AsyncClient) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    for_the_transport = "the transport puts in the real one"
    return AsyncOpenAI(base_url=endpoint.url, api_key=for_the_transport, http_client=http, max_retries=0)


def as_json(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text} for message in messages]


def text_of(message: Any) -> str:
    """Return the text of a message, or of a piece of one; "" where it has none."""
    text = message.content or ""
    if not isinstance(text, str):
        raise TypeError("a message has another content than text")
    return text


def tokens_of(raw: Any) -> tuple[int, int] | None:
    """Return tokens of input and output, where the server tells them and they can be true."""
    usage = getattr(raw, "usage", None)
    counted = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    return counted if all(type(count) is int and count >= 0 for count in counted) else None  # type: ignore[return-value]


def finish_of(raw: Any) -> Any:
    """Return the choice of a stream's event that ends the answer."""
    return next((choice for choice in raw.choices if choice.finish_reason), None)


def check_length(what: str, text: str, max_tokens: int) -> None:
    if len(text) > MOST_LETTERS_PER_TOKEN * max_tokens:
        raise ModelAnswerError(
            what,
            AnswerFault.TOO_LARGE,
            f"the answer has over {len(text)} letters where {max_tokens} tokens were allowed",
        )


def check_whole(what: str, text: str, choice: Any, max_tokens: int) -> None:
    check_length(what, text, max_tokens)
    message = getattr(choice, "message", None) or getattr(choice, "delta", None)
    refusal = getattr(message, "refusal", None)
    if refusal or choice.finish_reason == "content_filter":
        raise ModelAnswerError(what, AnswerFault.REFUSED, f"the model refuses: {shown(str(refusal or 'filtered'))}")
    if choice.finish_reason == "length":
        raise ModelAnswerError(
            what,
            AnswerFault.TRUNCATED,
            f"the answer was cut at {max_tokens} tokens; [llm] max_answer_tokens in papergraph.toml allows more",
        )
    if not text.strip():
        raise ModelAnswerError(what, AnswerFault.EMPTY, "the answer is empty")


def cause_of(error: BaseException | None, kind: type[E]) -> E | None:
    """Return the error of ``kind`` that ``error`` is or came from."""
    while error is not None:
        if isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


def wait_named_s(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, given in seconds or as a date; None for anything else."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
