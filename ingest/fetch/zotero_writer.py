"""Writes to a library of Zotero: by the local API of Zotero 10 and later, or by the web API.

Source: the page of zotero.org on write requests of the web API, version 3. At the local API a write also needs the
``Zotero-Server-ID`` that ``/api/`` answers with, and a key that a dialog of Zotero grants; both as other clients
observed them with Zotero 10.0.1 (2026-09).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from papergraph.errors import OutboundError, OutboundStatusError
from papergraph.ingest.fetch.zotero import Zotero, ZoteroError
from papergraph.outbound.operator_service import ServiceAnswer

SERVER_ID, VERSION, TOKEN = "Zotero-Server-ID", "If-Unmodified-Since-Version", "Zotero-Write-Token"
DIALOG_S = 180.0
"""Longest wait for an answer in Zotero's dialog, seconds."""
KEYS = "https://www.zotero.org/settings/keys"
INSTEAD = (
    "To write by the web API instead, set PAPERGRAPH_ZOTERO_WRITE_TO=https://api.zotero.org/users/ID and "
    f"PAPERGRAPH_ZOTERO_KEY ({KEYS}). Without a key: papergraph notes pdf makes a PDF with your highlights, and "
    "papergraph papers export --format ris --notes a file that Zotero imports."
)


class LostAnswerError(ZoteroError):
    """No usable answer to a write; Zotero may have done it."""


class ChangedError(ZoteroError):
    """An object has another version than the one that was read."""


class GoneError(ZoteroError):
    """An object is no longer there."""


@dataclass(frozen=True)
class ZoteroObject:
    """An item or collection as Zotero has it."""

    key: str
    version: int
    data: Mapping[str, Any]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "ZoteroObject":
        """Return the object of an answer."""
        data = dict(told.get("data") or {})
        return cls(str(told.get("key") or data.get("key")), int(told.get("version") or data.get("version") or 0), data)


