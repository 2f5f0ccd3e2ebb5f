"""A scripted language model: OpenAI's chat completions over a real loopback socket, with every fault one can have.

    with FakeLLM() as llm:
        llm.script(Reply("first answer"), rate_limited(after_s=1), "third answer")  # one request each, in turn
        llm.when("a prompt that holds this", '{"questions": []}')                   # as often as it is asked
        llm.otherwise(lambda request: request.prompt.upper())
        ...  # a client of llm.url
        assert llm.requests[0].messages[0]["role"] == "system"

Tokens are words: a prompt of nine words has nine. It needs the standard library alone, so that other environments can
run it: ``python tests/support/fake_llm.py --reply TEXT`` prints its address and answers TEXT until its input ends.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

MODEL = "scripted"
ENDLESS_PIECE = "and so on " * 20


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    at_s: float

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", ()))

    @property
    def prompt(self) -> str:
        """All messages' texts, one after the other."""
        return "\n".join(str(message.get("content") or "") for message in self.messages)

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))


@dataclass(frozen=True)
class Reply:
    """What the model answers, and how well it does it.

    Attributes:
        text: The answer.
        finish_reason: ``stop``; ``length`` where the answer is cut at the longest allowed, ``content_filter``.
        refusal: The model's own words why it does not answer.
        tool_calls: Calls of functions that nobody offered.
        with_usage: Whether tokens are told.
        usage: Tokens of input and output; words where None.
        status: HTTP status; with another than 200 the body is an error of OpenAI's form.
        error_code: Code in that error.
        headers: More headers.
        body: Sent instead of a completion, as it is.
        content_type: Of the body.
        delay_s: Silence before the first byte, seconds.
        drip_s: Pause before each piece of the body, seconds; a body comes in pieces of ``piece`` letters then.
        piece: Letters of an answer in one piece of a stream.
        cut_after: The connection is closed after so many bytes of the body.
        endless: The answer goes on until the client leaves.
    """

    text: str = ""
    finish_reason: str = "stop"
    refusal: str | None = None
    tool_calls: tuple[str, ...] = ()
    with_usage: bool = True
    usage: tuple[int, int] | None = None
    status: int = 200
    error_code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    delay_s: float = 0.0
    drip_s: float = 0.0
    piece: int = 8
    cut_after: int | None = None
    endless: bool = False


Scripted = Reply | str | Callable[[Request], "Reply | str"]


def rate_limited(*, after_s: float | str | None = None, code: str | None = "rate_limit_exceeded") -> Reply:
    """429, with Retry-After where ``after_s`` is given: seconds, or a date of HTTP's form."""
    headers = {} if after_s is None else {"Retry-After": str(after_s)}
    return Reply("slow down", status=429, error_code=code, headers=headers)


def failing(status: int = 503) -> Reply:
    """An error of the server."""
    return Reply("out of order", status=status)


def truncated(text: str) -> Reply:
    """An answer that stops at the longest allowed."""
    return Reply(text, finish_reason="length")


def slow(text: str, *, delay_s: float) -> Reply:
    """An answer that begins late."""
    return Reply(text, delay_s=delay_s)


def dripping(text: str, *, drip_s: float) -> Reply:
    """An answer that comes letter by letter."""
    return Reply(text, drip_s=drip_s, piece=1)


def cut(text: str, *, after_bytes: int) -> Reply:
    """A connection that breaks in the middle of the body."""
    return Reply(text, cut_after=after_bytes)


def web_page() -> Reply:
    """What a proxy or a wrong address answers, with 200."""
    return Reply(body=b"<html><body>Welcome</body></html>", content_type="text/html")


def huge(n_bytes: int) -> Reply:
    """An answer of at least ``n_bytes``."""
    return Reply("x" * n_bytes)


def endless() -> Reply:
    """An answer that never ends."""
    return Reply(ENDLESS_PIECE, endless=True, piece=len(ENDLESS_PIECE))


FAULTS: Mapping[str, Reply] = {
    "down": failing(503),
    "turned away": failing(401),
    "rate limit": rate_limited(),
    "silent": slow("An answer. [1]", delay_s=30),
    "web page": web_page(),
    "empty": Reply(""),
    "cut off": truncated(""),
    "breaks": cut("An answer. [1]", after_bytes=40),
    "refuses": Reply(refusal="no"),
    "endless": endless(),
}
"""Each way in which a model gives nothing that could be used."""


