"""Runs the calls of sdk/conformance.json with a Python client, and compares what they give."""

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from papergraph_client import AsyncPapergraph, Papergraph, RawResponse, lists
from papergraph_client._model import Model, snake
from papergraph_client.errors import ApiError

FILE = Path("sdk/conformance.json")


class Run:
    """One run of all cases: what was saved, and how calls are made."""

    def __init__(self, client: Papergraph | AsyncPapergraph, name: str) -> None:
        read = json.loads(FILE.read_text(encoding="utf-8"))
        self._client: Any = client
        self.cases: list[dict[str, Any]] = read["cases"]
        self._saved: dict[str, Any] = {"question": read["question"], "run": name}

    async def case(self, case: Mapping[str, Any]) -> list[str]:
        """Make one call; return what differs."""
        arguments = self._filled(case["args"])
        try:
            result = plain(await self._result(case, arguments))
        except ApiError as error:
            return list(self._error_faults(case, error))
        if "error" in case:
            return [f"no error, but {str(result)[:200]}"]
        faults = [
            f"{place or 'result'}: {found!r} is not {wanted!r}"
            for place, wanted in case.get("expect", {}).items()
            if not fits(found := at(result, place), self._filled(wanted))
        ]
        self._saved |= {name: at(result, place) for name, place in case.get("save", {}).items()}
        return faults

    async def _result(self, case: Mapping[str, Any], arguments: dict[str, Any]) -> Any:
        listed = {"first": arguments.pop("first")} if "first" in arguments else {}
        method: Callable[..., Any] | None = getattr(self, f"_{snake(case['call'])}", None)
        if method is not None:
            return await method(**arguments)
        made = getattr(self._client, snake(case["call"]))(**{snake(name): value for name, value in arguments.items()})
        return await self._listed(made, case | listed) if {"take", "count"} & set(case) else await ready(made)

    async def _listed(self, pages: Any, case: Mapping[str, Any]) -> Any:
        if "first" in case:
            pages._first = case["first"]
        if case.get("count"):
            return await ready(pages.count())
        return (await collected(pages))[: case["take"]]

    async def _neighbours(self, list: str, id: str) -> Any:
        return (await collected(self._client.neighbours(lists.NODE_LISTS[list], id)))[:100]

    async def _paper_file(self, id: str) -> Any:
        return (await ready(self._client.file(id))).decode()

    async def _markdown(self, id: str) -> Any:
        return await ready(self._client.markdown(id))

    async def _page_image(self, id: str, **options: int) -> Any:
        return await ready(self._client.page_image(id, **options))

    async def _figure_image(self, id: str, **options: int) -> Any:
        return await ready(self._client.figure_image(id, **options))

    async def _export_papers(self, ids: list[str], **options: str) -> Any:
        return await ready(self._client.export_papers(*ids, **options))

    async def _facets(self, names: list[str], **options: Any) -> Any:
        return await ready(self._client.facets(*names, **options))

    async def _neighbourhood(self, ids: list[str], **options: Any) -> Any:
        named = {snake(name): value for name, value in options.items()}
        return await ready(self._client.neighbourhood(*ids, **named))

    async def _regions(self, id: str, **options: int) -> Any:
        return await ready(self._client.regions(id, **options))

    async def _ask_stream(self, question: str, **options: Any) -> Any:
        stream = self._client.ask_stream(question, **options)
        events = await collected(stream)
        await ready(stream.close())
        kinds = list(dict.fromkeys(event.kind for event in events))
        return {"kinds": kinds, "text": "".join(event.text for event in events), "result": stream.result}

    async def _path(self, to: str, maxHops: int | None = None, **other: str) -> Any:  # noqa: N803
        return await ready(self._client.path(other["from"], to, max_hops=maxHops))

    async def _cypher_dicts(self, **arguments: Any) -> Any:
        return (await ready(self._client.cypher(**arguments))).to_dicts()

    async def _raw_paper(self, id: str) -> Any:
        return await ready(self._client.with_raw_response.paper(id))

    async def _upload(self, name: str, text: str) -> Any:
        return await ready(self._client.upload(name, text.encode()))

    async def _ingest_files(self, files: Mapping[str, str], collection: str) -> Any:
        seen: list[Any] = []
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in files]
            for path in paths:
                path.write_text(files[path.name], encoding="utf-8")
            handle = await ready(self._client.ingest(*paths, collection=collection))
        job = await ready(handle.wait(within=120, on_progress=seen.append, poll=0.1))
        return job.to_json() | {"seen": seen}

    async def _open_job(self, sources: list[str], **options: Any) -> Any:
        handle = await ready(self._client.ingest(*sources, **{snake(name): value for name, value in options.items()}))
        return handle.job

    async def _estimate_ingest(self, sources: list[str], **options: Any) -> Any:
        return await ready(self._client.estimate_ingest(*sources, **options))

    async def _estimate_enrichments(self, names: list[str], **options: Any) -> Any:
        return await ready(self._client.estimate_enrichments(*names, **options))

    async def _enrich(self, names: list[str], **options: Any) -> Any:
        return (await ready(self._client.enrich(*names, **options))).job

    async def _job(self, id: str) -> Any:
        return (await ready(self._client.job(id))).job

    async def _tasks(self, id: str) -> Any:
        return await collected((await ready(self._client.job(id))).tasks())

    async def _follow_job(self, id: str) -> Any:
        return (await collected((await ready(self._client.job(id))).follow()))[-1]

    async def _cancel_job(self, id: str) -> Any:
        return await ready((await ready(self._client.job(id))).cancel())

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            if value.removeprefix("$") in self._saved and value.startswith("$"):
                return self._saved[value[1:]]
            return value.replace("${run}", self._saved["run"])
        if isinstance(value, list):
            return [self._filled(one) for one in value]
        if isinstance(value, dict):
            return {self._filled(name): self._filled(one) for name, one in value.items()}
        return value

    def _error_faults(self, case: Mapping[str, Any], error: ApiError) -> Iterator[str]:
        if not fits(error.code, case.get("error")):
            yield f"{error!r} {error}"
        if "status" in case and error.status != case["status"]:
            yield f"status {error.status}"
        if not error.request_id:
            yield "no request id"
        for field in case.get("fields", ()):
            if field not in [one.field for one in error.errors]:
                yield f"{field} is not in {error.errors}"
        for reason in case.get("reasons", ()):
            if reason not in [one.reason for one in error.errors]:
                yield f"{reason} is not in {error.errors}"


async def ready(value: Any) -> Any:
    """Return a value, awaited where the client is asynchronous."""
    return await value if inspect.isawaitable(value) else value


async def collected(values: Any) -> list[Any]:
    """Return the entries of an iterable of either client."""
    return [one async for one in values] if hasattr(values, "__aiter__") else list(values)


def plain(value: Any) -> Any:
    """Return a result as JSON."""
    if isinstance(value, Model):
        return value.to_json()
    if isinstance(value, RawResponse):
        return {"status": value.status, "requestId": value.request_id, "json": value.json()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return {name: plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def at(value: Any, place: str) -> Any:
    """Return the part of a result at a place such as ``hits.0.rank``; None where there is none."""
    for part in place.split(".") if place else ():
        if isinstance(value, list):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def fits(found: Any, wanted: Any) -> bool:
    """Say whether a value is the expected one, or has the expected least value, form or size."""
    if not isinstance(wanted, dict):
        return bool(found == wanted)
    if "min" in wanted:
        return (len(found) if isinstance(found, list) else found) >= wanted["min"]
    if "size" in wanted:
        return len(found) == wanted["size"]
    return isinstance(found, str) and re.search(wanted["matches"], found) is not None
