"""The configured language model: from a prompt and its values to an answer that was checked, or one typed error."""

import asyncio
import copy
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from opentelemetry.trace import Span
from pydantic import BaseModel

from papergraph.disk_cache import DiskCache, key_of
from papergraph.errors import (
    BudgetSpentError,
    InputError,
    LanguageModelError,
    ModelAnswerError,
    ModelDeadlineError,
    ModelUnavailableError,
)
from papergraph.language_model.client import ChatClient, Retries
from papergraph.language_model.completion import (
    Budget,
    Completion,
    Endpoint,
    ModelUsage,
    Prices,
    Reply,
    joined_values,
    parse_reply,
    response_format_of,
)
from papergraph.language_model.prompts import OUR_FOLDER, Image, Message, Prompt, load_prompt
from papergraph.settings import Settings
from papergraph.telemetry import metrics, tracing
from papergraph.telemetry.tracing import SpanKind

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
NOT_CONFIGURED = (
    "no language model is configured: set PAPERGRAPH_LLM_URL to the base address of an OpenAI-compatible server, such "
    "as http://127.0.0.1:8080/v1, and PAPERGRAPH_LLM_MODEL to the model's name there"
)
CACHE_FORMAT = 1
"""Part of the key; a change makes all older answers unknown."""
REPAIRED_LETTERS = 20_000
"""Longest part of a bad answer that is sent back for repair, in characters."""
STOPPED = "stopped"
OUTCOMES: Mapping[type[LanguageModelError], str] = {
    ModelUnavailableError: "unavailable",
    ModelDeadlineError: "deadline",
    ModelAnswerError: "unusable",
    BudgetSpentError: "budget",
}
"""Outcome in metrics of a failed call, by error."""


@dataclass(frozen=True)
class Options:
    """Parameters of an answer beside prompt and model; part of its cache key.

    Attributes:
        temperature: 0 for the likeliest answer, up to 2.
        max_tokens: Longest answer; None takes the setting.
        seed: Part of the cache key, so that another seed requests another answer even from servers without seeds.
    """

    temperature: float = 0.0
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Limits:
    """Model and limits of calls.

    Attributes:
        model: Name of the model at the server.
        concurrency: Most concurrent calls.
        deadline_s: Timeout of an answer in seconds.
        max_answer_tokens: Default of the longest answer.
        json_mode: Method of requesting JSON from the server.
        own_prompts: Folder of the user's prompts.
        images: True if the model reads images.
    """

    model: str
    concurrency: int = 4
    deadline_s: float = 180.0
    max_answer_tokens: int = 2048
    json_mode: str = "json_schema"
    own_prompts: Path | None = None
    images: bool = False


@dataclass
class _Tally:
    """Counts over all views of a model."""

    n_cached: int = 0


