"""Pages of the web interface: one page for every route, and the files that it loads.

``make web`` builds ``web/`` into ``static/``. The page finds its files relative to its own address, so it also works
below a path that a proxy takes off. Pages hold no data: they ask GraphQL and REST with the rights of their user.
"""

import gzip
import hashlib
import mimetypes
import re
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from papergraph.server.auth.operations import PUBLIC

STATIC = Path(__file__).parent / "static"
HOME = "/index.html"
"""The route of the page at ``/``, which answers other clients with JSON."""

GRAPHQL = "/graphql.html"
"""The route of the page at ``/graphql``, where other clients send their queries."""

IN_BROWSERS = {"/": HOME, "/graphql": GRAPHQL}
"""Routes of pages by the addresses that they share with the API."""

ROUTES = (
    *(HOME, GRAPHQL, "/search", "/ask", "/a/{id}", "/papers", "/p/{id}", "/add", "/jobs", "/collections", "/keys"),
    *(
        "/signup",
        "/draft",
        "/compare",
        "/graph",
        "/map",
        "/cypher",
        "/review",
        "/inbox",
        "/notes",
        "/tables",
        "/screening",
        "/zotero",
        "/api",
    ),
)
ASSETS = "/assets/{name:path}"

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy of pages: files of this server and the page's own inline script only."""

FOREVER = "public, max-age=31536000, immutable"
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
OWN_PATH = 'base: ""'
"""Placeholder in the built page for the path of its server."""

COMPRESSED = {".js", ".mjs", ".css", ".txt", ".json"}
mimetypes.add_type("text/javascript", ".mjs")
mimetypes.add_type("application/wasm", ".wasm")


def add_pages(app: FastAPI, index: Callable[[], object], *, with_web: bool) -> None:
    """Add the routes of the pages and of their files to an application, beside ``index`` at ``/``."""
    app.add_api_route("/", index)
    if not with_web:
        return
    for route in ROUTES:
        app.add_api_route(route, show_page, include_in_schema=False)
    app.add_api_route(ASSETS, send_file, include_in_schema=False)


class BrowserAddresses:
    """Leads browsers that ask for ``/``, ``/graphql`` or an unknown address to pages; other clients reach the API."""

    def __init__(self, app: ASGIApp, *, with_web: bool, is_known: Callable[[str], bool]) -> None:
        """``is_known`` says whether a path has a route."""
        self._app, self._with_web, self._is_known = app, with_web, is_known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it with the page."""
        is_read = self._with_web and scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_read and wants_page(Headers(scope=scope).get("accept", "")):
            if scope["path"] in IN_BROWSERS:
                scope = {**scope, "path": IN_BROWSERS[scope["path"]]}
            elif not self._is_known(scope["path"]):
                return await page(scope, status=404)(scope, receive, send)
        await self._app(scope, receive, send)


def wants_page(accept: str) -> bool:
    """Return whether a client asks for HTML as browsers do; one that also names JSON is a client of the API."""
    return "text/html" in accept and "json" not in accept


@PUBLIC
async def show_page(request: Request) -> Response:
    """Return the page; the script in it reads its address and shows what belongs there."""
    return page(request.scope)


def page(scope: Scope, *, status: int = 200) -> Response:
    """Return the page for the address of a request; with an unknown address it says so."""
    depth = scope["path"].count("/") - 1
    text, policy = page_of("../" * depth or "./", build())
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache", "Vary": "Accept"}
    return Response(text, status, media_type="text/html", headers=headers)


@PUBLIC
async def send_file(name: str, request: Request) -> Response:
    """Return a file of the build; its name changes with its content."""
    file = files(build()).get(name)
    if file is None:
        return Response("There is no such file.", 404, media_type="text/plain")
    is_immutable = name.startswith("immutable/")
    headers = {"Cache-Control": FOREVER if is_immutable else "no-cache", "Vary": "Accept-Encoding"}
    content = file.read_bytes()
    if file.suffix in COMPRESSED and "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        content = compressed(file, build())
    return Response(content, media_type=mimetypes.guess_type(file.name)[0], headers=headers)


def build() -> int:
    """Return what changes with each build, so that a server that runs serves the newest."""
    return (STATIC / "index.html").stat().st_mtime_ns


@lru_cache(maxsize=8)
def page_of(up: str, build: int) -> tuple[str, str]:
    """Return the page and its content security policy.

    Args:
        build: Of which build.
        up: The path from the address of the page to that of the server: ``./`` or ``../`` for each folder between.
    """
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    text = text.replace(OWN_PATH, f'base: new URL("{up}", location).pathname.slice(0, -1)')
    text = text.replace('"/assets/', f'"{up}assets/')
    checksums = (hashlib.sha256(script.encode()).digest() for script in SCRIPT.findall(text))
    return text, POLICY.format(scripts=" ".join(f"'sha256-{b64encode(checksum).decode()}'" for checksum in checksums))


@lru_cache(maxsize=1)
def files(build: int) -> dict[str, Path]:
    """Return the files of the build by their path below ``/assets``: no other path is ever opened."""
    folder = STATIC / "assets"
    return {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}


@lru_cache(maxsize=256)
def compressed(file: Path, build: int) -> bytes:
    """Return a file as gzip, the same bytes each time."""
    return gzip.compress(file.read_bytes(), compresslevel=9, mtime=0)