class FakeLLM:
    """The server; the script may be added to at any time, and what was asked is kept in ``requests``."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.unexpected: list[Request] = []
        """Requests that the script had no answer for; they got a 500."""
        self.n_left = 0
        """Clients that went away before their answer was complete."""
        self.n_open = 0
        self.most_open = 0
        """Most requests of completions that were open at once."""
        self._script: deque[Scripted] = deque()
        self._by_prompt: list[tuple[str, Scripted]] = []
        self._otherwise: Scripted | None = None
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-llm", daemon=True)
        self._listener: asyncio.Server | None = None

    def script(self, *replies: Scripted) -> None:
        """Add answers for the next requests that no ``when`` is for, one each."""
        with self._lock:
            self._script.extend(replies)

    def when(self, words: str, reply: Scripted) -> None:
        """Answer every request whose prompt holds ``words``; the rule that was added last is asked first."""
        with self._lock:
            self._by_prompt.insert(0, (words, reply))

    def otherwise(self, reply: Scripted) -> None:
        """Answer what nothing else is for."""
        with self._lock:
            self._otherwise = reply

    @property
    def left_over(self) -> int:
        """How many answers of the script nobody asked for."""
        return len(self._script)

    @property
    def url(self) -> str:
        """Base address, as OpenAI's clients take it."""
        assert self._listener is not None, "not started"
        return f"http://127.0.0.1:{self._listener.sockets[0].getsockname()[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._listener = self._on_loop(asyncio.start_server(self._accept, "127.0.0.1", 0))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._on_loop(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10.0)
        self._loop.close()

    def _on_loop(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10.0)

    async def _stop(self) -> None:
        assert self._listener is not None
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(await _read(reader), reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; a connection is used once, so that what comes after it is the client's leaving."""
        if request.path.endswith("/models"):
            models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "tests"}]}
            await _send(writer, Reply(), _pieces_of(json.dumps(models).encode()), length=True)
            return
        if not request.path.endswith("/chat/completions"):
            await _send(writer, Reply(status=404), _pieces_of(b"{}"), length=True)
            return
        with self._lock:
            self.requests.append(request)
            self.n_open += 1
            self.most_open = max(self.most_open, self.n_open)
        leaving = asyncio.create_task(reader.read())
        answering = asyncio.create_task(self._answer(request, writer))
        try:
            await asyncio.wait([leaving, answering], return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() or answering.exception() is not None:
                self.n_left += 1
        finally:
            self.n_open -= 1
            for task in (leaving, answering):
                task.cancel()
            await asyncio.gather(leaving, answering, return_exceptions=True)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        reply = self._choose(request)
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            error = {"message": reply.text, "type": "error", "param": None, "code": reply.error_code}
            pieces = _pieces_of(json.dumps({"error": error}).encode())
        elif reply.body is not None:
            pieces = _pieces_of(reply.body)
        elif request.stream:
            reply = replace(reply, content_type="text/event-stream")
            pieces = _stream(request, reply)
        else:
            pieces = _completion(request, reply)
        await _send(writer, reply, pieces, length=not (request.stream or reply.endless or reply.drip_s))

    async def send_json(self, writer: asyncio.StreamWriter, value: Any) -> None:
        """Answer a request with a value as JSON."""
        await _send(writer, Reply(), _pieces_of(json.dumps(value).encode()), length=True)

    def _choose(self, request: Request) -> Reply:
        with self._lock:
            rule = next((reply for words, reply in self._by_prompt if words in request.prompt), None)
            if rule is None:
                rule = self._script.popleft() if self._script else self._otherwise
            if rule is None:
                self.unexpected.append(request)
                return Reply(f"the script has no answer for: {request.prompt[:200]}", status=500)
        answer = rule(request) if callable(rule) else rule
        return Reply(answer) if isinstance(answer, str) else answer


async def _read(reader: asyncio.StreamReader) -> Request:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split()[1], headers, json.loads(body) if body else {}, time.monotonic())


async def _send(writer: asyncio.StreamWriter, reply: Reply, pieces: AsyncIterator[bytes], *, length: bool) -> None:
    """Send an answer, with its length told before or in chunks."""
    body = b"".join([piece async for piece in pieces]) if length else b""
    headers = {"Content-Type": reply.content_type, "Connection": "close", **reply.headers}
    headers |= {"Content-Length": str(len(body))} if length else {"Transfer-Encoding": "chunked"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{head}\r\n".encode("latin-1"))
    n_sent = 0
    async for piece in _pieces_of(body) if length else pieces:
        await asyncio.sleep(reply.drip_s)
        part = piece if reply.cut_after is None else piece[: reply.cut_after - n_sent]
        n_sent += len(part)
        writer.write(part if length else b"%x\r\n%b\r\n" % (len(part), part) if part else b"")
        await writer.drain()
        if reply.cut_after is not None and n_sent >= reply.cut_after:
            return
    if not length:
        writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _pieces_of(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _completion(request: Request, reply: Reply) -> AsyncIterator[bytes]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
    whole = _envelope(request, "chat.completion") | {"choices": [choice]}
    if reply.with_usage:
        whole["usage"] = _usage(request, reply)
    body = json.dumps(whole).encode()
    if reply.endless:
        yield body[: body.index(reply.text.encode())]
        while True:
            yield reply.text.encode()
            await asyncio.sleep(0)
    size = reply.piece if reply.drip_s else max(1, len(body))
    for start in range(0, len(body), size):
        yield body[start : start + size]


async def _stream(request: Request, reply: Reply) -> AsyncIterator[bytes]:
    def event(delta: dict[str, Any], finish_reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        chunk = _envelope(request, "chat.completion.chunk") | {"choices": [choice]} | more
        return b"data: " + json.dumps(chunk).encode() + b"\n\n"

    yield event({"role": "assistant", "content": ""})
    if reply.refusal:
        yield event({"refusal": reply.refusal})
    if reply.tool_calls:
        yield event({"tool_calls": [{"index": n, **call} for n, call in enumerate(_tool_calls(reply))]})
    while True:
        for start in range(0, len(reply.text), reply.piece):
            yield event({"content": reply.text[start : start + reply.piece]})
        if not reply.endless:
            break
        await asyncio.sleep(0)
    yield event({}, reply.finish_reason)
    if reply.with_usage and (request.body.get("stream_options") or {}).get("include_usage"):
        yield event({}, choices=[], usage=_usage(request, reply))
    yield b"data: [DONE]\n\n"


def _envelope(request: Request, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": request.body.get("model", MODEL)}


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"id": f"call-{n}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for n, name in enumerate(reply.tool_calls)
    ]


def _usage(request: Request, reply: Reply) -> dict[str, int]:
    sent, answered = reply.usage or (len(request.prompt.split()), len(reply.text.split()))
    return {"prompt_tokens": sent, "completion_tokens": answered, "total_tokens": sent + answered}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reply", required=True, help="the answer to everything")
    with FakeLLM() as llm, suppress(KeyboardInterrupt):
        llm.otherwise(parser.parse_args().reply)
        print(llm.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
