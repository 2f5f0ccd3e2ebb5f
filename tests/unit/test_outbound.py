import gzip
import socket
import threading
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from papergraph.errors import BlockedUrlError, Code, OutboundError, OutboundStatusError, OutboundTooLargeError
from papergraph.outbound import ARXIV_GATE, HostThrottle, Outside, check_address, open_outside
from papergraph.outbound.client import Resolve
from papergraph.settings import Settings
from tests.support.fake_arxiv import Clock
from tests.support.web_site import Site

PUBLIC, LOOPBACK = "93.184.216.34", "127.0.0.1"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


@pytest.fixture
def outside(site: Site) -> Outside:
    return Outside(hosts=["127.0.0.1", "papers.test"], local_ports=[site.port], deadline_s=5.0, max_bytes=1000)


def resolving(resolve: Resolve, **options: Any) -> Outside:
    made = Outside(**options)
    made.resolve = resolve
    return made


BLOCKED = [
    "http://arxiv.org/abs/1",
    "ftp://arxiv.org/a",
    "file:///etc/passwd",
    "gopher://arxiv.org/",
    "data:text/plain,hello",
    "//arxiv.org/a",
    "arxiv.org/a",
    "",
    "https://",
    "https:///a",
    "https://user@arxiv.org/",
    "https://user:word@arxiv.org/",
    "https://arxiv.org@127.0.0.1/",
    "https://127.0.0.1\\@arxiv.org/",
    "https://arxiv.org:8080/",
    "https://arxiv.org:22/",
    "https://arxiv.org:7687/",
    "https://arxiv.org:99999/",
    "https://example.org/",
    "https://arxiv.org.example.org/",
    "https://notarxiv.org/",
    "https://sub.arxiv.org/",
    "https://arxiv.org%00.example.org/",
    "https://arxiv.org%2eexample.org/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://017700000001/",
    "https://0/",
    "https://localhost/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[fe80::1%25eth0]/",
    "https://①②⑦.⓪.⓪.①/",
    "https://169.254.169.254/latest/meta-data/",
    "https://metadata.google.internal/",
    "https://arxiv.org/" + "a" * 3000,
]


@pytest.mark.parametrize("url", BLOCKED, ids=lambda url: url[:40])
def test_a_url_that_is_not_on_an_allowed_host_by_tls_is_blocked_before_anything_is_resolved(url):
    asked: list[str] = []
    outside = resolving(lambda host, port: asked.append(host) or [PUBLIC], hosts=["arxiv.org"])

    with pytest.raises(BlockedUrlError) as caught:
        outside.get(url)

    assert caught.value.code is Code.BAD_USER_INPUT
    assert not asked


@pytest.mark.parametrize(
    ("hosts", "url", "allowed"),
    [
        (["arxiv.org"], "https://ARXIV.org/pdf/1", True),
        (["arxiv.org"], "https://arxiv.org./pdf/1", True),
        (["*.example.org"], "https://a.b.example.org/", True),
        (["*.example.org"], "https://example.org/", False),
        (["*.example.org"], "https://badexample.org/", False),
        (["*"], "https://example.org/", True),
        ([], "https://example.org/", False),
    ],
)
def test_hosts_are_allowed_by_name_or_below_a_name(hosts, url, allowed):
    outside = Outside(hosts=hosts)

    if allowed:
        assert outside.check(url).host.rstrip(".").endswith(".org")
    else:
        with pytest.raises(BlockedUrlError, match="PAPERGRAPH_FETCH_ALLOWED_HOSTS"):
            outside.check(url)