class ZoteroWriter:
    """Writes single objects to one library, each with the version that was read.

    Attributes:
        zotero: The library.
    """

    def __init__(self, zotero: Zotero, key: str) -> None:
        """Ask nothing yet; ``key`` is an API key, of the web or of Zotero's dialog."""
        self.zotero = zotero
        self._key = key
        self._server = ""

    def check(self) -> str:
        """Check without writing that the library can be written to, and return the id of the server.

        Raises:
            ZoteroError: Zotero cannot be asked, is too old, or the key is missing or has no right to write.
        """
        if self.zotero.is_local:
            server = self.server_id()
            if not self._key:
                raise ZoteroError(
                    f"Zotero wants a key for writing: papergraph zotero authorize asks for one. {INSTEAD}"
                )
            return server
        if not self._key:
            raise ZoteroError(f"The web API wants a key for writing: set PAPERGRAPH_ZOTERO_KEY ({KEYS}).")
        try:
            told = json.loads(self.zotero.service.get("/keys/current"))
            access = told["access"]
        except OutboundStatusError as error:
            if error.status == HTTPStatus.FORBIDDEN:
                raise ZoteroError(f"{error}. PAPERGRAPH_ZOTERO_KEY is not valid; make another at {KEYS}.") from error
            return self.zotero.service.url  # a server of one's own, which describes no keys
        except OutboundError as error:
            raise ZoteroError(f"{error}. Try again later.") from error
        except (ValueError, KeyError, TypeError):
            return self.zotero.service.url
        kind, _, id = self.zotero.library.partition("/")
        groups = access.get("groups") or {}
        rights = access.get("user") if kind == "users" else groups.get(id) or groups.get("all")
        if not (rights or {}).get("write"):
            raise ZoteroError(f"The key may not write to {self.zotero.library}; allow it at {KEYS}.")
        if kind == "users" and str(told.get("userID", id)) != id:
            raise ZoteroError(f"The key belongs to users/{told['userID']}, not to {self.zotero.library}.")
        return self.zotero.service.url

    def server_id(self) -> str:
        """Return the id by which Zotero on this machine names itself, its profile included.

        Raises:
            ZoteroError: Zotero cannot be asked, or is too old to be written to.
        """
        if not self._server:
            answer = self._answer("GET", "/", None, {})
            if answer.status != HTTPStatus.OK:
                raise _refused(answer, is_local=True)
            self._server = answer.headers.get(SERVER_ID, "")
        if not self._server:
            raise ZoteroError(f"This Zotero cannot be written to by other programs; Zotero 10 can. {INSTEAD}")
        return self._server

    def authorize(self, name: str) -> tuple[str, bool]:
        """Ask the user in a dialog of Zotero for the right to write; return a key, and whether it lasts.

        Raises:
            ZoteroError: Zotero is too old, cannot be asked, or the user denied it.
        """
        headers = {SERVER_ID: self.server_id()}
        answer = self._answer("POST", "/local/authorize", {"appName": name}, headers, deadline_s=DIALOG_S)
        if answer.status == HTTPStatus.FORBIDDEN:
            raise ZoteroError("Zotero denied it. Try again, and choose Always Allow in its dialog.")
        told = _json(answer) if answer.status == HTTPStatus.OK else {}
        if not isinstance(told, dict) or not told.get("key"):
            raise _refused(answer, is_local=True)
        return str(told["key"]), bool(told.get("remember"))

    def read(self, key: str, kind: str = "items") -> ZoteroObject:
        """Return an object as it is now.

        Raises:
            GoneError: There is no such object.
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        answer = self._answer("GET", f"/{self.zotero.library}/{kind}/{quote(key)}", None, {})
        if answer.status == HTTPStatus.NOT_FOUND:
            raise GoneError(f"Zotero has no {kind.removesuffix('s')} {key} any more")
        told = _json(answer) if answer.status == HTTPStatus.OK else None
        if not isinstance(told, dict):
            raise _refused(answer, is_local=self.zotero.is_local)
        return ZoteroObject.of(told)

    def create(self, data: Mapping[str, Any], *, token: str, kind: str = "items") -> ZoteroObject:
        """Create an object; the same token creates at most one.

        Raises:
            LostAnswerError: Zotero may have created it.
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        answer = self._write("POST", f"/{kind}", [dict(data)], {TOKEN: token})
        told = _json(answer)
        if not isinstance(told, dict):
            raise LostAnswerError(f"{answer.url} gave an answer that cannot be read")
        failed = (told.get("failed") or {}).get("0")
        if failed:
            raise ZoteroError(f"Zotero refused it: {failed.get('code')} {failed.get('message')}")
        saved = (told.get("successful") or {}).get("0")
        key = (told.get("success") or {}).get("0")
        if not saved and not key:
            raise LostAnswerError(f"{answer.url} does not tell what it created")
        return ZoteroObject.of(saved) if saved else self.read(str(key), kind)

    def change(self, key: str, version: int, data: Mapping[str, Any], kind: str = "items") -> None:
        """Change fields of an object that still has the version that was read.

        Raises:
            ChangedError: It has another version.
            GoneError: There is no such object.
            LostAnswerError: Zotero may have changed it.
            ZoteroError: Zotero cannot be asked, or refuses.
        """
        self._write("PATCH", f"/{kind}/{quote(key)}", dict(data), {VERSION: str(version)})

    def delete(self, key: str, version: int, kind: str = "items") -> None:
        """Delete an object that still has the version that was read; the errors are those of :meth:`change`."""
        self._write("DELETE", f"/{kind}/{quote(key)}", None, {VERSION: str(version)})

    def _write(self, method: str, path: str, message: Any, headers: Mapping[str, str]) -> ServiceAnswer:
        """Send a write; once more with the new server id if Zotero was restarted."""
        is_local = self.zotero.is_local
        for is_last in (False, True):
            server = self.server_id() if is_local else ""
            told = {**headers, **({SERVER_ID: server} if server else {}), "Zotero-API-Key": self._key}
            answer = self._answer(method, f"/{self.zotero.library}{path}", message, told)
            if HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
                return answer
            if not is_local or is_last or answer.status not in (412, 428):
                break
            self._server = ""
            if self.server_id() != server:
                raise ZoteroError(
                    "Zotero was started with another profile meanwhile. Start papergraph's command again."
                )
            if answer.status == HTTPStatus.PRECONDITION_FAILED:
                break
        if answer.status == HTTPStatus.PRECONDITION_FAILED:
            told_words = answer.body[:200].decode(errors="replace")
            raise (LostAnswerError if method == "POST" else ChangedError)(f"{answer.url}: {told_words}")
        if answer.status == HTTPStatus.NOT_FOUND and method != "POST":
            raise GoneError(f"Zotero has no object {path} any more")
        if answer.status in (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT):
            raise LostAnswerError(f"{answer.url} was answered with status {answer.status}. Look at Zotero, try again.")
        raise _refused(answer, is_local=is_local)

    def _answer(
        self, method: str, path: str, message: Any, headers: Mapping[str, str], deadline_s: float | None = None
    ) -> ServiceAnswer:
        told = {"Zotero-API-Version": "3", **headers}
        try:
            return self.zotero.service.send(method, path, message=message, headers=told, deadline_s=deadline_s)
        except OutboundError as error:
            kind = ZoteroError if method == "GET" else LostAnswerError
            raise kind(f"{error}. Start Zotero, or set PAPERGRAPH_ZOTERO_URL.") from error


def _json(answer: ServiceAnswer) -> Any:
    try:
        return json.loads(answer.body)
    except ValueError:
        return None


def _refused(answer: ServiceAnswer, *, is_local: bool) -> ZoteroError:
    told = " ".join(answer.body[:200].decode(errors="replace").split())
    remedies = {
        401: "The key is missing or was used up: papergraph zotero authorize asks for one that lasts (Always Allow)."
        if is_local
        else f"PAPERGRAPH_ZOTERO_KEY is not valid; make another at {KEYS}.",
        403: "Zotero does not allow it: look at Settings, Advanced, and at your rights in a group."
        if is_local
        else f"The key may not write to this library; allow it at {KEYS}, and look at your rights in a group.",
        404: "There is no such library; papergraph zotero status lists them.",
        413: "It is too long for Zotero.",
        428: "papergraph did not send what Zotero requires; update both.",
        501: "This Zotero has no local API of version 3; update it.",
    }
    remedy = remedies.get(answer.status, "Try again later.")
    return ZoteroError(f"{answer.url} was answered with status {answer.status}: {told}. {remedy}")