class LanguageModel:
    """One model with its limits; made at the edge and passed in. Belongs to the event loop that first asks it."""

    def __init__(
        self,
        client: ChatClient,
        cache: DiskCache,
        limits: Limits,
    ) -> None:
        """Put the parts together; :meth:`from_settings` does it for what an operator chose."""
        self.name, self.reads_images = limits.model, limits.images
        self._client, self._cache = client, cache
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._deadline_s, self._max_answer_tokens = limits.deadline_s, limits.max_answer_tokens
        self._json_mode, self._own_prompts = limits.json_mode, limits.own_prompts
        self._tally = _Tally()
        self._budgets: tuple[Budget, ...] = ()
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._json_prompt = self.prompt("json", frozenset({"schema"}))
        self._repair_prompt = self.prompt("repair", frozenset({"problem"}))

    @classmethod
    def from_settings(cls, settings: Settings, *, retries: Retries | None = None) -> Self:
        """Return the model that the settings ``PAPERGRAPH_LLM_…`` name; nothing is asked of it yet.

        Args:
            settings: What the operator chose.
            retries: Other pauses than the usual ones.

        Raises:
            ModelUnavailableError: None is named.
            InputError: The address or the key cannot be one.
            FileContentError: A prompt of the user's folder cannot be used.
        """
        if not settings.llm.url or not settings.llm.model:
            raise ModelUnavailableError(NOT_CONFIGURED)
        check_url(settings.llm.url, setting="PAPERGRAPH_LLM_URL")
        check_key(settings.llm.api_key.get_secret_value(), setting="PAPERGRAPH_LLM_API_KEY")
        client = ChatClient(
            Endpoint(settings.llm.url, settings.llm.model, settings.llm.api_key),
            retries=retries or Retries(attempts=settings.llm.attempts, attempt_s=settings.llm.attempt_timeout_s),
            prices=Prices(settings.llm.input_price, settings.llm.output_price),
            max_connections=settings.llm.concurrency,
        )
        return cls(
            client,
            DiskCache(settings.cache / "language_model", max_bytes=settings.llm.cache_bytes),
            Limits(
                settings.llm.model,
                concurrency=settings.llm.concurrency,
                deadline_s=settings.llm.timeout_s,
                max_answer_tokens=settings.llm.max_answer_tokens,
                json_mode=settings.llm.json_mode,
                own_prompts=settings.llm.prompts_dir,
                images=settings.llm.images,
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._client.aclose()

    @property
    def deadline_s(self) -> float:
        """Longest time for an answer."""
        return self._deadline_s

    @property
    def usage(self) -> ModelUsage:
        """Usage of all calls since the start, including failed ones."""
        return self._client.usage + ModelUsage(cached=self._tally.n_cached)

    def within(self, *budgets: Budget) -> Self:
        """Return the same model, each request of which counts for these budgets too; it is not closed by itself."""
        view = copy.copy(self)
        view._budgets = (*self._budgets, *budgets)
        return view

    def most(self, input_tokens: int) -> ModelUsage:
        """Return what one request with an input of so many tokens takes at most."""
        return self.takes(input_tokens, self._max_answer_tokens)

    def takes(self, input_tokens: int, output_tokens: int) -> ModelUsage:
        """Return the usage of a request of so many tokens."""
        return self._client.prices.usage(input_tokens, output_tokens)

    def prompt(self, name: str, placeholders: frozenset[str], *, folder: Path = OUR_FOLDER) -> Prompt:
        """Load a prompt, the user's own where there is one; see :func:`load_prompt`."""
        return load_prompt(name, placeholders, folder=folder, own=self._own_prompts)

    def messages(self, prompt: Prompt, values: Mapping[str, str], answer: type[BaseModel]) -> list[Message]:
        """Return the messages that ask for an answer as JSON."""
        return joined_values([*prompt.fill(values), *self._json_prompt.fill({"schema": _schema_text(answer)})])

    async def answer_text(
        self, prompt: Prompt, values: Mapping[str, str], *, options: Options = Options(), budget: Budget | None = None
    ) -> Reply[str]:
        """Return the model's answer as it is; one that is empty, cut or refused is an error.

        Args:
            prompt: What is asked.
            values: A text for each of its placeholders.
            options: What decides the answer beside.
            budget: What the caller may still spend; shared by callers that share the object.

        Raises:
            ModelUnavailableError: The server cannot be reached, turns us away, or failed at every attempt.
            ModelDeadlineError: ``PAPERGRAPH_LLM_TIMEOUT_S`` passed.
            ModelAnswerError: The answer cannot be used.
            BudgetSpentError: The next request could go over the budget; none was sent for it.
        """
        messages = prompt.fill(values)

        async def ask(until_s: float) -> tuple[str, Completion]:
            completion = await self._complete(prompt.name, messages, until_s, options, budget)
            return completion.text, completion

        return await self._kept(prompt, messages, options, {}, ask, lambda text: text)

    async def answer_json(
        self,
        prompt: Prompt,
        values: Mapping[str, str],
        *,
        answer: type[M],
        options: Options = Options(),
        budget: Budget | None = None,
    ) -> Reply[M]:
        """Return the model's answer as an ``answer``; a bad one goes back to the model once, with what is wrong.

        Args:
            prompt: What is asked; the schema of ``answer`` is added to it.
            values: A text for each of its placeholders.
            answer: What the JSON must be.
            options: What decides the answer beside.
            budget: What the caller may still spend.

        Raises:
            ModelAnswerError: The repaired answer cannot be used either; ``fault`` says why.
            LanguageModelError: As :meth:`answer_text` raises.
        """
        schema = answer.model_json_schema()
        messages = self.messages(prompt, values, answer)
        form = response_format_of(self._json_mode, answer.__name__, schema)

        async def ask(until_s: float) -> tuple[M, Completion]:
            first = await self._complete(prompt.name, messages, until_s, options, budget, **form)
            try:
                return parse_reply(prompt.name, first.text, answer), first
            except ModelAnswerError as error:
                bad = Message("assistant", first.text[:REPAIRED_LETTERS])
                again = [*messages, bad, *self._repair_prompt.fill({"problem": error.detail})]
                second = await self._complete(prompt.name, again, until_s, options, budget, **form)
                repaired = Completion(second.text, first.usage + second.usage)
                return parse_reply(prompt.name, second.text, answer), repaired

        versions = {"json": self._json_prompt.version, "repair": self._repair_prompt.version, **form}

        def check(text: str) -> M:
            return parse_reply(prompt.name, text, answer)

        return await self._kept(prompt, messages, options, versions, ask, check)

    async def stream_text(
        self,
        prompt: Prompt,
        values: Mapping[str, str],
        *,
        options: Options = Options(),
        budget: Budget | None = None,
        images: Sequence[Image] = (),
    ) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, bypassing the cache; close the generator to stop early.

        Closing it, or cancelling the task, ends the request at the server within moments. An answer that turns out cut
        or refused raises after its pieces. ``images`` follow the last message. Raises like :meth:`answer_text`.
        """
        *first, last = prompt.fill(values)
        messages = [*first, replace(last, images=tuple(images))]
        await self._client.load()
        async with self._slots:
            until_s = time.monotonic() + self._deadline_s
            pieces = self._client.stream(
                f"prompt {prompt.name}",
                messages,
                until_s=until_s,
                budgets=self._listed(budget),
                **self._fields(options),
            )
            with _told(prompt, self.name):
                async with aclosing(pieces):
                    while True:
                        try:
                            async with asyncio.timeout(until_s - time.monotonic()):
                                piece = await anext(pieces, None)
                        except TimeoutError as error:
                            raise ModelDeadlineError(f"prompt {prompt.name}", self._deadline_s) from error
                        if piece is None:
                            return
                        yield piece

    async def _kept(
        self,
        prompt: Prompt,
        messages: Sequence[Message],
        options: Options,
        more: Mapping[str, Any],
        ask: Callable[[float], Awaitable[tuple[T, Completion]]],
        check: Callable[[str], T],
    ) -> Reply[T]:
        """Return the stored answer if there is one that still passes, else ask, and store what passes."""
        fields = self._fields(options)
        asked = [{"role": message.role, "text": message.text} for message in messages]
        key = key_of(
            {"format": CACHE_FORMAT, "model": self.name, "messages": asked, "prompt": prompt.version, **fields, **more}
        )
        async with self._asking.setdefault(key, asyncio.Lock()):  # who asks the same meanwhile waits for this answer
            entry = await asyncio.to_thread(self._cache.get, key)
            with suppress(ModelAnswerError, KeyError, TypeError, AttributeError):
                if entry is not None:
                    value = check(entry["text"])
                    self._tally.n_cached += 1
                    metrics.MODEL_CALLS.labels(prompt.name, "kept").inc()
                    return Reply(value, self.name, prompt.version, ModelUsage(cached=1))
            await self._client.load()
            async with self._slots:
                until_s = time.monotonic() + self._deadline_s
                with _told(prompt, self.name) as span:
                    try:
                        async with asyncio.timeout(self._deadline_s):
                            value, completion = await ask(until_s)
                    except TimeoutError as error:
                        raise ModelDeadlineError(f"prompt {prompt.name}", self._deadline_s) from error
                    span.set_attribute(tracing.INPUT_TOKENS, completion.usage.input_tokens)
                    span.set_attribute(tracing.OUTPUT_TOKENS, completion.usage.output_tokens)
            entry = {"text": completion.text, "model": self.name, "prompt": prompt.name, "version": prompt.version}
            await asyncio.to_thread(self._cache.put, key, entry)
            return Reply(value, self.name, prompt.version, completion.usage)

    async def _complete(
        self,
        name: str,
        messages: Sequence[Message],
        until_s: float,
        options: Options,
        budget: Budget | None,
        **form: Any,
    ) -> Completion:
        return await self._client.complete(
            f"prompt {name}", messages, until_s=until_s, budgets=self._listed(budget), **self._fields(options), **form
        )

    def _listed(self, budget: Budget | None) -> list[Budget]:
        return [*self._budgets, *([] if budget is None else [budget])]

    def _fields(self, options: Options) -> dict[str, Any]:
        """Return the options as fields of a request, except unset ones."""
        fields: dict[str, Any] = {"max_tokens": options.max_tokens or self._max_answer_tokens}
        if options.temperature:  # 0 is what the client sends anyway, except to models that allow no choice
            fields["temperature"] = options.temperature
        if options.seed is not None:
            fields["seed"] = options.seed
        return fields


@lru_cache(maxsize=32)
def _schema_text(answer: type[BaseModel]) -> str:
    return json.dumps(answer.model_json_schema(), sort_keys=True)


@contextmanager
def _told(prompt: Prompt, model: str) -> Iterator[Span]:
    """Count and time a question to the model, by how it ends."""
    outcome, start = STOPPED, time.perf_counter()
    attributes = {**tracing.CHAT, tracing.MODEL: model}
    with tracing.span(f"chat {prompt.name}", attributes, kind=SpanKind.CLIENT, is_leaf=True) as span:
        try:
            yield span
            outcome = "answered"
        except LanguageModelError as error:
            outcome = OUTCOMES.get(type(error), STOPPED)
            raise
        finally:
            metrics.MODEL_CALLS.labels(prompt.name, outcome).inc()
            metrics.MODEL_SECONDS.labels(prompt.name).observe(time.perf_counter() - start)


def check_url(url: str, *, setting: str) -> None:
    """Refuse an address that no OpenAI-compatible server can have.

    Raises:
        InputError: ``setting``, which it is of, is its field.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.username and not parts.password
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise InputError(
            f"{setting} must be an http or https address without a user, such as http://127.0.0.1:8080/v1",
            field=setting,
        )


def check_key(key: str, *, setting: str) -> None:
    """Refuse a key that none can be.

    Raises:
        InputError: ``setting``, which it is of, is its field.
    """
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InputError(f"{setting} has a space, a line break or another character that no key has", field=setting)
