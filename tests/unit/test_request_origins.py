"""Requests that a proxy passed on, and those of pages elsewhere, at an application without a store."""

import httpx
import pytest
from starlette.responses import Response

from papergraph.server.auth.server_limits import ServerLimits
from papergraph.server.middleware.origins import CrossSiteRequests
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


PORTS = ["http://localhost:9999", "http://127.0.0.1:8001", "http://[::1]:80", "http://localhost", "https://localhost"]
PATHS = ["/v1/uploads", "/v1/jobs/0123456789ab/cancel", "/v1/session", "/graphql", "/mcp"]


@pytest.mark.parametrize("site", [None, "same-site"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", PORTS)
async def test_a_page_on_another_port_of_this_machine_sends_json_only(origin: str, path: str, site: str | None):
    async def status(policy: ServerLimits, kind: str | None = None, page: str = origin) -> int:
        checked = CrossSiteRequests(Response(), names=policy.names(), keys_required=policy.keys_required)
        transport = httpx.ASGITransport(checked)  # type: ignore[arg-type]
        headers = {"Origin": page, "Sec-Fetch-Site": site, "Content-Type": kind}
        sent = {name: value for name, value in headers.items() if value is not None}
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            return (await client.post(path, headers=sent)).status_code

    forms = ("text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/json", None)
    assert [await status(OPEN, kind) for kind in forms] == [403] * 5
    assert await status(OPEN, "application/json; charset=utf-8") == 200
    assert await status(OPEN, page="http://localhost:8000") == 200
    assert await status(REQUIRED) == 200  # it carries no key, and its cookie is for another origin


async def test_a_page_by_a_name_of_the_server_is_answered_and_reading_is_free():
    assert await status_of(REQUIRED, Origin="https://papers.example.org") == 401
    assert await status_of(OPEN, "GET", "/", Sec_Fetch_Site="cross-site", Origin="https://example.org") == 200


APP = "https://app.example.org"
SHARED = ServerLimits(origins=(APP, "http://localhost:5173"))
PREFLIGHT = {
    "Access_Control_Request_Method": "POST",
    "Access_Control_Request_Headers": "authorization,content-type,idempotency-key,x-request-id",
}


@pytest.mark.parametrize("path", ["/graphql", "/v1/papers", "/v1/jobs/x/cancel", "/mcp"])
async def test_a_page_of_an_allowed_origin_may_ask_before_it_shows_a_key(path):
    policy = ServerLimits(keys_required=True, hosts=("papers.example.org",), origins=(APP,))

    allowed = await answer(policy, "OPTIONS", path, Origin=APP, **PREFLIGHT)

    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == APP
    assert allowed.headers["access-control-max-age"] == "7200"
    assert {"authorization", "x-api-key", "idempotency-key"} <= {
        name.strip().lower() for name in allowed.headers["access-control-allow-headers"].split(",")
    }
    assert "access-control-allow-credentials" not in allowed.headers


async def test_a_page_of_an_allowed_origin_reads_answers_and_refusals_and_may_change_things():
    read = await answer(SHARED, "GET", "/", Origin=APP, Sec_Fetch_Site="cross-site")
    refused = await answer(SHARED, "POST", "/nothing", Origin=APP, Sec_Fetch_Site="cross-site")

    assert (read.status_code, refused.status_code) == (200, 404)
    for one in (read, refused):
        assert one.headers["access-control-allow-origin"] == APP
        assert one.headers["cross-origin-resource-policy"] == "cross-origin"
        assert "X-Request-ID" in one.headers["access-control-expose-headers"]
        assert "origin" in one.headers["vary"].lower()


@pytest.mark.parametrize("origin", ["https://app.example.org.evil.org", "http://app.example.org", "null", APP + "/"])
async def test_a_page_of_another_origin_reads_nothing(origin):
    preflight = await answer(SHARED, "OPTIONS", "/graphql", Origin=origin, **PREFLIGHT)
    read = await answer(SHARED, "GET", "/", Origin=origin)

    assert preflight.status_code >= 400
    assert "access-control-allow-origin" not in {**preflight.headers, **read.headers}
    assert read.headers["cross-origin-resource-policy"] == "same-origin"


async def test_json_is_compressed_for_who_reads_gzip_and_small_answers_are_not():
    large = await answer(OPEN, "GET", "/openapi.json", Accept_Encoding="gzip")
    plain = await answer(OPEN, "GET", "/openapi.json", Accept_Encoding="identity")
    small = await answer(OPEN, "GET", "/", Accept_Encoding="gzip")

    assert large.headers["content-encoding"] == "gzip" and int(large.headers["content-length"]) < 64_000
    assert large.json() == plain.json()
    assert "content-encoding" not in plain.headers and "content-encoding" not in small.headers
