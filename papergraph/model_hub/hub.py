"""The protocol of the Hugging Face hub and its mirrors, as far as a download needs it.

``GET /api/models/NAME/revision/REV?blobs=true`` lists the files of a revision with their sizes and checksums, and ``GET
/NAME/resolve/COMMIT/FILE`` gives one, from another host where it is large. huggingface_hub stays offline: it neither
continues half a file nor bounds it, and sends the token of the user along.
"""

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

import httpx

from papergraph import __version__
from papergraph.errors import BlockedUrlError, InputError, ModelDownloadError, NotFoundError
from papergraph.outbound.operator_service import check_service

PUBLIC_HUB = "https://huggingface.co"
NAME = re.compile(r"(?!.*(\.\.|--))[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")
REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9][\w.-]{0,95}")
COMMIT = re.compile(r"[0-9a-f]{40}")
TIMEOUT = httpx.Timeout(60.0, connect=15.0)
MOST_REDIRECTS = 3
MOST_LISTED_BYTES = 20_000_000
RETRY = "Run the command again to continue, or name a mirror: --mirror URL"
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class HubFile:
    """A file of a model.

    Attributes:
        path: Below the model, with slashes.
        size: Bytes.
        sha256: Checksum of its content; '' for a small one that the hub does not keep apart.
        git_sha1: Checksum as git computes it; '' where ``sha256`` is known.
    """

    path: str
    size: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True)
class HubModel:
    """A revision of a model.

    Attributes:
        name: Name at the hub.
        commit: The revision.
        licence: As its publisher states it; '' if not at all.
        files: All files.
    """

    name: str
    commit: str
    licence: str
    files: tuple[HubFile, ...]


class ModelHub:
    """A hub or a mirror of it; proxies, tokens and cookies of the environment are not used."""

    def __init__(self, url: str = PUBLIC_HUB) -> None:
        """Connect to nothing yet.

        Raises:
            InputError: The address cannot be one.
        """
        try:
            self.url = check_service(url)
        except BlockedUrlError as error:
            raise InputError(f"the mirror {url!r} is no address such as {PUBLIC_HUB}", field="mirror") from error

    @cached_property
    def _client(self) -> httpx.Client:
        headers = {"user-agent": f"papergraph/{__version__}", "accept-encoding": "identity"}
        return httpx.Client(
            timeout=TIMEOUT,
            trust_env=False,
            headers=headers,
            verify=ssl.create_default_context(),
            follow_redirects=False,
        )

    def describe(self, name: str, revision: str = "main") -> HubModel:
        """Return what the hub says of a model.

        Raises:
            InputError: The name or revision cannot be one.
            NotFoundError: The hub has no such model, or shows it to nobody.
            ModelDownloadError: The hub cannot be asked, wants an agreement, or answers with something else.
        """
        if not NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name at a hub, such as BAAI/bge-small-en-v1.5", field="name")
        if not REVISION.fullmatch(revision):
            raise InputError(f"{revision!r} is no revision, such as main or a commit", field="revision")
        with self._answer(name, f"/api/models/{name}/revision/{revision}?blobs=true", {}) as response:
            body = b""
            for part in response.iter_raw():
                body += part
                if len(body) > MOST_LISTED_BYTES:
                    raise ModelDownloadError(name, f"the list of its files has more than {MOST_LISTED_BYTES:,} bytes")
        try:
            return _model(name, json.loads(body))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelDownloadError(name, f"{self.url} does not answer as a hub does ({error})") from error

    @contextmanager
    def open(self, model: HubModel, file: HubFile, *, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Give the content of a file in parts, and the byte that it begins with: ``start``, or 0.

        Raises:
            NotFoundError: The file is not there.
            ModelDownloadError: It cannot be fetched.
        """
        headers = {"range": f"bytes={start}-"} if start else {}
        with self._answer(model.name, f"/{model.name}/resolve/{model.commit}/{quote(file.path)}", headers) as response:
            yield (start if response.status_code == 206 else 0), self._parts(model.name, response)

    def _parts(self, name: str, response: httpx.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_raw()  # a larger block would be lost with the connection
        except httpx.HTTPError as error:
            raise InterruptedDownloadError(name, f"the connection broke off. {RETRY}") from error

    @contextmanager
    def _answer(self, name: str, path: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        url = httpx.URL(self.url + path)
        for _ in range(MOST_REDIRECTS + 1):
            with self._opened(name, url, headers) as response:
                if response.status_code not in REDIRECTS:
                    self._check_status(name, response)
                    yield response
                    return
                url = self._target(name, url, response.headers.get("location", ""))
        raise ModelDownloadError(name, f"{self.url} leads on more than {MOST_REDIRECTS} times")

    @contextmanager
    def _opened(self, name: str, url: httpx.URL, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        try:
            request = self._client.build_request("GET", url, headers=dict(headers))
            response = self._client.send(request, stream=True)
        except (httpx.HTTPError, OSError) as error:
            raise InterruptedDownloadError(name, f"{url.host} cannot be reached ({error}). {RETRY}") from error
        try:
            yield response
        finally:
            response.close()

    def _target(self, name: str, url: httpx.URL, location: str) -> httpx.URL:
        """Return where a redirect leads: to HTTPS, or to the hub's own address."""
        try:
            target = url.join(location)
        except httpx.InvalidURL:
            target = httpx.URL("")
        own = httpx.URL(self.url)
        is_own = (target.scheme, target.host, target.port) == (own.scheme, own.host, own.port)
        if not is_own and (target.scheme != "https" or target.userinfo):
            raise ModelDownloadError(name, f"{self.url} leads to an address without HTTPS, which is not followed")
        return target

    def _check_status(self, name: str, response: httpx.Response) -> None:
        status = response.status_code
        if status in (401, 404):
            raise NotFoundError(
                "model", name, field="name", message=f"{self.url} has no model {name!r}, or shows it to nobody."
            )
        if status == 403:
            raise ModelDownloadError(
                name,
                f"its publisher asks for an agreement. Give it at {self.url}/{name} and run `hf download {name}`; "
                "papergraph finds the model then",
            )
        if status not in (200, 206):
            kind = InterruptedDownloadError if status in (408, 429) or status >= 500 else ModelDownloadError
            raise kind(name, f"{self.url} answers with status {status}. {RETRY}")


class InterruptedDownloadError(ModelDownloadError):
    """What another attempt may mend."""


def _model(name: str, answer: Any) -> HubModel:
    commit = answer["sha"]
    if not COMMIT.fullmatch(commit):
        raise ValueError("no commit")
    card = answer.get("cardData") or {}
    told = next((tag[8:] for tag in answer.get("tags") or () if str(tag).startswith("license:")), "")
    licence = card.get("license") or told
    return HubModel(name, commit, _one_line(licence), tuple(_file(one) for one in answer["siblings"]))


def _file(one: Any) -> HubFile:
    lfs = one.get("lfs") or {}
    size = lfs.get("size", one.get("size"))
    if type(size) is not int or size < 0:
        raise ValueError(f"{one['rfilename']!r} without a size")
    return HubFile(str(one["rfilename"]), size, str(lfs.get("sha256", "")), "" if lfs else str(one.get("blobId") or ""))


def _one_line(licence: Any) -> str:
    return " ".join(str(", ".join(licence) if isinstance(licence, list) else licence).split())[:80]
