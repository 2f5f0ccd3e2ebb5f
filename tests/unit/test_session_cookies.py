"""For which requests a session's cookie counts, and how it is given."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from papergraph.server.auth.credentials import (
    clear_cookie,
    cookie_name,
    is_of_own_page,
    parse_session,
    session_in,
    set_cookie,
)

SESSION = "ps_0123456789abcdef_" + "x" * 43


def asked(method: str = "GET", *, scheme: str = "http", type: str = "http", **headers: str) -> dict[str, Any]:
    named = {"host": "localhost:8000"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "type": type,
        "scheme": scheme,
        "path": "/v1/papers",
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    } | ({"method": method} if type == "http" else {})


@pytest.mark.parametrize(
    "scope",
    [
        asked(),
        asked(sec_fetch_site="same-origin"),
        asked(sec_fetch_site="none"),
        asked("POST", sec_fetch_site="same-origin", origin="http://localhost:8000"),
        asked("DELETE", origin="http://localhost:8000"),
        asked("POST", scheme="https", host="papers.example.org", origin="https://papers.example.org"),
        asked(type="websocket", scheme="ws", origin="http://localhost:8000"),
        asked(type="websocket", scheme="wss", sec_fetch_site="same-origin"),
    ],
)
def test_a_session_counts_for_pages_of_this_origin(scope):
    assert is_of_own_page(scope)


@pytest.mark.parametrize(
    "scope",
    [
        asked("POST"),
        asked(sec_fetch_site="cross-site"),
        asked(sec_fetch_site="same-site"),
        asked("POST", sec_fetch_site="same-site", origin="http://localhost:3000"),
        asked("POST", origin="http://localhost:3000"),
        asked("POST", origin="http://localhost"),
        asked(origin="http://evil.example"),
        asked("POST", origin="null"),
        asked("POST", origin="http://[::1"),
        asked("POST", origin="http://localhost:8000.evil.example"),
        asked("POST", host="papers.example.org", origin="https://other.example.org"),
        asked(type="websocket", scheme="ws"),
        asked(type="websocket", scheme="ws", origin="http://localhost:3000"),
    ],
)
def test_a_session_counts_for_no_other_page_and_changes_nothing_without_a_word_of_the_origin(scope):
    assert not is_of_own_page(scope)


def test_the_cookie_is_out_of_reach_of_scripts_other_sites_and_other_hosts():
    ends = datetime.now(UTC) + timedelta(hours=12)

    here = set_cookie(asked(), SESSION, ends)
    there = set_cookie(asked(host="papers.example.org", scheme="https"), SESSION, ends)

    name, *parts = here.split("; ")
    assert name == f"papergraph-session-8000={SESSION}"
    assert parts[1:] == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert 43190 <= int(parts[0].removeprefix("Max-Age=")) <= 43200
    assert there.startswith("__Host-papergraph-session=") and there.endswith("; Secure")
    assert "Domain" not in here + there


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        (asked(host="127.0.0.1:8001"), "papergraph-session-8001"),
        (asked(host="[::1]:8000"), "papergraph-session-8000"),
        (asked(host="[::1]"), "papergraph-session"),
        (asked(host="localhost", scheme="https"), "__Host-papergraph-session"),
        (asked(host="papers.example.org"), "__Host-papergraph-session"),
        (asked(host="Papers.example.org:8443", scheme="https"), "__Host-papergraph-session-8443"),
    ],
)
def test_without_tls_only_this_machine_gets_a_cookie_and_each_port_has_its_own(scope, name):
    assert cookie_name(scope) == name
    assert clear_cookie(scope).startswith(f"{name}=; Max-Age=0; ")


def test_a_cookie_of_another_name_or_page_is_no_session():
    mine = asked(cookie=f"a=b; papergraph-session-8000={SESSION}")
    others = asked(cookie=f"papergraph-session-8001={SESSION}")
    planted = asked(host="papers.example.org", cookie=f"papergraph-session={SESSION}")
    foreign = asked(cookie=f"papergraph-session-8000={SESSION}", sec_fetch_site="cross-site")

    assert session_in(mine) == SESSION
    assert [session_in(scope) for scope in (others, planted, foreign, asked())] == [None] * 4


@pytest.mark.parametrize("text", ["", "ps_", SESSION[:-1], SESSION + "x", "pg" + SESSION[2:], SESSION + "\n"])
def test_what_is_no_session_is_none(text):
    assert parse_session(text) is None
    assert parse_session(SESSION) == ("0123456789abcdef", "x" * 43)
