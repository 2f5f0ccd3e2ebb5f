"""Answers by stock clients: ``python run.py URL QUESTION``; prints a line of JSON for each way."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from gql import Client, gql
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.requests import RequestsHTTPTransport
from gql.transport.websockets import WebsocketsTransport
from langchain_openai import ChatOpenAI

URL, QUESTION = sys.argv[1:]
MODEL = "papergraph-default"
MESSAGES = [{"role": "user", "content": QUESTION}]
GIVEN = {"model": f"openai/{MODEL}", "api_base": f"{URL}/v1", "api_key": "not-asked-for", "num_retries": 0}
COLLECTIONS = "{ collections { name } }"


def langchain(*, responses: bool) -> ChatOpenAI:
    return ChatOpenAI(
        model=MODEL, base_url=f"{URL}/v1", api_key="not-asked-for", max_retries=0, use_responses_api=responses
    )


async def invoked(chat: ChatOpenAI) -> str:
    return (await chat.ainvoke(QUESTION)).text


async def streamed(chat: ChatOpenAI) -> str:
    return "".join([piece.text async for piece in chat.astream(QUESTION)])


async def completion() -> str:
    return (await litellm.acompletion(messages=MESSAGES, **GIVEN)).choices[0].message.content


async def completion_stream() -> str:
    pieces = await litellm.acompletion(messages=MESSAGES, stream=True, **GIVEN)
    return "".join([piece.choices[0].delta.content or "" async for piece in pieces])


async def response() -> str:
    answered = await litellm.aresponses(input=QUESTION, **GIVEN)
    return "".join(part.text for item in answered.output if item.type == "message" for part in item.content)


async def gql_over_requests() -> str:
    client = Client(transport=RequestsHTTPTransport(f"{URL}/graphql"), fetch_schema_from_transport=True)
    return json.dumps(await asyncio.to_thread(client.execute, gql(COLLECTIONS)))


async def gql_over_httpx() -> str:
    async with Client(transport=HTTPXAsyncTransport(f"{URL}/graphql"), fetch_schema_from_transport=True) as session:
        return json.dumps(await session.execute(gql(COLLECTIONS)))


async def gql_over_websocket() -> str:
    async with Client(transport=WebsocketsTransport(f"{URL.replace('http', 'ws', 1)}/graphql")) as session:
        return json.dumps(await session.execute(gql(COLLECTIONS)))


WAYS: dict[str, Callable[[], Awaitable[str]]] = {
    "langchain chat": lambda: invoked(langchain(responses=False)),
    "langchain chat stream": lambda: streamed(langchain(responses=False)),
    "langchain responses": lambda: invoked(langchain(responses=True)),
    "langchain responses stream": lambda: streamed(langchain(responses=True)),
    "litellm chat": completion,
    "litellm chat stream": completion_stream,
    "litellm responses": response,
    "gql requests": gql_over_requests,
    "gql httpx": gql_over_httpx,
    "gql websocket": gql_over_websocket,
}


async def main() -> None:
    """Go all ways."""
    for name, ask in WAYS.items():
        try:
            told = {"text": await ask()}
        except Exception as error:
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"name": name, **told}))


asyncio.run(main())
