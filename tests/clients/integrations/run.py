"""Retrieve with LangChain, LlamaIndex and Haystack: ``python -W error run.py URL COLLECTION QUERY``.

Prints a line of JSON for each library: texts, ids, scores and metadata of what it retrieves, by every way that it has.
"""

import asyncio
import json
import sys
from typing import Any

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnablePassthrough
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer

from papergraph_client import AsyncPapergraph, Papergraph
from papergraph_client import haystack as for_haystack
from papergraph_client import langchain as for_langchain
from papergraph_client import llama_index as for_llama_index

URL, COLLECTION, QUERY = sys.argv[1:]
OPTIONS: dict[str, Any] = {"k": 2, "collection": COLLECTION}


def told(text: str, id: str | None, score: float | None, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"text": text, "id": id, "score": score, "metadata": metadata}


async def langchain(client: Papergraph, own: AsyncPapergraph) -> list[Any]:
    """Retrieve alone, asynchronously with and without a client for that, and within a chain."""
    retriever = for_langchain.PapergraphRetriever(client=client, async_client=own, options=OPTIONS)
    threaded = for_langchain.PapergraphRetriever(client=client, options=OPTIONS)
    prompt = PromptTemplate.from_template("{context} {question}")
    chain = {"context": retriever | _texts, "question": RunnablePassthrough()} | prompt
    ways = [retriever.invoke(QUERY), await retriever.ainvoke(QUERY), await threaded.ainvoke(QUERY)]
    found = [[told(one.page_content, one.id, one.metadata["score"], one.metadata) for one in way] for way in ways]
    return [*found, chain.invoke(QUERY).to_string()]


def _texts(documents: list[Any]) -> str:
    return " ".join(f"{one.page_content} ({one.metadata['link']})" for one in documents)


async def llama_index(client: Papergraph, own: AsyncPapergraph) -> list[Any]:
    """Retrieve alone, asynchronously with and without a client for that, and within a query engine."""
    Settings.llm = MockLLM()  # the default is that of another package
    retriever = for_llama_index.PapergraphRetriever(client, own, **OPTIONS)
    threaded = for_llama_index.PapergraphRetriever(client, **OPTIONS)
    engine = RetrieverQueryEngine(
        retriever,
        response_synthesizer=get_response_synthesizer(response_mode="no_text"),
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=0.0)],
    )
    answer = await engine.aquery(QUERY)
    ways = [retriever.retrieve(QUERY), await retriever.aretrieve(QUERY), await threaded.aretrieve(QUERY)]
    found = [[told(one.node.get_content(), one.node.node_id, one.score, one.metadata) for one in way] for way in ways]
    return [*found, _texts_of(answer.source_nodes)]


def _texts_of(nodes: list[Any]) -> str:
    return " ".join(f"{one.node.get_content()} ({one.metadata['link']})" for one in nodes)


async def haystack(client: Papergraph, own: AsyncPapergraph) -> list[Any]:
    """Retrieve alone, asynchronously, and within a pipeline that was saved and loaded."""
    retriever = for_haystack.PapergraphRetriever(URL, options={"k": 9, "collection": COLLECTION})
    pipeline = Pipeline()
    pipeline.add_component("retriever", for_haystack.PapergraphRetriever(URL, options=OPTIONS))
    template = "{% for one in documents %}{{ one.content }} ({{ one.meta.link }}) {% endfor %}{{ question }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "prompt.documents")
    asked = {"retriever": {"query": QUERY}, "prompt": {"question": QUERY}}
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["papergraph_client.haystack"])
    through = loaded.run(asked, include_outputs_from={"retriever"})
    alone = Pipeline()
    alone.add_component("retriever", for_haystack.PapergraphRetriever(URL, options=OPTIONS))
    later = await alone.run_async({"retriever": {"query": QUERY}})
    ways: list[list[Document]] = [
        retriever.run(QUERY, {"k": 2})["documents"],
        later["retriever"]["documents"],
        through["retriever"]["documents"],
    ]
    found = [[told(one.content or "", one.id, one.score, one.meta) for one in way] for way in ways]
    return [*found, through["prompt"]["prompt"]]


async def main() -> None:
    """Run all, with one client of each kind."""
    with Papergraph(URL) as client:
        async with AsyncPapergraph(URL) as own:
            for library in (langchain, llama_index, haystack):
                *ways, whole = await library(client, own)
                print(json.dumps({"library": library.__name__, "ways": ways, "whole": whole}))


asyncio.run(main())
