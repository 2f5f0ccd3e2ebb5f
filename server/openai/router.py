"""The routes of OpenAI's API that are answered here."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI
from fastapi.responses import JSONResponse
from starlette.responses import Response

from papergraph.errors import NotFoundError
from server.access import prices
from server.openai import chat, responses
from server.openai.answers import Said, failed
from server.openai.asking import ChatBody, ResponseBody, read
from server.openai.catalogue import find_model, is_ours, models_of
from server.openai.dropin import passed_on
from server.rest.asking import Ask, Asked
from server.rest.events import streamed

AnyBody = Annotated[dict[str, Any], Body()]

router = APIRouter(prefix="/v1", include_in_schema=False)  # OpenAI describes them


@router.get("/models")
async def list_models(ask: Ask) -> JSONResponse:
    await ask.charge(prices.LEAST)
    return JSONResponse({"object": "list", "data": await _models(ask)})


@router.get("/models/{id:path}")
async def model(ask: Ask, id: str) -> JSONResponse:
    await ask.charge(prices.LEAST)
    if (found := next((one for one in await _models(ask) if one["id"] == id), None)) is None:
        raise NotFoundError("model", id[:200], field="model")
    return JSONResponse(found)


@router.post("/chat/completions")
async def chat_completion(ask: Ask, body: AnyBody) -> Response:
    await ask.charge(prices.ANSWER)
    upstream, name = ask.service.upstream, body.get("model")
    if upstream is not None and isinstance(name, str) and not is_ours(name):
        return await passed_on(ask, upstream, body)
    wanted: ChatBody = read(body, ChatBody)
    asking = wanted.asking(find_model(wanted.model, ask.service.resources.pipelines))
    if not wanted.stream:
        return JSONResponse(await chat.completion(ask, asking, model=wanted.model))
    with_usage = wanted.stream_options is not None and wanted.stream_options.include_usage
    coming = chat.chunks(ask, asking, model=wanted.model, with_usage=with_usage)
    return await streamed(ask, coming, write=str, fail=lambda error: chat.event(failed(ask, error)))


@router.post("/responses")
async def response(ask: Ask, body: AnyBody) -> Response:
    await ask.charge(prices.ANSWER)
    wanted: ResponseBody = read(body, ResponseBody)
    asking = wanted.asking(find_model(wanted.model, ask.service.resources.pipelines))
    if not wanted.stream:
        return JSONResponse(await responses.response(ask, asking, model=wanted.model))
    coming = responses.events(ask, asking, model=wanted.model)
    return await streamed(
        ask, coming, write=str, fail=lambda error: responses.written({"type": "error"} | failed(ask, error))
    )


def add_openai(app: FastAPI) -> None:
    """Add OpenAI's routes to an application that has those of REST."""
    app.include_router(router)


async def _models(ask: Asked) -> list[Said]:
    """Return our models, and then those of the service behind this one."""
    ours = [one.as_dict() for one in models_of(ask.service.resources.pipelines).values()]
    others = await ask.service.upstream.models() if ask.service.upstream else []
    return ours + [one for one in others if not is_ours(one["id"])]
