"""Papergraph, a knowledge base of research papers: the public names; each is imported when it is first used.

Types are in ``__init__.pyi``. Modules that are not named here are internal.
"""

import importlib

__version__ = "0.1.0"

_MODULES = {  # the module of each name; behind a colon its name there, where it is another
    "Answer": "server.answers.records",
    "AskRequest": "server.answers.request",
    "AsyncLibrary": "server.local.library",
    "Filter": "server.retrieval.filters",
    "GraphStore": "server.integrations.llama_index",
    "Hit": "server.retrieval.search",
    "IngestReport": "ingest.pipeline.work:IngestReport",
    "Library": "server.local.library",
    "PapergraphError": "papergraph.errors",
    "Refusal": "server.answers.records",
    "SearchRequest": "server.retrieval.request",
    "SelectionReport": "server.selection.result",
    "select": "server.selection.arrays",
}

__all__ = [
    "Answer",
    "AskRequest",
    "AsyncLibrary",
    "Filter",
    "GraphStore",
    "Hit",
    "IngestReport",
    "Library",
    "PapergraphError",
    "Refusal",
    "SearchRequest",
    "SelectionReport",
    "__version__",
    "errors",
    "select",
]


def __getattr__(name: str) -> object:
    if name == "errors":
        return importlib.import_module("papergraph.errors")
    if name not in _MODULES:
        raise AttributeError(f"module 'papergraph' has no attribute {name!r}")
    module, _, other = _MODULES[name].partition(":")
    found = globals()[name] = getattr(importlib.import_module(module), other or name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
