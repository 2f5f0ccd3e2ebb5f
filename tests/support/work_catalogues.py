"""Catalogues of works that ask a double, and do not wait."""

from papergraph.ingest.fetch.works import Rests, WorkCatalogues
from papergraph.ingest.sources.arxiv import Arxiv, Places
from papergraph.ingest.sources.catalogues import Catalogues
from papergraph.outbound import Outside
from tests.support.fake_catalogue import FakeCatalogue, Fault


class Waiting(Outside):
    """Way out that notes waits instead of waiting."""

    waited: list[float]

    def pace(self, url: str, interval_s: float) -> None:
        """Wait for nothing."""

    def hold(self, url: str, seconds: float) -> None:
        self.waited.append(seconds)


def opened(catalogue: FakeCatalogue, name: str, *, key: str = "", rests: Rests | None = None) -> WorkCatalogues:
    outside = Waiting(hosts=["127.0.0.1"], local_ports=[catalogue.port], deadline_s=5.0, gates={})
    outside.waited = []
    address = catalogue.address
    asked = Catalogues(outside, f"{address}/crossref", f"{address}/openalex", address, key)
    arxiv = Arxiv(outside, places=Places.below(f"{address}/arxiv"))
    return WorkCatalogues(asked, arxiv, frozenset({name}), rests or Rests(lambda: 0.0))


def error(status: int, **headers: str) -> Fault:
    return Fault(status, {name.replace("_", "-"): value for name, value in headers.items()})