NOT_PUBLIC = [
    *(
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104
        "255.255.255.255",
    ),
    *("224.0.0.1", "239.1.1.1", "240.0.0.1", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fc00::1", "fec0::1"),
    *("ff02::1", "ff0e::1", "2001:db8::1", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("64:ff9b:1::7f00:1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::", "::7f00:1", "fe80::1%eth0"),
    "2001:0:5db8:d822:0:0:80ff:fffe",  # Teredo of a client at 127.0.0.1
    "2606:2800:220:1:0:5efe:7f00:1",  # ISATAP
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_no_address_but_a_public_one_is_connected_to_whatever_it_is_wrapped_in(address):
    with pytest.raises(ValueError, match="not an address of the public internet"):
        check_address(address)
    outside = resolving(lambda host, port: [address], hosts=["*"])
    with pytest.raises(BlockedUrlError):
        outside.get("https://example.org/")


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_public_addresses_pass(address):
    assert check_address(address) == ip_address(address)


@given(st.ip_addresses(v=4))
def test_no_wrapping_makes_a_private_address_public(inner: IPv4Address):
    number = int(inner)
    wrapped = [
        IPv6Address((0xFFFF << 32) + number),
        IPv6Address(int(IPv6Address("64:ff9b::")) + number),
        IPv6Address((0x2002 << 112) + (number << 80) + 1),
        IPv6Address(int(IPv6Address("2606:2800:220:1:0:5efe::")) + number),
    ]

    for address in wrapped:
        if passes(inner):
            continue
        assert not passes(address), address


@given(st.ip_addresses())
def test_what_passes_is_global_and_no_group(address: IPv4Address | IPv6Address):
    if passes(address):
        assert address.is_global or address in (IPv6Address(int(address)),)
        assert not address.is_multicast
        assert not address.is_loopback
        assert not address.is_link_local
        assert not address.is_private or str(address).startswith("64:ff9b::")


def passes(address: IPv4Address | IPv6Address) -> bool:
    try:
        check_address(str(address))
    except ValueError:
        return False
    return True


def test_one_private_address_among_public_ones_is_enough_to_refuse():
    outside = resolving(lambda host, port: [PUBLIC, "10.0.0.1"], hosts=["*"])

    with pytest.raises(BlockedUrlError, match=r"10\.0\.0\.1"):
        outside.get("https://example.org/")


def test_a_name_is_resolved_once_so_that_a_second_answer_leads_nowhere(site):
    """The canary listens on this machine; the resolver says a public address first and this machine afterwards."""
    answers = [["203.0.113.1"], [LOOPBACK]]
    asked = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[min(len(asked), 2) - 1]

    with pytest.raises(BlockedUrlError):
        resolving(rebinding, hosts=["*"]).get("https://example.org/")

    assert asked == ["example.org"]
    assert not site.requests


def test_the_canary_on_loopback_hears_nothing_of_any_blocked_url(site):
    outside = Outside(hosts=["*"], allow_http=True)
    for host in ("127.0.0.1", "127.1", "0x7f.1", "2130706433", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0"):
        for port in (f":{site.port}", "", ":80"):
            with pytest.raises(OutboundError):
                outside.get(f"http://{host}{port}/")

    assert not site.requests


def test_a_local_port_is_for_loopback_alone():
    outside = resolving(lambda host, port: ["10.0.0.1"], hosts=["*"], local_ports=[8123])

    with pytest.raises(BlockedUrlError):
        outside.get("http://example.org:8123/")


@pytest.mark.parametrize(
    ("private", "url", "passes"),
    [
        (["127.0.0.1:{port}"], "http://127.0.0.1:{port}/", True),
        (["Wiki.Intranet:{port}"], "http://wiki.intranet:{port}/", True),
        (["wiki.intranet"], "http://wiki.intranet:{port}/", False),
        (["wiki.intranet:1"], "http://wiki.intranet:{port}/", False),
        (["wiki.intranet:{port}"], "http://sub.wiki.intranet:{port}/", False),
        ([], "http://wiki.intranet:{port}/", False),
    ],
)
def test_a_private_host_is_asked_at_the_port_that_the_operator_names(site, private, url, passes):
    site.pages["/"] = b"Hello"
    named = [one.format(port=site.port) for one in private]
    outside = resolving(lambda host, port: ["127.0.0.1"], hosts=["*"], private_hosts=named)
    if passes:
        assert outside.get(url.format(port=site.port)).data == b"Hello"
        site.redirects["/"] = "http://10.0.0.1/"
    with pytest.raises(OutboundError):
        outside.get(url.format(port=site.port))


def test_the_connection_goes_to_the_checked_address_and_the_host_keeps_its_name(site, outside):
    site.pages["/a"] = b"Hello"
    named = resolving(lambda host, port: [LOOPBACK], hosts=["papers.test"], local_ports=[site.port])

    fetched = named.get(f"http://papers.test:{site.port}/a")

    assert (fetched.data, fetched.media_type) == (b"Hello", "text/html")
    assert site.headers[0]["host"] == f"papers.test:{site.port}"
    assert site.headers[0]["user-agent"].startswith("papergraph/")


def test_the_second_address_is_tried_when_the_first_does_not_answer(site):
    site.pages["/a"] = b"Hello"
    outside = resolving(lambda host, port: ["::1", LOOPBACK], hosts=["papers.test"], local_ports=[site.port])

    assert outside.get(f"http://papers.test:{site.port}/a").data == b"Hello"


def test_redirects_are_followed_three_times_and_each_is_checked(site, outside):
    for n in range(4):
        site.redirects[f"/{n}"] = f"/{n + 1}"
    site.pages["/4"] = b"End"

    fetched = outside.get(site.url("/1"))

    assert (fetched.url, fetched.data) == (site.url("/4"), b"End")
    with pytest.raises(BlockedUrlError, match="3 redirects"):
        outside.get(site.url("/0"))


@pytest.mark.parametrize(
    "target",
    ["http://localhost/", "https://example.org/", "file:///etc/passwd", "http://169.254.169.254/", "//evil.test/"],
)
def test_a_redirect_to_what_is_not_allowed_is_blocked(site, outside, target):
    site.redirects["/"] = target

    with pytest.raises(BlockedUrlError):
        outside.get(site.url("/"))
    assert len(site.requests) == 1


def test_an_answer_over_the_limit_is_cut_off_whether_it_says_its_length_or_not(site, outside):
    site.pages["/long"] = b"x" * 1001
    site.chunked.add("/chunked")
    site.pages["/chunked"] = b"x" * 100_000
    site.pages["/fits"] = b"x" * 1000

    assert len(outside.get(site.url("/fits")).data) == 1000
    for path in ("/long", "/chunked"):
        with pytest.raises(OutboundTooLargeError):
            outside.get(site.url(path))
    assert len(outside.get(site.url("/long"), max_bytes=2000).data) == 1001


def test_a_packed_answer_is_refused_since_nobody_knows_how_large_it_is(site, outside):
    site.extra["/packed"] = {"Content-Encoding": "gzip"}
    site.pages["/packed"] = b"\x1f\x8b"

    with pytest.raises(OutboundError, match="packed"):
        outside.get(site.url("/packed"))


def test_a_server_that_drips_is_cut_off_at_the_deadline(site):
    site.pages["/slow"] = b"x" * 1000
    site.drip_s["/slow"] = 0.1
    outside = Outside(hosts=["*"], local_ports=[site.port], deadline_s=0.5)

    start = time.monotonic()
    with pytest.raises(OutboundError) as caught:
        outside.get(site.url("/slow"))

    assert caught.value.code is Code.TIMEOUT
    assert time.monotonic() - start < 30.0  # all of it would take 100 s


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), (None, None), ("soon", None)])
def test_another_status_is_an_error_with_how_long_to_wait(site, outside, header, seconds):
    site.statuses["/busy"] = 503
    if header:
        site.extra["/busy"] = {"Retry-After": header}

    with pytest.raises(OutboundStatusError) as caught:
        outside.get(site.url("/busy"))

    assert (caught.value.status, caught.value.retry_after_s) == (503, seconds)


def test_a_host_that_does_not_answer_or_has_no_address_is_an_error_that_names_it():
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))  # nobody listens
        port = taken.getsockname()[1]
        with pytest.raises(OutboundError, match="could not be fetched"):
            Outside(hosts=["*"], local_ports=[port]).get(f"http://127.0.0.1:{port}/")

    def nobody(host: str, port: int) -> list[str]:
        raise socket.gaierror("unknown")

    with pytest.raises(OutboundError, match="no address"):
        resolving(nobody, hosts=["*"]).get("https://example.org/")


