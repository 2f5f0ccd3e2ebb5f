"""Papergraph, a knowledge base of research papers: the public names; each is imported when it is first used.

Types are in ``__init__.pyi``. Modules that are not named here are internal.
"""

import importlib

__version__ = "0.1.0"

_MODULES = {  # the module of each name; behind a colon its name there, where it is another
    "Answer": "papergraph.server.answers.records",
    "AskRequest": "papergraph.server.answers.request",
    "AsyncLibrary": "papergraph.server.local.library",
    "Filter": "papergraph.server.retrieval.filters",
    "GraphStore": "papergraph.server.integrations.llama_index",
    "Hit": "papergraph.server.retrieval.search",
    "IngestReport": "papergraph.ingest.pipeline.work:IngestReport",
    "Library": "papergraph.server.local.library",
    "PapergraphError": "papergraph.errors",
    "Refusal": "papergraph.server.answers.records",
    "SearchRequest": "papergraph.server.retrieval.request",
    "SelectionReport": "papergraph.server.selection.result",
    "select": "papergraph.server.selection.arrays",
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
