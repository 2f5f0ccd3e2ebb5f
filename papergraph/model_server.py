"""Requests to a server of embedding models or rerankers: JSON over kept connections, tried again, within a deadline.

The address is one that an operator set. The key goes there and nowhere else: redirects are failures, and proxies and
keys of the environment are not used.
"""

import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
import pydantic_core
from pydantic import SecretStr

from papergraph.errors import InputError, ModelServerError
from papergraph.language_model.client import PASSING_STATUS, Retries
from papergraph.language_model.completion import shown, wait_named_s
from papergraph.language_model.model import check_key, check_url

CONNECT_S = 5.0
MAX_BODY_BYTES = 256 << 20
"""Largest answer: some 2,000 vectors of 4,096 numbers in JSON."""


@dataclass(frozen=True)
class Patience:
    """Limits of retries.

    Attributes:
        attempts: Most attempts.
        timeout_s: Timeout of all attempts and pauses together, in seconds.
    """

    attempts: int = 6
    timeout_s: float = 120.0


class _PassingError(Exception):
    """A failure that may be none the next time."""

    def __init__(self, error: ModelServerError, *, wait_s: float = 0.0) -> None:
        super().__init__(str(error))
        self.error, self.wait_s = error, wait_s


class ModelServer:
    """One model server. Several threads may call it at once; calls block, so none from the thread of an event loop."""

    def __init__(self, url: str, api_key: SecretStr, *, setting: str, connections: int) -> None:
        """Connect to nothing yet.

        Args:
            url: Its base address.
            api_key: Sent as a bearer token, unless it is empty.
            setting: Beginning of the names of its settings, such as ``PAPERGRAPH_EMBEDDING``.
            connections: Requests that may be open at once.

        Raises:
            InputError: The address or the key cannot be one.
        """
        check_url(url, setting=f"{setting}_URL")
        check_key(api_key.get_secret_value(), setting=f"{setting}_API_KEY")
        self.url = url.rstrip("/")
        self._api_key, self._setting, self._connections = api_key, setting, connections
        self._retries = Retries()
        self._lock = threading.Lock()
        self._not_before_s = 0.0
        """On the monotonic clock: the server asked not to be asked earlier."""

    def post(self, path: str, message: Mapping[str, Any], *, patience: Patience) -> Any:
        """Send a message, and return the answer as JSON holds it.

        Server failures, rate limits, broken connections and answers that are no JSON are tried again. A Retry-After
        delays every request of the process.

        Raises:
            ModelServerError: It cannot be reached, turns the request away, or failed at every attempt.
        """
        return self._ask("POST", path, message, patience)

    def get(self, path: str, *, patience: Patience) -> Any:
        """Return what is at a path; see :meth:`post`."""
        return self._ask("GET", path, None, patience)

    def _ask(self, method: str, path: str, message: Mapping[str, Any] | None, patience: Patience) -> Any:
        until_s = time.monotonic() + patience.timeout_s
        content = None if message is None else pydantic_core.to_json(message)
        number = 0
        while True:
            number += 1
            time.sleep(max(0.0, min(self._not_before_s, until_s) - time.monotonic()))
            try:
                return self._attempt(method, path, content, until_s)
            except _PassingError as failure:
                pause_s = self._retries.pause_s(number, random.random())  # noqa: S311 jitter
                with self._lock:
                    self._not_before_s = max(self._not_before_s, time.monotonic() + failure.wait_s)
                    pause_s += max(0.0, self._not_before_s - time.monotonic())
                if number >= patience.attempts or time.monotonic() + pause_s >= until_s:
                    raise failure.error from None
                time.sleep(pause_s)

    def _attempt(self, method: str, path: str, content: bytes | None, until_s: float) -> Any:
        left_s = max(0.05, until_s - time.monotonic())
        timeout = httpx.Timeout(left_s, connect=min(CONNECT_S, left_s))
        try:
            with self._client.stream(method, self.url + path, content=content, timeout=timeout) as response:
                body = self._read(response, until_s)
        except httpx.TimeoutException:
            raise _PassingError(ModelServerError(f"{self.url} did not answer in time")) from None
        except httpx.ConnectError:
            told = f"nothing answers at {self.url}; start the server, or set {self._setting}_URL"
            raise _PassingError(ModelServerError(told)) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            told = f"the connection to {self.url} broke off ({type(error).__name__})"
            raise _PassingError(ModelServerError(told)) from None
        if response.status_code != httpx.codes.OK:
            self._refuse(response, body)
        try:
            return pydantic_core.from_json(body)
        except ValueError:
            told = f"what {self.url}{path} answers is no JSON; {self._setting}_URL must be the base address of the API"
            raise _PassingError(ModelServerError(told)) from None

    def _read(self, response: httpx.Response, until_s: float) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ModelServerError(f"{self.url} packs its answer although that was not asked for")
        body = bytearray()
        for block in response.iter_raw():
            body += block
            if len(body) > MAX_BODY_BYTES:
                raise ModelServerError(f"the answer of {self.url} has over {MAX_BODY_BYTES} bytes")
            if time.monotonic() > until_s:
                raise httpx.ReadTimeout("the answer goes on for too long")
        return bytes(body)

    def _refuse(self, response: httpx.Response, body: bytes) -> None:
        """Raise what an answer with another status than 200 means; what the server said of our key is not repeated."""
        status, said = response.status_code, shown(body.decode(errors="replace"))
        if key := self._api_key.get_secret_value():
            said = said.replace(key, "…")
        hint = {401: f"; set {self._setting}_API_KEY", 403: f"; set {self._setting}_API_KEY"}.get(status, "")
        if status in (404, 405):
            hint = f"; look at {self._setting}_URL, {self._setting}_PROTOCOL and {self._setting}_MODEL"
        error = ModelServerError(f"{self.url} answers with status {status}{hint}: {said}", status=status)
        if status in PASSING_STATUS and "insufficient_quota" not in said:
            raise _PassingError(error, wait_s=wait_named_s(response.headers.get("retry-after")) or 0.0)
        raise error

    @cached_property
    def _client(self) -> httpx.Client:
        limits = httpx.Limits(max_connections=self._connections, max_keepalive_connections=self._connections)
        headers = {"user-agent": "papergraph", "accept-encoding": "identity", "content-type": "application/json"}
        if key := self._api_key.get_secret_value():
            headers["authorization"] = f"Bearer {key}"
        return httpx.Client(limits=limits, headers=headers, trust_env=False, follow_redirects=False)


def require_url(url: str | None, *, setting: str, what: str) -> str:
    """Return an address that is set.

    Raises:
        InputError: It is not.
    """
    if url is None:
        raise InputError(f"{what} is asked over HTTP: set {setting} to the address of its server", field=setting)
    return url
