"""Completions of a language model: what is asked and answered, its usage and its budget."""

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from papergraph.errors import AnswerFault, BudgetSpentError, InputError, ModelAnswerError
from papergraph.language_model.prompts import Message
from papergraph.records import Record, described

if TYPE_CHECKING:
    from openai import AsyncOpenAI


# Usage, cost and budget of calls of a language model


LETTERS_PER_TOKEN = 3
"""Characters per token for estimates. English has about four, so the number of tokens is estimated too high."""


@dataclass(frozen=True)
class ModelUsage(Record):
    """Language model usage of some calls, such as all for a question; usages add up."""

    requests: Annotated[int, described("Number of calls of the model, with those that failed.")] = 0
    cached: Annotated[int, described("Calls answered from the cache, at no cost.")] = 0
    input_tokens: Annotated[int, described("Tokens sent to the model.")] = 0
    output_tokens: Annotated[int, described("Tokens that the model wrote.")] = 0
    estimated_tokens: Annotated[
        int, described("Number of estimated tokens, where a server told nothing or the connection broke.")
    ] = 0
    cost: Annotated[float, described("Cost in the currency of the configured prices.")] = 0.0

    @property
    def tokens(self) -> int:
        """Tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        return ModelUsage(
            self.requests + other.requests,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated_tokens + other.estimated_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True)
class Prices:
    """Price of a million tokens, in any one currency; 0 for a model of one's own."""

    input: float = 0.0
    output: float = 0.0

    def usage(self, input_tokens: int, output_tokens: int, *, estimated_tokens: int = 0) -> ModelUsage:
        """Return the usage of one request."""
        cost = (input_tokens * self.input + output_tokens * self.output) / 1e6
        return ModelUsage(1, 0, input_tokens, output_tokens, estimated_tokens, cost)


class Budget:
    """A limit that several callers may share: what a request could take is set aside before it is sent.

    So requests under way at the same time do not overspend together. The limit is kept as far as the estimate of the
    input's tokens is right; the output is bounded by the longest answer asked for.
    """

    def __init__(self, *, cost: float | None = None, tokens: int | None = None, requests: int | None = None) -> None:
        """Set the limits; None is no limit.

        Raises:
            InputError: A limit is below 0.
        """
        for name, limit in (("cost", cost), ("tokens", tokens), ("requests", requests)):
            if limit is not None and not limit >= 0:
                raise InputError(f"a budget of {limit} is below 0", field=name)
        self.cost, self.tokens, self.requests = cost, tokens, requests
        self.spent = ModelUsage()
        self._set_aside: list[ModelUsage] = []

    def set_aside(self, most: ModelUsage) -> None:
        """Keep ``most`` for a request that is about to be sent; :meth:`settle` gives it back.

        Raises:
            BudgetSpentError: It could go over a limit.
        """
        total = sum(self._set_aside, self.spent) + most
        if self.cost is not None and total.cost > self.cost:
            raise BudgetSpentError(f"{self.cost:g} (cost)")
        if self.tokens is not None and total.tokens > self.tokens:
            raise BudgetSpentError(f"{self.tokens} tokens")
        if self.requests is not None and total.requests > self.requests:
            raise BudgetSpentError(f"{self.requests} requests")
        self._set_aside.append(most)

    def settle(self, most: ModelUsage, spent: ModelUsage) -> None:
        """Count what a request took instead of what was set aside for it."""
        self._set_aside.remove(most)
        self.spent += spent


TOKENS_PER_IMAGE = 1500
"""Tokens of an image of about a megapixel at most, by the published rules of the large services."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has, rather too many; for languages written without spaces too few."""
    return -(-len(text) // LETTERS_PER_TOKEN)


# Validated answer of a chat service: text, tokens and end, or the cause of a failure


E = TypeVar("E", bound=BaseException)
SHOWN_LETTERS = 300
"""Longest quote of a server's message in an error, in characters."""
MOST_LETTERS_PER_TOKEN = 128
"""No token of the usual vocabularies is longer, and that one is all spaces."""


@dataclass(frozen=True)
class Endpoint:
    """Address of the model.

    Attributes:
        url: Base address, such as ``http://127.0.0.1:8080/v1``.
        model: Name of the model at the server.
        api_key: API key, may be empty; only the transport reads it.
    """

    url: str
    model: str
    api_key: SecretStr = field(default_factory=lambda: SecretStr(""))


@dataclass(frozen=True)
class Completion:
    """Complete but unchecked answer of a server."""

    text: str
    usage: ModelUsage


def shown(text: str) -> str:
    """Return the beginning of what a server or model said, fit for a terminal."""
    return "".join(letter if letter.isprintable() else " " for letter in text[:SHOWN_LETTERS])


def openai_client(endpoint: Endpoint, http: httpx.AsyncClient) -> "AsyncOpenAI":
    from openai import AsyncOpenAI

    for_the_transport = "the transport puts in the real one"
    return AsyncOpenAI(base_url=endpoint.url, api_key=for_the_transport, http_client=http, max_retries=0)


def as_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [{"role": message.role, "content": _content(message)} for message in messages]


def _content(message: Message) -> Any:
    """Return the text of a message; with images, parts of text and images."""
    if not message.images:
        return message.text
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    for image in message.images:
        parts += [
            {"type": "text", "text": image.label},
            {"type": "image_url", "image_url": {"url": image.url}},
        ]
    return parts


def tokens_of_messages(messages: Iterable[Message]) -> int:
    """Return about how many tokens a request has, rather too many."""
    return sum(
        estimated_tokens(one.text) + sum(TOKENS_PER_IMAGE + estimated_tokens(image.label) for image in one.images)
        for one in messages
    )


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


# A reply of the language model, asked for as text or as JSON of a form, and read


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
