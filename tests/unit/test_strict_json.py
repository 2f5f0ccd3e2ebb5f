"""JSON of requests is UTF-8 with each name once, for all interfaces."""

from typing import Any

import httpx
import pytest

from papergraph.server.middleware.origins import StrictJson, fault_of
from tests.support.bare_app import OPEN, application

QUERY = '{"query": "{ pipelines { name } }"}'


async def post(app: Any, body: bytes, kind: str = "application/json") -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        return await client.post("/graphql", content=body, headers={"content-type": kind})


@pytest.mark.parametrize("charset", ["utf-7", "utf-16", "latin-1", "nonsense"])
async def test_another_charset_is_an_unsupported_media_type(charset):
    refused = await post(application(OPEN), QUERY.encode(), f"application/json; charset={charset}")

    assert (refused.status_code, "UTF-8" in refused.text) == (415, True)


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1"]
)
async def test_a_body_in_another_encoding_is_refused(encoding):
    refused = await post(application(OPEN), QUERY.replace("name", "ä").encode(encoding))

    assert (refused.status_code, "not in UTF-8" in refused.text) == (400, True)


@pytest.mark.parametrize("body", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "\\u0061": 2}}]'])
async def test_a_name_that_comes_twice_is_refused_with_the_name(body):
    refused = await post(application(OPEN), body.encode())

    assert (refused.status_code, "'a' twice" in refused.text) == (400, True)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b"9" * 5000, b'{"a": [{"b": 1}, {"b": 1}]}', b'"\xc3\xa4"']
)
def test_other_faults_are_left_to_who_reads_the_body(body):
    assert fault_of(body) is None


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=UTF-8", "text/plain; charset=utf-7"])
async def test_a_body_that_is_let_in_arrives_whole(kind):
    seen: list[bytes] = []

    async def echo(scope: Any, receive: Any, send: Any) -> None:
        seen.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    assert (await post(StrictJson(echo), QUERY.encode(), kind)).status_code == 200
    assert seen == [QUERY.encode()]
