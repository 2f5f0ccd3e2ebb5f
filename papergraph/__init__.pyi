from papergraph import errors as errors
from papergraph.errors import PapergraphError as PapergraphError
from papergraph.ingest.pipeline.work import IngestReport as IngestReport
from papergraph.server.answers.records import Answer as Answer
from papergraph.server.answers.records import Refusal as Refusal
from papergraph.server.answers.request import AskRequest as AskRequest
from papergraph.server.integrations.llama_index import GraphStore as GraphStore
from papergraph.server.local.library import AsyncLibrary as AsyncLibrary
from papergraph.server.local.library import Library as Library
from papergraph.server.retrieval.filters import Filter as Filter
from papergraph.server.retrieval.request import SearchRequest as SearchRequest
from papergraph.server.retrieval.search import Hit as Hit
from papergraph.server.selection.arrays import select as select
from papergraph.server.selection.result import SelectionReport as SelectionReport

__version__: str
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
