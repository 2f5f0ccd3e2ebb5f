"""Dask cluster as executor: its workers parse, cut and embed; this process fetches and writes.

Workers need papergraph and the embedding model, but neither the documents nor Neo4j. One that is lost costs nothing but
the documents that it had: Dask gives them to another, and after three lost workers they come back to be tried again.
"""

import pickle
import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from papergraph.embedding import Embedder
from papergraph.errors import Reason, UnavailableError, install_command
from papergraph.ingest.graph.rows import config_hash
from papergraph.ingest.jobs.model import Stage
from papergraph.ingest.pipeline.prepare import (
    DocumentPreparer,
    Made,
    OnStage,
    Prepared,
    Reader,
    Refused,
    embed,
    our_fault,
)
from papergraph.ingest.sources import RawDocument

if TYPE_CHECKING:
    from distributed import Client

DOCUMENTS_PER_THREAD = 4
CONNECT_S = 10.0
ONE_AT_A_TIME = threading.Lock()


class DaskExecutor:
    """An open client of a Dask cluster; see :class:`papergraph.ingest.pipeline.executor.Executor`."""

    def __init__(self, client: "Client", address: str, *, n_threads: int) -> None:
        self._client, self._address = client, address
        self._pickled: tuple[DocumentPreparer, bytes] | None = None
        self.n_at_once = DOCUMENTS_PER_THREAD * n_threads

    @classmethod
    async def connect(cls, address: str) -> Self:
        """Connect to a scheduler.

        Args:
            address: Such as ``tcp://127.0.0.1:8786``.

        Raises:
            UnavailableError: Dask is not installed, nothing answers there, or it has no workers.
        """
        try:
            from distributed import Client
        except ImportError as error:
            raise UnavailableError(f"Dask is not installed: {install_command('dask')}") from error
        client = Client(address, asynchronous=True, timeout=CONNECT_S, set_as_default=False)
        try:
            await client
            threads = await client.nthreads()
        except (OSError, ValueError) as error:
            await client.close()
            raise UnavailableError(f"no Dask scheduler answers at {address}: {error}") from error
        if not threads:
            await client.close()
            raise UnavailableError(f"the Dask scheduler at {address} has no workers; start some: dask worker {address}")
        return cls(client, address, n_threads=sum(threads.values()))

    def read_here(
        self, preparer: DocumentPreparer, source: RawDocument, *, reached: OnStage
    ) -> Prepared | Refused | None:
        """Leave every document to the workers: most of the work is embedding, which they do too."""
        return None

    async def prepare(self, preparer: DocumentPreparer, source: RawDocument, *, embed: bool, reached: OnStage) -> Made:
        """Prepare a document on a worker, with its vectors if ``embed``.

        Raises:
            UnavailableError: The scheduler is gone.
        """
        from distributed import KilledWorker

        reached(Stage.PARSE)
        expected = preparer.config_hash(), preparer.embedder.card.sha256
        future = self._client.submit(_prepare, self._pickle(preparer), source, embed, expected, pure=False)
        try:
            made: Made = await future
            return made
        except KilledWorker:
            detail = "the Dask workers that parsed it ended, one after another"
            return Refused(source.name, Stage.PARSE, Reason.LOST, detail, may_work=True), {}
        except Exception as error:
            if self._client.status != "running":
                raise UnavailableError(f"the Dask scheduler at {self._address} is gone: {error}") from error
            return our_fault(source.name, Stage.PARSE, error), {}
        finally:
            future.release()

    async def close(self) -> None:
        """Disconnect from the cluster, which keeps running."""
        await self._client.close()

    def _pickle(self, preparer: DocumentPreparer) -> bytes:
        """Return what a worker makes its reader and its model of; the same bytes for the same preparer."""
        if self._pickled is None or self._pickled[0] is not preparer:
            self._pickled = preparer, pickle.dumps((preparer.reader, preparer.embedder))
        return self._pickled[1]


def _prepare(pickled: bytes, source: RawDocument, wants_vectors: bool, expected: tuple[str, str]) -> Made:
    with ONE_AT_A_TIME:  # or each thread would load the model
        reader, embedder = _loaded(pickled)
    if (config_hash(embedder.card, reader.settings.options), embedder.card.sha256) != expected:
        raise RuntimeError("this Dask worker has another version of papergraph or another embedding model")
    ready = reader.read(source)
    if not wants_vectors or isinstance(ready, Refused):
        return ready, {}
    return ready, embed(embedder, ready.texts, reader.settings)


@lru_cache(maxsize=2)
def _loaded(pickled: bytes) -> tuple[Reader, Embedder]:
    loaded: tuple[Reader, Embedder] = pickle.loads(pickled)  # noqa: S301 from the client, whose code Dask runs anyway
    return loaded
