from ingest.pipeline.work import IngestReport as IngestReport
from papergraph import errors as errors
from papergraph.errors import PapergraphError as PapergraphError
from server.answers.records import Answer as Answer
from server.answers.records import Refusal as Refusal
from server.answers.request import AskRequest as AskRequest
from server.integrations.llama_index import GraphStore as GraphStore
from server.local.library import AsyncLibrary as AsyncLibrary
from server.local.library import Library as Library
from server.retrieval.filters import Filter as Filter
from server.retrieval.request import SearchRequest as SearchRequest
from server.retrieval.search import Hit as Hit
from server.selection.arrays import select as select
from server.selection.result import SelectionReport as SelectionReport

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
