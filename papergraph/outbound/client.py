"""Client of the outside: what may be asked for, where it really is, how fast, how much, and for how long."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from types import TracebackType

import httpx

from papergraph import __version__
from papergraph.errors import BlockedUrlError, Code, OutboundError, OutboundStatusError, OutboundTooLargeError
from papergraph.settings import Settings

# Addresses on the public internet, also when embedded in others.
#
# ``ipaddress.is_global`` alone will not do: it is true of addresses that carry a private IPv4 address inside (NAT64,
# 6to4) and of multicast groups.


NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
ISATAP = (0x00005EFE, 0x02005EFE)
Address = IPv4Address | IPv6Address


def check_address(text: str) -> Address:
    """Return an address if it, and every embedded address, is on the public internet.

    Raises:
        ValueError: The address is malformed, or is local, private, multicast or reserved.
    """
    address = ip_address(text.partition("%")[0])
    for each in unwrapped(address):
        site_local = isinstance(each, IPv6Address) and each.is_site_local
        if not each.is_global or each.is_multicast or each.is_reserved or each.is_unspecified or site_local:
            inside = "" if each == address else f", which leads to {each}"
            raise ValueError(f"{address}{inside} is not an address of the public internet")
    return address


def unwrapped(address: Address) -> list[Address]:
    """Return an address with those that it carries inside: mapped, 6to4, Teredo, NAT64 and ISATAP ones.

    A mapped address is nothing but the one inside.
    """
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    inside: list[Address] = []
    if address.sixtofour is not None:
        inside.append(address.sixtofour)
    if address.teredo is not None:
        inside += address.teredo
    number = int(address)
    if any(address in network for network in NAT64) or number >> 32 & 0xFFFFFFFF in ISATAP:
        inside.append(IPv4Address(number & 0xFFFFFFFF))
    if address in NAT64[0]:
        return inside  # Python takes the prefix for global; what counts is where it leads
    return [address, *inside]


# A gate that lets one request through at a time, and none sooner than some seconds after the one before


class HostThrottle:
    """Used as a context around each request; several threads queue up before it."""

    def __init__(
        self,
        interval_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Open at once.

        Args:
            interval_s: Seconds from the beginning of one request to that of the next, at least.
            clock: Tells the time, in seconds.
            sleep: Waits so many seconds.
        """
        self._interval_s, self._clock, self._sleep = interval_s, clock, sleep
        self._lock = threading.Lock()
        self._next = -float("inf")

    def __enter__(self) -> None:
        self._lock.acquire()
        try:
            wait_s = self._next - self._clock()
            if wait_s > 0:
                self._sleep(wait_s)
            self._next = self._clock() + self._interval_s
        except BaseException:
            self._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()

    def slow_down(self, interval_s: float) -> None:
        """Let one through each so many seconds, if that is slower than now."""
        with self._lock:
            self._interval_s = max(self._interval_s, interval_s)

    def hold(self, seconds: float) -> None:
        """Pause all requests to the host for some seconds, at its request."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


ARXIV_GATE = HostThrottle(3.0)
"""arXiv's terms allow one request each three seconds and one connection, for its API and downloads together."""


# Fetch what a URL names, if it may be asked for: allowed hosts, public addresses, bounded bytes and time.
#
# The name is resolved once, every address that it has is checked, and the connection goes to a checked one, with the
# name kept for TLS and the Host header: a second answer of the name server leads nowhere. Redirects are followed by
# hand, each like a URL of its own, and each request waits for its host's gate. What comes is never unpacked.


PORTS = {"https": 443, "http": 80}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MAX_REDIRECTS = 3
REDIRECTS = frozenset({301, 302, 303, 307, 308})
CONNECT_S = 10.0
LONGEST_URL = 2000

ARXIV_GATES = {"arxiv.org": ARXIV_GATE, "*.arxiv.org": ARXIV_GATE}

Resolve = Callable[[str, int], Iterable[str]]


@dataclass(frozen=True)
class Fetched:
    """Response of a URL.

    Attributes:
        url: Final URL after redirects.
        data: Body.
        media_type: Media type in lower case without parameters; may be empty.
        charset: Character encoding in lower case; may be empty.
    """

    url: str
    data: bytes = field(repr=False)
    media_type: str
    charset: str = ""


