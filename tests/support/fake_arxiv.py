"""An arXiv on this machine: answers searches, histories and downloads in the form in which arXiv does."""

import gzip
import io
import tarfile
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from papergraph.ingest.sources import Web
from papergraph.ingest.sources.arxiv import Arxiv, Places
from papergraph.outbound import Fetched, HostThrottle, Outside
from tests.support.web_site import Site

FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
  xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/SkuXkYxumgL1drFIL7NufdnpkFc</id>
  <title>arXiv Query: {query}</title>
  <updated>2026-01-30T18:34:08Z</updated>
  <link href="https://arxiv.org/api/query?{query}" type="application/atom+xml"/>
  <opensearch:itemsPerPage>{n}</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>{start}</opensearch:startIndex>
{entries}</feed>
"""
ENTRY = """  <entry>
    <id>http://arxiv.org/abs/{id}v{version}</id>
    <title>{title}</title>
    <updated>2026-01-0{version}T15:29:52Z</updated>
    <link href="https://arxiv.org/abs/{id}v{version}" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/{id}v{version}" rel="related" type="application/pdf" title="pdf"/>
    <summary>The abstract of
 {title}.</summary>
    <category term="quant-ph" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <published>2026-01-01T15:29:52Z</published>
    <arxiv:comment>{comment}</arxiv:comment>
    <arxiv:primary_category term="quant-ph"/>
    <author><name>A. Moon</name><arxiv:affiliation>Tides</arxiv:affiliation></author>
    <author><name>B. Sun</name></author>
  </entry>
"""
ERROR = """  <entry>
    <id>http://arxiv.org/api/errors#incorrect_id_format_for_x</id>
    <title>Error</title>
    <summary>incorrect id format for x</summary>
    <author><name>arXiv api core</name></author>
  </entry>
"""
HISTORY = """<?xml version='1.0' encoding='UTF-8'?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
  <responseDate>2026-01-30T18:34:08Z</responseDate>
  <request verb="GetRecord" metadataPrefix="arXivRaw">http://oaipmh.arxiv.org/oai</request>
  <GetRecord><record>
    <header><identifier>oai:arXiv.org:{id}</identifier><datestamp>2026-01-09</datestamp></header>
    <metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">
      <id>{id}</id><submitter>Alice Moon</submitter>
      {versions}<title>{title}</title>
      <license>http://creativecommons.org/licenses/by/4.0/</license>
    </arXivRaw></metadata>
  </record></GetRecord>
</OAI-PMH>
"""
VERSION = '<version version="v{n}"><date>Thu, {n} Jan 2026 15:29:52 GMT</date><size>{size}</size>{type}</version>'
NO_HISTORY = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
  <error code="idDoesNotExist">no such paper</error></OAI-PMH>"""


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now, self.slept = 0.0, []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class AtArxiv:
    """A paper there."""

    id: str
    title: str
    version: int = 1
    comment: str = "2 pages"
    withdrawn: bool = False
    pdf: bytes | None = b"%PDF-1.7\n..."
    source: bytes | None = None


@dataclass
class FakeArxiv:
    """Papers, best first, on a site; what was asked is in ``site.requests``."""

    site: Site
    papers: list[AtArxiv] = field(default_factory=list)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.site.answers["/api/query"] = self._query
        self.site.answers["/oai"] = self._oai

    def add(self, id: str, title: str, **more: object) -> AtArxiv:
        paper = AtArxiv(id, title, **more)  # type: ignore[arg-type]
        self.papers.append(paper)
        self.publish()
        return paper

    def publish(self) -> None:
        """Put the files of all papers in their places, of the version and of the newest."""
        for paper in self.papers:
            for name in (f"{paper.id}v{paper.version}", paper.id):
                for kind, body in (("pdf", paper.pdf), ("src", paper.source)):
                    if body is not None:
                        self.site.pages[f"/{kind}/{name}"] = body

    @property
    def web(self) -> Web:
        """The way to it, through a gate whose clock waits by itself."""
        return self.web_for(1_000_000)

    def web_for(self, n: int) -> Web:
        """Return a way to it for so many requests; with the next one the process is told to end."""
        gate = HostThrottle(3.0, clock=self.clock, sleep=self.clock.sleep)
        settings = {"hosts": ["127.0.0.1"], "local_ports": [self.site.port], "gates": {"127.0.0.1": gate}}
        outside = _Ending(n, deadline_s=5.0, **settings)
        return Web(outside, Arxiv(outside, places=Places.below(self.site.url("/"))))

    def _query(self, query: dict[str, str]) -> bytes:
        start, n = int(query.get("start", 0)), int(query["max_results"])
        ids = query.get("id_list", "").split(",")
        found = [paper for paper in self.papers if "search_query" in query or named(paper, ids)]
        shown = found[start : start + n]
        entries = "".join(
            ENTRY.format(id=p.id, version=p.version, title=escape(p.title), comment=escape(p.comment)) for p in shown
        )
        return FEED.format(
            query=escape(str(query), {'"': "&quot;"}), n=n, total=len(found), start=start, entries=entries
        ).encode()

    def _oai(self, query: dict[str, str]) -> bytes:
        for paper in self.papers:
            if query["identifier"] == f"oai:arXiv.org:{paper.id}":
                gone = [paper.withdrawn and n == paper.version for n in range(1, paper.version + 1)]
                versions = "".join(
                    VERSION.format(
                        n=n, size="0kb" if is_gone else "22kb", type="<source_type>I</source_type>" if is_gone else ""
                    )
                    for n, is_gone in enumerate(gone, start=1)
                )
                return HISTORY.format(id=paper.id, versions=versions, title=escape(paper.title)).encode()
        return NO_HISTORY.encode()


class _Ending(Outside):
    def __init__(self, n: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._left = n

    def get(self, url: str, **settings: Any) -> Fetched:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        return super().get(url, **settings)


def named(paper: AtArxiv, ids: list[str]) -> bool:
    return paper.id in ids or f"{paper.id}v{paper.version}" in ids


def tar_gz(**files: bytes) -> bytes:
    """Return the source of a paper that consists of files."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return data.getvalue()


def gz(body: bytes) -> bytes:
    """Return the source of a paper that is one file."""
    return gzip.compress(body)
