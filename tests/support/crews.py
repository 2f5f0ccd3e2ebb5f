"""Documents, their preparer, and the child processes that parse them."""

import hashlib
from contextlib import suppress

import psutil
from tokenizers import Tokenizer

from papergraph.embedding import DEFAULT_NAME, DEFAULT_SHA256, Floats, ModelCard, load_tokenizer
from papergraph.ingest.chunkers import ChunkOptions
from papergraph.ingest.pipeline.prepare import DocumentPreparer, JobSettings
from papergraph.ingest.sources import Format, RawDocument


class NoEmbedder:
    """What a preparer needs of a model that is not asked."""

    card = ModelCard(DEFAULT_NAME, DEFAULT_SHA256, dimension=384, max_tokens=256)
    tokenizer: Tokenizer = load_tokenizer(DEFAULT_NAME)

    def encode_documents(self, texts: object) -> Floats:
        raise AssertionError("nothing is embedded here")

    def encode_query(self, text: str) -> Floats:
        raise AssertionError("nothing is embedded here")


def preparer() -> DocumentPreparer:
    return DocumentPreparer(NoEmbedder(), JobSettings(ChunkOptions()), collection="main")


def document(number: int, text: str = "It has some text.") -> RawDocument:
    data = f"# Paper {number}\n\n{text}\n\n## Method\n\nWe look {number} times.\n".encode()
    return RawDocument(f"/papers/{number}.md", data, Format.MARKDOWN, hashlib.sha256(data).hexdigest())


PARSER = "papergraph.ingest.parsers.sandbox_child"


def children(pid: int | None = None) -> list[psutil.Process]:
    """Return the processes below a process, by default this one, that parse documents."""
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):  # it has ended
            if PARSER in child.cmdline() and PARSER in psutil.Process(child.ppid()).cmdline():  # not what forks them
                found.append(child)
    return found
