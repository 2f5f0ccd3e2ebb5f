"""Check of the protocol of a Zotero that is at hand: what papergraph needs of it, by requests that only read."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any

from papergraph.errors import OutboundError
from papergraph.ingest.fetch.zotero import Zotero
from papergraph.ingest.fetch.zotero_marks import position_of
from papergraph.ingest.fetch.zotero_writer import SERVER_ID
from papergraph.outbound.operator_service import ServiceAnswer
from papergraph.records import Record, described


@dataclass(frozen=True)
class ProtocolCheck(Record):
    """Result of one request to Zotero."""

    name: Annotated[str, described("What was asked for.")]
    is_good: Annotated[bool, described("True if papergraph can use the answer.")]
    told: Annotated[str, described("Status, and what was unexpected.")]


def check_protocol(zotero: Zotero) -> Iterator[ProtocolCheck]:
    """Yield the results of about nine requests, which read a few objects and write nothing."""
    items = f"/{zotero.library}/items"
    yield _checked(zotero, "API of version 3", "/" if zotero.is_local else f"{items}?limit=1", _version)
    if zotero.is_local:
        yield _checked(zotero, "writing (Zotero 10 and later)", "/", _server)
    yield _checked(zotero, "items", f"{items}?start=0&limit=3", _items)
    yield _checked(zotero, "keys of items", f"{items}/top?format=keys&limit=3", _any)
    yield _checked(zotero, "trash", f"{items}/trash?format=keys&limit=3", _any)
    yield _checked(zotero, "collections", f"/{zotero.library}/collections?start=0&limit=3", _items)
    if zotero.library.startswith("users/"):
        yield _checked(zotero, "groups", f"/{zotero.library}/groups", _list)
    yield _checked(zotero, "highlights", f"{items}?itemType=annotation&start=0&limit=3", _annotations)
    if zotero.is_local:
        yield _checked(zotero, "paths of files", f"{items}?itemType=attachment&start=0&limit=3", _files(zotero))


def _checked(zotero: Zotero, name: str, path: str, look: Callable[[ServiceAnswer], str]) -> ProtocolCheck:
    try:
        answer = zotero.service.send("GET", path, headers={"Zotero-API-Version": "3"})
        if answer.status != HTTPStatus.OK:
            told = " ".join(answer.body[:100].decode(errors="replace").split())
            return ProtocolCheck(name, is_good=False, told=f"status {answer.status}: {told}")
        fault = look(answer)
    except OutboundError as error:
        return ProtocolCheck(name, is_good=False, told=str(error))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        fault = f"another form than expected: {type(error).__name__} {error}"
    return ProtocolCheck(name, is_good=not fault, told=fault or "as expected")


def _any(_: ServiceAnswer) -> str:
    return ""


def _version(answer: ServiceAnswer) -> str:
    version = answer.headers.get("Zotero-API-Version", "none")
    return "" if version == "3" else f"version {version}"


def _server(answer: ServiceAnswer) -> str:
    return "" if SERVER_ID in answer.headers else "not offered: push needs PAPERGRAPH_ZOTERO_WRITE_TO"


def _list(answer: ServiceAnswer) -> str:
    return "" if isinstance(json.loads(answer.body), list) else "no list"


def _items(answer: ServiceAnswer) -> str:
    found: list[Mapping[str, Any]] = json.loads(answer.body)
    lacking = {name for one in found for name in ("key", "version", "data") if name not in one}
    lacking |= {"data.key" for one in found if "key" not in one["data"]}
    return f"objects lack {', '.join(sorted(lacking))}" if lacking else ""


def _annotations(answer: ServiceAnswer) -> str:
    found = [one["data"] for one in json.loads(answer.body)]
    if any("annotationType" not in one or "parentItem" not in one for one in found):
        return "annotations lack their type or file"
    marks = [one for one in found if one["annotationType"] in ("highlight", "underline")]
    return (
        "positions cannot be read"
        if any(position_of(one["annotationPosition"])[0] == 0 for one in marks if "annotationPosition" in one)
        else ""
    )


def _files(zotero: Zotero) -> Callable[[ServiceAnswer], str]:
    def look(answer: ServiceAnswer) -> str:
        found = [one["data"] for one in json.loads(answer.body)]
        kept = [one for one in found if one.get("linkMode") in ("imported_file", "imported_url", "linked_file")]
        if not kept:
            return ""
        return "" if any(zotero.path_of(one["key"]) for one in kept) else "no file tells its path"

    return look