def test_proxies_of_the_environment_are_not_used(site, outside, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    site.pages["/"] = b"Direct"

    assert outside.get(site.url("/")).data == b"Direct"


def test_httpx_and_the_check_agree_on_what_the_host_is():
    for url in BLOCKED:
        try:
            parsed = httpx.URL(url)
        except (httpx.InvalidURL, ValueError):
            continue
        with pytest.raises(BlockedUrlError):
            Outside(hosts=["arxiv.org"]).check(str(parsed))


def test_a_gate_lets_one_through_each_three_seconds():
    clock = Clock()
    gate = HostThrottle(3.0, clock=clock, sleep=clock.sleep)
    begun = []

    for took_s in (0.0, 1.0, 5.0, 0.0):
        with gate:
            begun.append(clock.now)
            clock.now += took_s

    assert begun == [0.0, 3.0, 6.0, 11.0]


def test_a_gate_lets_threads_through_one_at_a_time_and_opens_again_after_an_error():
    clock = Clock()
    gate = HostThrottle(3.0, clock=clock, sleep=clock.sleep)
    inside, most = [], []

    def go() -> None:
        with gate:
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(KeyError), gate:
        raise KeyError
    with gate:
        pass

    assert most == [1, 1, 1, 1]
    assert clock.slept == [3.0] * 5


def test_a_gate_that_is_held_opens_when_it_was_said(site):
    clock = Clock()
    gate = HostThrottle(3.0, clock=clock, sleep=clock.sleep)
    site.pages["/"] = b"Hello"
    outside = Outside(hosts=["*"], local_ports=[site.port], gates={"127.0.0.1": gate})

    outside.hold(site.url("/"), 60.0)
    outside.hold(site.url("/"), 1.0)
    for _ in range(2):
        outside.get(site.url("/"))

    assert clock.slept == [60.0, 3.0]


def test_arxiv_has_one_gate_for_all_its_hosts_in_every_way_out():
    gates = [Outside(hosts=["*"])._gate(f"https://{host}/") for host in ("arxiv.org", "export.arxiv.org", "doi.org")]

    assert gates == [ARXIV_GATE, ARXIV_GATE, None]


def test_a_packed_answer_is_given_as_it_came_where_that_is_wanted(site, outside):
    site.pages["/bomb"] = gzip.compress(b"0" * 100_000)
    site.extra["/bomb"] = {"Content-Encoding": "gzip"}

    assert outside.get(site.url("/bomb"), packed=True).data == site.pages["/bomb"]


def test_what_may_be_asked_is_what_the_settings_say(monkeypatch, site):
    site.pages["/"] = b"Hello"
    with pytest.raises(BlockedUrlError, match="PAPERGRAPH_FETCH_ALLOWED_HOSTS"):
        open_outside(Settings()).get("https://example.org/")
    assert open_outside(Settings()).check("https://export.arxiv.org/pdf/2601.05286")
    monkeypatch.setenv("PAPERGRAPH_FETCH_ALLOWED_HOSTS", "*.example.org, 127.0.0.1")
    with pytest.raises(BlockedUrlError, match="only 80 and 443"):
        open_outside(Settings()).get(site.url("/"))
    mirrors = {"arxiv": "http://127.0.0.1:1/", "openalex": site.url("/")}

    assert Settings().fetch.allowed_hosts == ("*.example.org", "127.0.0.1")
    monkeypatch.setenv("PAPERGRAPH_FETCH_PRIVATE_HOSTS", f"127.0.0.1:{site.port}")
    with pytest.raises(BlockedUrlError, match="only 80 and 443"):
        open_outside(Settings()).get(site.url("/"))
    assert open_outside(Settings(), private=True).get(site.url("/")).data == b"Hello"
    assert open_outside(Settings(mirrors=mirrors)).get(site.url("/")).data == b"Hello"
    with pytest.raises(ValidationError, match=r"mirrors\.arxiv"):
        Settings(mirrors={"arxiv": "http"})
