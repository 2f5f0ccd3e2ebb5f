"""Run generated clients against a server: ``python -W error run.py URL JOB`` prints a line of JSON for each.

JOB is the id of a finished job. Each client sends a query, a mutation and a query that the server refuses, and follows
the job where it can.
"""

import asyncio
import json
import sys
from typing import Any

from ariadne_client import Client as AriadneClient
from ariadne_client.exceptions import GraphQLClientError
from ariadne_client.input_types import SearchInput
from openapi_client import Client as OpenapiClient
from openapi_client.api.collections import list_collections
from openapi_client.api.graph import get_node
from openapi_client.api.jobs import cancel_job
from openapi_client.api.search import search_passages
from openapi_client.models import PaperNode, SearchBody

QUERY = "annealing"


async def ariadne(url: str, job: str) -> dict[str, Any]:
    """Use what ariadne-codegen makes."""
    async with AriadneClient(f"{url}/graphql", ws_url=f"{url}/graphql".replace("http", "ws", 1)) as client:
        found = await client.search(SearchInput(query=QUERY, k=1))
        node = await client.node(found.search.hits[0].paper.id)
        try:
            refused = str(await client.papers_in("nowhere"))
        except GraphQLClientError as error:
            refused = str(error)
        return {
            "client": "ariadne-codegen",
            "query": [one.name for one in (await client.collections()).collections],
            "mutation": (await client.cancel(job)).cancel_job.state,
            "node": node.node.typename__,
            "title": node.node.display_name,
            "refused": refused,
            "states": [event.job_progress.state async for event in client.progress(job)],
        }


def openapi(url: str, job: str) -> dict[str, Any]:
    """Use what openapi-python-client makes."""
    with OpenapiClient(base_url=url) as client:
        found = search_passages.sync(client=client, body=SearchBody(query=QUERY, k=1))
        node = get_node.sync(found.hits[0].paper.id, client=client)
        return {
            "client": "openapi-python-client",
            "query": [one.name for one in list_collections.sync(client=client).data],
            "mutation": cancel_job.sync(job, client=client).state,
            "node": node.label if isinstance(node, PaperNode) else repr(node),
            "title": node.node.title,
            "refused": get_node.sync("0" * 64, client=client).detail,
        }


print(json.dumps(asyncio.run(ariadne(*sys.argv[1:]))))
print(json.dumps(openapi(*sys.argv[1:])))