def system_resolver(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as the operating system finds them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


class Outside:
    """Fetches URLs; may be used from several threads, but not on an event loop's own."""

    def __init__(
        self,
        *,
        hosts: Iterable[str],
        allow_http: bool = False,
        private_hosts: Iterable[str] = (),
        local_ports: Iterable[int] = (),
        max_bytes: int = 20_000_000,
        deadline_s: float = 60.0,
        gates: Mapping[str, HostThrottle] = ARXIV_GATES,
    ) -> None:
        """Create a client; connections are opened on demand.

        Args:
            hosts: Allowed names; ``*.example.org`` for all below example.org, ``*`` for any.
            allow_http: True to allow URLs without TLS.
            private_hosts: Allowed names of a private network, with a port if it is not 80 or 443; also without TLS.
            local_ports: Allowed loopback ports, also without TLS: a mirror, or a test.
            max_bytes: Largest body.
            deadline_s: Timeout of a fetch with redirects in seconds, without waits at a gate.
            gates: Throttles of hosts, by names as in ``hosts``.
        """
        self._hosts = tuple(_names(hosts))
        self._private = frozenset(_names(private_hosts))
        self._allow_http = allow_http
        self._local_ports = frozenset(local_ports)
        self._max_bytes, self._deadline_s = max_bytes, deadline_s
        self._gates = dict(gates)
        self.resolve: Resolve = system_resolver

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def check(self, url: str) -> httpx.URL:
        """Return a URL if it may be asked for, as far as its text tells.

        Raises:
            BlockedUrlError: Its scheme, host or port is not allowed, or it names a user.
        """
        if len(url) > LONGEST_URL:
            raise BlockedUrlError(url[:80] + "…", f"is longer than {LONGEST_URL} characters")
        try:
            parsed = httpx.URL(url)
        except (httpx.InvalidURL, ValueError) as error:
            raise BlockedUrlError(url, f"is not a URL: {error}") from error
        host, port = _host(parsed), parsed.port or PORTS.get(parsed.scheme)
        if parsed.scheme not in PORTS or not host:
            raise BlockedUrlError(url, "is not a URL that begins with https://")
        if parsed.userinfo:
            raise BlockedUrlError(url, "names a user, which no source needs")
        local = port in self._local_ports or self._is_private(host, port)
        if port not in PORTS.values() and not local:
            raise BlockedUrlError(url, f"asks for port {port}; only 80 and 443 are allowed")
        if parsed.scheme == "http" and not (self._allow_http or local):
            raise BlockedUrlError(url, "has no TLS: use https, or set [fetch] allow_http = true in papergraph.toml")
        if not self._is_private(host, port) and not any(_matches(host, allowed) for allowed in self._hosts):
            raise BlockedUrlError(
                url,
                f"is on {host}, which is not among the hosts that may be asked: add it to "
                "PAPERGRAPH_FETCH_ALLOWED_HOSTS",
            )
        return parsed

    def _is_private(self, host: str, port: int | None) -> bool:
        """Return whether the operator names a host of a private network."""
        return f"{host}:{port}" in self._private or (port in PORTS.values() and host in self._private)

    def get(
        self,
        url: str,
        *,
        max_bytes: int | None = None,
        packed: bool = False,
        also: Callable[[str], None] | None = None,
        secret: Mapping[str, str] | None = None,
    ) -> Fetched:
        """Fetch a URL.

        Args:
            url: URL to fetch.
            max_bytes: Largest body of this response.
            packed: True to return a compressed body as it is; else it is refused.
            also: Called with each URL before its request, including redirects; raises an error to refuse it.
            secret: Confidential parameters of the first request's query, such as a key.

        Raises:
            BlockedUrlError: The URL, or a redirect of it, is forbidden.
            OutboundStatusError: The status is not 200.
            OutboundTooLargeError: The body is too large.
            OutboundError: The deadline passed.
            OutboundError: The host is unknown or unreachable, or the answer is not HTTP.
        """
        left_s = self._deadline_s
        for _ in range(MAX_REDIRECTS + 1):
            checked = self.check(url)
            if also is not None:
                also(url)
            with self._gate(url) or nullcontext():
                start = time.monotonic()
                sent = checked.copy_merge_params(secret) if secret else checked
                answer = asyncio.run(self._answer(url, sent, max_bytes or self._max_bytes, packed, left_s))
                left_s -= time.monotonic() - start
                secret = None
            if isinstance(answer, Fetched):
                return answer
            url = answer
        raise BlockedUrlError(url, f"is the end of more than {MAX_REDIRECTS} redirects")

    def pace(self, url: str, interval_s: float) -> None:
        """Let requests to a URL's host through once in so many seconds, or slower where its gate does already."""
        if gate := self._gate(url):
            gate.slow_down(interval_s)
        else:
            self._gates[_host(httpx.URL(url))] = HostThrottle(interval_s)

    def hold(self, url: str, seconds: float) -> None:
        """Let no request to a URL's host through for so long, where it has a gate; else wait here."""
        if gate := self._gate(url):
            gate.hold(seconds)
        else:
            time.sleep(seconds)

    def _gate(self, url: str) -> HostThrottle | None:
        host = _host(httpx.URL(url))
        return next((gate for name, gate in self._gates.items() if _matches(host, name)), None)

    async def _answer(self, name: str, url: httpx.URL, max_bytes: int, packed: bool, left_s: float) -> Fetched | str:
        """Return what a URL gives, or where it leads to; ``name`` is what errors call it."""
        transport = _Pinned(self._addresses, self._tls)
        timeout = httpx.Timeout(self._deadline_s, connect=min(CONNECT_S, self._deadline_s))
        headers = {"user-agent": f"papergraph/{__version__}", "accept-encoding": "identity"}
        try:
            async with (
                asyncio.timeout(left_s),
                httpx.AsyncClient(
                    transport=transport, timeout=timeout, follow_redirects=False, trust_env=False, headers=headers
                ) as client,
                client.stream("GET", url) as response,
            ):
                if response.status_code in REDIRECTS:
                    return str(httpx.URL(name).join(response.headers.get("location", "")))
                return await _body(name, response, max_bytes, packed=packed)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise OutboundError(name, f"was not there within {self._deadline_s:g} s", code=Code.TIMEOUT) from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            raise OutboundError(name, f"could not be fetched: {error or type(error).__name__}") from error

    async def _addresses(self, url: httpx.URL) -> list[str]:
        """Return the addresses of a URL's host, all of which may be connected to."""
        host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
        try:
            found = list(await asyncio.to_thread(self.resolve, host, port))
        except (OSError, UnicodeError) as error:
            raise OutboundError(
                str(url.copy_with(query=None)), f"{host} has no address ({error}); is this machine online?"
            ) from error
        if self._is_private(host, port) or (port in self._local_ports and set(found) <= {"127.0.0.1", "::1"}):
            return found
        for address in found:
            try:
                check_address(address)
            except ValueError as error:
                raise BlockedUrlError(str(url.copy_with(query=None)), str(error)) from error
        return found


def _names(hosts: Iterable[str]) -> Iterator[str]:
    return (host.strip().lower().rstrip(".") for host in hosts if host.strip())


def open_outside(settings: Settings, *, private: bool = False) -> Outside:
    """Return the way to the outside that an operator allows; ``private`` for commands, never for requests of users."""
    of = settings.mirrors
    catalogues = [of.crossref, of.openalex, of.pubmed] if settings.fetch.catalogues else []
    followed = {"crossref": of.crossref, "openalex": of.openalex}
    catalogues += [url for name, url in followed.items() if name in settings.watch.sources]
    return Outside(
        hosts=(*settings.fetch.allowed_hosts, *(httpx.URL(url).host for url in catalogues)),
        private_hosts=settings.fetch.private_hosts if private else (),
        allow_http=settings.fetch.allow_http,
        local_ports=mirror_ports(of.arxiv, of.openalex, *catalogues),
        max_bytes=settings.ingest.max_file_bytes,
        deadline_s=settings.fetch.timeout_s,
    )


def mirror_ports(*urls: str | None) -> list[int]:
    """Return the ports of mirrors on this machine's loopback."""
    parsed = [httpx.URL(url) for url in urls if url]
    return [url.port or PORTS[url.scheme] for url in parsed if url.host in LOOPBACK]


class _Pinned(httpx.AsyncBaseTransport):
    """Connects to addresses that were checked, and keeps the name for TLS; no connection serves a second request."""

    def __init__(self, addresses: Callable[[httpx.URL], Awaitable[list[str]]], tls: ssl.SSLContext) -> None:
        self._addresses = addresses
        self._inner = httpx.AsyncHTTPTransport(
            verify=tls, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        failure: httpx.ConnectError | None = None
        for address in await self._addresses(request.url):
            pinned = httpx.Request(
                request.method,
                request.url.copy_with(host=address),
                headers=request.headers,
                extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
            )
            try:
                return await self._inner.handle_async_request(pinned)
            except httpx.ConnectError as error:
                failure = error
        raise failure or httpx.ConnectError("the host has no address")

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _body(url: str, response: httpx.Response, max_bytes: int, *, packed: bool) -> Fetched:
    if response.status_code != 200:
        raise OutboundStatusError(url, response.status_code, retry_after_s=retry_after_s(response))
    if not packed and response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
        raise OutboundError(url, "came packed, though the request asked for it as it is")
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise OutboundTooLargeError(url, max_bytes)
    data = bytearray()
    async for part in response.aiter_raw():
        data += part
        if len(data) > max_bytes:
            raise OutboundTooLargeError(url, max_bytes)
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return Fetched(url, bytes(data), media_type, (response.charset_encoding or "").lower())


def retry_after_s(response: httpx.Response) -> float | None:
    """Return the wait that an answer requests, in seconds; None if it requests no wait."""
    value = response.headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _host(url: httpx.URL) -> str:
    return url.raw_host.decode("ascii").lower().rstrip(".")


def _matches(host: str, allowed: str) -> bool:
    return allowed in ("*", host) or (allowed.startswith("*.") and host.endswith(allowed[1:]))
