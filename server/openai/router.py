"""Routes of the OpenAI-compatible API."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI
from fastapi.responses import JSONResponse
from starlette.responses import Response

from papergraph.errors import NotFoundError
from papergraph.server.auth.operations import ANSWER, MODELS
from papergraph.server.openai import chat, responses
from papergraph.server.openai.common import Said, events_of, failed, writer
from papergraph.server.openai.proxy import passed_on
from papergraph.server.openai.requests import ChatBody, ResponseBody, find_model, is_ours, models_of, read, task_answer
from papergraph.server.operations.context import Context, RequestContext
from papergraph.server.rest.sse import streamed

AnyBody = Annotated[dict[str, Any], Body()]

router = APIRouter(prefix="/v1", include_in_schema=False)  # OpenAI describes them


@router.get("/models")
@MODELS
async def list_models(context: Context) -> JSONResponse:
    return JSONResponse({"object": "list", "data": await _models(context)})


@router.get("/models/{id:path}")
@MODELS
async def model(context: Context, id: str) -> JSONResponse:
    if (found := next((one for one in await _models(context) if one["id"] == id), None)) is None:
        raise NotFoundError("model", id[:200], field="model")
    return JSONResponse(found)


@router.post("/chat/completions")
@ANSWER
async def chat_completion(context: Context, body: AnyBody) -> Response:
    upstream, name = context.service.upstream, body.get("model")
    if upstream is not None and isinstance(name, str) and not is_ours(name):
        return await passed_on(context, upstream, body)
    wanted: ChatBody = read(body, ChatBody)
    chosen = find_model(wanted.model, context.service.pipelines)
    if (text := task_answer(wanted.messages)) is not None:
        return chat.plain(context, text, model=wanted.model, stream=wanted.stream)
    asking = wanted.asking(chosen)
    if not wanted.stream:
        return JSONResponse(await chat.completion(context, asking, model=wanted.model))
    with_usage = wanted.stream_options is not None and wanted.stream_options.include_usage
    write = chat.chunk_writer(context, asking=asking, model=wanted.model, with_usage=with_usage)
    return await streamed(
        context,
        events_of(context, asking),
        write=writer(asking, write),
        fail=lambda error: chat.event(failed(context, error)),
    )


@router.post("/responses")
@ANSWER
async def response(context: Context, body: AnyBody) -> Response:
    wanted: ResponseBody = read(body, ResponseBody)
    asking = wanted.asking(find_model(wanted.model, context.service.pipelines))
    if not wanted.stream:
        return JSONResponse(await responses.response(context, asking, model=wanted.model))
    return await streamed(
        context,
        events_of(context, asking),
        write=writer(asking, responses.event_writer(context, asking, model=wanted.model)),
        fail=lambda error: responses.written({"type": "error"} | failed(context, error)),
    )


def add_openai(app: FastAPI) -> None:
    """Add OpenAI's routes to an application that has those of REST."""
    app.include_router(router)


async def _models(context: RequestContext) -> list[Said]:
    """Return our models, and then those of the service behind this one."""
    ours = [one.as_dict() for one in models_of(context.service.pipelines).values()]
    others = await context.service.upstream.models() if context.service.upstream else []
    return ours + [one for one in others if not is_ours(one["id"])]
