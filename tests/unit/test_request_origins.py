"""Requests that a proxy passed on, and those of pages elsewhere, at an application without a store."""

import httpx
import pytest

from server.auth.server_limits import ServerLimits
from tests.support.bare_app import application

OPEN, REQUIRED = ServerLimits(), ServerLimits(keys_required=True, hosts=("papers.example.org",))


async def status_of(policy: ServerLimits, method: str = "POST", path: str = "/nothing", **headers: str) -> int:
    return (await answer(policy, method, path, **headers)).status_code


async def answer(policy: ServerLimits, method: str, path: str, **headers: str) -> httpx.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    transport = httpx.ASGITransport(application(policy))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        return await client.request(method, path, headers=sent)


@pytest.mark.parametrize("name", ["Forwarded", "Via", "X-Forwarded-For", "x-forwarded-host", "X_Forwarded_Proto"])
async def test_a_server_without_keys_refuses_what_a_proxy_passed_on(name):
    refused = await answer(OPEN, "GET", "/v1/pipelines", **{name: "203.0.113.5"})

    assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
    assert "PAPERGRAPH_SERVER_REQUIRE_API_KEY" in refused.json()["detail"]


async def test_a_server_with_keys_may_be_behind_a_proxy_and_others_are_answered():
    assert await status_of(REQUIRED, "GET", "/", X_Forwarded_For="203.0.113.5", Via="1.1 proxy") == 401
    assert await status_of(OPEN, "GET", "/") == 200


@pytest.mark.parametrize("policy", [OPEN, REQUIRED])
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "cross-site", "Origin": "http://localhost:8000"},
        {"Origin": "https://example.org"},
        {"Origin": "null"},
        {"Origin": "https://["},
        {"Origin": "https://localhost.example.org"},
        {"Sec_Fetch_Site": "same-site", "Origin": "https://evil.example.org"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_a_page_elsewhere_changes_nothing(policy, method, headers):
    assert await status_of(policy, method, "/v1/papers/x", **headers) == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_Fetch_Site": "same-origin", "Origin": "http://localhost:8000"},
        {"Sec_Fetch_Site": "none"},
        {"Origin": "http://localhost:8000"},
        {"Origin": "http://[::1]:8000"},
    ],
)
async def test_pages_of_this_server_and_clients_without_a_page_are_answered(headers):
    assert await status_of(OPEN, **headers) == 404
    assert await status_of(REQUIRED, **headers) == 401


async def test_a_page_by_a_name_of_the_server_is_answered_and_reading_is_free():
    assert await status_of(REQUIRED, Origin="https://papers.example.org") == 401
    assert await status_of(OPEN, "GET", "/", Sec_Fetch_Site="cross-site", Origin="https://example.org") == 200
