"""An OpenAI-compatible service behind this one: what is not asked of papergraph's own models is passed on to it.

It is asked over connections that carry our key for it and none of the client's headers; see
:mod:`papergraph.language_model.client`.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from papergraph.errors import UpstreamError
from papergraph.language_model.client import Transport
from papergraph.language_model.completion import Prices
from papergraph.language_model.model import check_key, check_url
from papergraph.language_model.prompts import Prompt, load_prompt
from papergraph.settings import Settings
from papergraph.telemetry.logs import summary

PROMPTS = Path(__file__).parents[1] / "prompts"
MODELS_S = 5.0
"""Longest wait for the list of models."""
MOST_CONNECTIONS = 64
MOST_MODELS = 1000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProxyResponse:
    """An answer that has begun.

    Attributes:
        status: HTTP status.
        content_type: Of the body.
        body: The body's bytes as they come; closing it ends the request.
    """

    status: int
    content_type: str
    body: AsyncGenerator[bytes, None]

    @property
    def is_stream(self) -> bool:
        """True for a stream."""
        return self.content_type.startswith("text/event-stream")


@dataclass(frozen=True)
class ProxyLimits:
    """Limits of one request to the service.

    Attributes:
        most_answer_tokens: Most tokens of an answer, where the client does not say.
        attempt_s: Longest wait for bytes, in seconds.
        deadline_s: Longest time of the whole answer, in seconds.
    """

    most_answer_tokens: int
    attempt_s: float
    deadline_s: float


class LlmProxy:
    """The service; made once at the edge and closed there."""

    def __init__(
        self,
        url: str,
        transport: Transport,
        *,
        pipeline: str,
        prompt: Prompt,
        prices: Prices,
        limits: ProxyLimits,
    ) -> None:
        """Put the parts together; :meth:`of` does it for what an operator chose."""
        self.pipeline, self.prompt, self.prices = pipeline, prompt, prices
        self.deadline_s, self.most_answer_tokens = limits.deadline_s, limits.most_answer_tokens
        self._url = url.rstrip("/")
        self._attempt_s = limits.attempt_s
        self._client = transport.client(attempt_s=limits.attempt_s)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Return the service in the settings ``PAPERGRAPH_UPSTREAM_…``, or None.

        Raises:
            InputError: The address or the key is malformed.
            FileContentError: The user's own prompt is invalid.
        """
        if settings.proxy.url is None:
            return None
        check_url(settings.proxy.url, setting="PAPERGRAPH_PROXY_URL")
        check_key(settings.proxy.api_key.get_secret_value(), setting="PAPERGRAPH_PROXY_API_KEY")
        placeholders = frozenset({"sources", "boundary"})
        return cls(
            settings.proxy.url,
            Transport(settings.proxy.api_key, max_connections=MOST_CONNECTIONS),
            pipeline=settings.proxy.pipeline,
            prompt=load_prompt("context", placeholders, folder=PROMPTS, own=settings.llm.prompts_dir),
            prices=Prices(settings.proxy.input_price, settings.proxy.output_price),
            limits=ProxyLimits(
                most_answer_tokens=settings.llm.max_answer_tokens,
                attempt_s=settings.llm.attempt_timeout_s,
                deadline_s=settings.llm.timeout_s,
            ),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def models(self) -> list[dict[str, Any]]:
        """Return its list of models, may be empty."""
        try:
            async with asyncio.timeout(MODELS_S):
                answer = await self._client.get(f"{self._url}/models")
            listed = answer.raise_for_status().json()["data"]
            return [dict(one) for one in listed[:MOST_MODELS] if isinstance(one["id"], str)]
        except (httpx.HTTPError, TimeoutError, LookupError, TypeError, ValueError) as error:
            log.warning("the models of the service behind this one are not known: %s", summary(error))
            return []

    async def chat(self, body: Mapping[str, Any]) -> ProxyResponse:
        """Ask for a chat completion, and return its answer once it has begun.

        Args:
            body: The whole request, sent as it is.

        Raises:
            UpstreamError: It cannot be reached, sends us elsewhere, or turns our key away.
            UpstreamError: It did not begin in time.
        """
        until_s = time.monotonic() + self.deadline_s
        request = self._client.build_request("POST", f"{self._url}/chat/completions", json=dict(body))
        try:
            async with asyncio.timeout(self.deadline_s):
                response = await self._client.send(request, stream=True)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise UpstreamError(summary(error), was_taken=False) from error
        except TimeoutError as error:
            raise UpstreamError.late(self.deadline_s) from error
        except httpx.TimeoutException as error:
            raise UpstreamError.late(self._attempt_s) from error
        except httpx.HTTPError as error:
            raise UpstreamError(summary(error)) from error
        status = response.status_code
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or response.is_redirect:
            await response.aclose()
            told = f"it answers {status}: is PAPERGRAPH_PROXY_URL its address and _API_KEY its key?"
            raise UpstreamError(told, was_taken=False)
        content_type = response.headers.get("content-type", "application/json")
        return ProxyResponse(status, content_type, _blocks(response, until_s, self.deadline_s))


async def _blocks(response: httpx.Response, until_s: float, deadline_s: float) -> AsyncGenerator[bytes, None]:
    """Yield an answer's bytes as they come, until the deadline; see :meth:`LlmProxy.chat` for errors."""
    try:
        blocks = response.aiter_raw()
        while True:
            async with asyncio.timeout(until_s - time.monotonic()):
                block = await anext(blocks, None)
            if block is None:
                return
            yield block
    except (TimeoutError, httpx.TimeoutException) as error:
        raise UpstreamError.late(deadline_s) from error
    except httpx.HTTPError as error:
        raise UpstreamError(summary(error)) from error
    finally:
        await response.aclose()
