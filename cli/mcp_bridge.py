"""MCP over standard input and output through a running server: each message is a request of its own."""

import json
import sys
import threading
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO

import httpx

from papergraph.cli.client import http_client

AT_ONCE = 8
TIMEOUT_S = 300.0
FAILED = -32000
"""Code of JSON-RPC for a server that does not answer."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def accepts(url: str, *, key: str) -> bool:
    """Say whether a server answers MCP with this key."""
    try:
        with _client(url, key=key, timeout_s=5) as client:
            return _post(client, {"jsonrpc": "2.0", "id": 0, "method": "ping"}).status_code == 200
    except httpx.HTTPError:
        return False


def bridge(url: str, *, key: str, lines: TextIO = sys.stdin, output: TextIO = sys.stdout) -> None:
    """Send each line to the server, and write its answer, until the input ends; slow answers hold up no others."""
    writing = threading.Lock()

    def answer(line: str) -> None:
        told = _answer(client, line)
        if told:
            with writing:
                output.write(told + "\n")
                output.flush()

    with _client(url, key=key, timeout_s=TIMEOUT_S) as client, ThreadPoolExecutor(AT_ONCE) as threads:
        for line in lines:
            if line.strip():
                threads.submit(answer, line)


def _client(url: str, *, key: str, timeout_s: float) -> httpx.Client:
    headers = {"Accept": "application/json, text/event-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
    return http_client(url, timeout_s=timeout_s, base_url=url, headers=headers)


def _answer(client: httpx.Client, line: str) -> str:
    """Return the answer to a message; nothing for a notification."""
    try:
        message = json.loads(line)
    except ValueError:
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "This is not JSON."}})
    id = message.get("id") if isinstance(message, dict) else None
    try:
        response = _post(client, message)
        if response.status_code == 202 or not response.content:
            return ""
        told = response.json()
        if isinstance(told, dict) and "error" in told:
            told["id"] = id  # one that is refused before it is read has none
        return json.dumps(told, ensure_ascii=False)
    except (httpx.HTTPError, ValueError) as error:
        if id is None:
            return ""
        failure = {"code": FAILED, "message": f"The server at {client.base_url} does not answer: {error}"}
        return json.dumps({"jsonrpc": "2.0", "id": id, "error": failure})


def _post(client: httpx.Client, message: Any) -> httpx.Response:
    return client.post("/mcp", json=message, headers=_routing(message))


def _routing(message: Any) -> dict[str, str]:
    """Return the headers that name version, method and tool, for messages that bring their version."""
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict) or VERSION_KEY not in (params.get("_meta") or {}):
        return {}
    method = str(message.get("method"))
    headers = {"MCP-Protocol-Version": str(params["_meta"][VERSION_KEY]), "Mcp-Method": method}
    if (name := NAMED_BY.get(method)) and isinstance(params.get(name), str):
        headers["Mcp-Name"] = _header(params[name])
    return headers


def _header(text: str) -> str:
    """Return a value as headers of MCP bear it."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{b64encode(text.encode()).decode()}?="
