import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from papergraph.errors import BlockedUrlError, InputError, OutboundError
from papergraph.ingest.fetch.crawl import (
    Bounds,
    Crawled,
    Fate,
    Scope,
    crawl,
    crawl_again,
    gone_pages,
    normal,
    read_page,
)
from papergraph.ingest.sources import DocumentRef, find_documents
from papergraph.outbound import HostThrottle, Outside
from tests.support.fake_arxiv import Clock
from tests.support.web_site import Site

LONG = "The water rises twice a day because the moon attracts it, and falls as often. " * 4
B_LINKS = ("/short.html", "/gone.html", "/error.html", "/private/d.html", "/copy.html", "/data.bin")
PDF = b"%PDF-1.7\n..."


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        yield site


def page(title: str, *links: str, text: str = LONG, head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return (
        f"<html><head><title>{title}</title>{head}</head><body><p>{title}: {text}</p>{anchors}</body></html>".encode()
    )


def tree(site: Site) -> None:
    """Write a site of five pages and a PDF, of which some cannot be kept."""
    site.pages |= {
        "/": page("Home", "/a.html", "b.html#part", "/a.html?x=1", "https://elsewhere.test/", "mailto:me@home.test"),
        "/a.html": page("A", "/deep/c.html", "/", "/paper.pdf", "/notes.md", "/logo.png"),
        "/b.html": page("B", *B_LINKS),
        "/deep/c.html": page("C", "/deep/deeper/e.html"),
        "/deep/deeper/e.html": page("E"),
        "/short.html": page("Short", text="Too little."),
        "/error.html": page("404 – we are sorry"),
        "/copy.html": page(
            "B", "/short.html", "/gone.html", "/error.html", "/private/d.html", "/copy.html", "/data.bin"
        ),
        "/private/d.html": page("D"),
        "/paper.pdf": PDF,
        "/data.bin": b"\0\1",
        "/notes.md": b"# Notes\n",
        "/robots.txt": b"User-agent: *\nDisallow: /private/\nDisallow: /*?x=\nCrawl-delay: 2\n",
    }
    site.types |= {
        "/paper.pdf": "application/pdf",
        "/notes.md": "text/markdown",
        "/data.bin": "application/octet-stream",
    }


def outside(site: Site, clock: Clock | None = None, n: int = 1_000_000) -> Outside:
    clock = clock or Clock()
    gate = HostThrottle(0.0, clock=clock, sleep=clock.sleep)
    return Ending(n, hosts=["127.0.0.1"], local_ports=[site.port], gates={"127.0.0.1": gate}, deadline_s=5.0)


class Ending(Outside):
    """A way out for so many requests; with the next one the process is told to end."""

    def __init__(self, n: int, **settings):
        super().__init__(**settings)
        self.left = n

    def get(self, url, **settings):
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return super().get(url, **settings)


def paths(folder: Path) -> list[str]:
    lines = (folder / "pages.jsonl").read_text().splitlines()
    return ["/" + json.loads(line)["source"].split("/", 3)[3] for line in lines]


def fates(found: Crawled) -> dict[Fate, int]:
    return dict(found.fates)


def test_a_site_is_kept_page_by_page_breadth_first_but_for_what_is_not_worth_reading(site, tmp_path):
    tree(site)

    found = crawl(outside(site), site.url("/"), tmp_path)

    assert paths(tmp_path) == [
        "/",
        "/a.html",
        "/b.html",
        "/deep/c.html",
        "/paper.pdf",
        "/notes.md",
        "/deep/deeper/e.html",
    ]
    assert fates(found) == {
        Fate.KEPT: 7,
        Fate.SHORT: 1,
        Fate.NOT_THERE: 1,
        Fate.ERROR_PAGE: 1,
        Fate.SAME_TEXT: 1,
        Fate.UNSUPPORTED: 1,
    }
    assert (found.n_pages, found.n_left, found.lost) == (7, 0, ())
    asked = [request for request in site.requests if request != "/robots.txt"]
    assert len(asked) == len(set(asked)) == 12
    assert not {"/private/d.html", "/a.html?x=1", "/logo.png"} & set(asked)


def test_what_is_kept_is_a_source_named_by_its_url(site, tmp_path):
    tree(site)
    crawl(outside(site), site.url("/"), tmp_path)

    found = [each for each in find_documents([tmp_path]) if isinstance(each, DocumentRef)]

    assert [each.name for each in found] == [site.url(path) for path in paths(tmp_path)]
    (pdf,) = [each.read(max_bytes=1000) for each in found if each.name.endswith(".pdf")]
    assert (pdf.data, pdf.metadata.url) == (PDF, site.url("/paper.pdf"))


@pytest.mark.parametrize(
    ("bounds", "kept", "n_left"),
    [
        (Bounds(depth=0), ["/"], 0),
        (Bounds(depth=1), ["/", "/a.html", "/b.html"], 0),
        (Bounds(most=2), ["/", "/a.html"], 4),
    ],
)
def test_a_crawl_ends_at_its_depth_and_number_of_pages(site, tmp_path, bounds, kept, n_left):
    tree(site)

    found = crawl(outside(site), site.url("/"), tmp_path, bounds=bounds)

    assert (paths(tmp_path), found.n_left) == (kept, n_left)


def test_a_crawl_of_a_folder_stays_below_it_whatever_leads_out(site, tmp_path):
    tree(site)
    site.pages["/deep/c.html"] = page("C", "/deep/deeper/e.html", "/a.html", "/deep/out.html", "../b.html")
    site.redirects["/deep/out.html"] = "/a.html"

    found = crawl(outside(site), site.url("/deep/c.html"), tmp_path, bounds=Bounds(Scope.FOLDER))

    assert paths(tmp_path) == ["/deep/c.html", "/deep/deeper/e.html"]
    assert fates(found)[Fate.FORBIDDEN] == 1
    assert "/a.html" not in site.requests


def test_requests_wait_as_long_as_the_site_asks_for(site, tmp_path):
    tree(site)
    clock = Clock()

    crawl(outside(site, clock), site.url("/"), tmp_path, bounds=Bounds(depth=0))

    assert clock.slept == [1.0]  # known when robots.txt has come; the next ones wait two seconds
    site.requests.clear()
    crawl(outside(site, clock), site.url("/"), tmp_path, bounds=Bounds(depth=0))
    slept = clock.slept[1:]
    crawl(outside(site, clock), site.url("/"), tmp_path / "all")
    assert max(clock.slept[1 + len(slept) :]) == 2.0


@pytest.mark.slow
def test_a_call_that_ends_at_any_request_is_gone_on_with_and_gives_the_same(site, tmp_path):
    tree(site)
    whole = crawl(outside(site), site.url("/"), tmp_path / "whole")

    for n in range(1, 13):
        folder = tmp_path / str(n)
        with pytest.raises(KeyboardInterrupt):
            crawl(outside(site, n=n), site.url("/"), folder)
        site.requests.clear()
        found = crawl(outside(site), site.url("/"), folder)

        assert (fates(found), paths(folder)) == (fates(whole), paths(tmp_path / "whole"))
        assert len(site.requests) == 13 - n + 1  # what was visited is not visited again; robots.txt is


def test_a_finished_crawl_made_again_leaves_what_is_there_now(site, tmp_path):
    tree(site)
    crawl(outside(site), site.url("/"), tmp_path)
    site.pages["/a.html"] = page("A anew")
    site.pages["/b.html"] = page("B", "/new.html")
    site.pages["/new.html"] = page("New")

    again = crawl_again(outside(site), tmp_path)

    assert (again.n_pages, again.lost) == (4, ())
    assert sorted(paths(tmp_path)) == ["/", "/a.html", "/b.html", "/new.html"]
    assert len(list((tmp_path / "pages").iterdir())) == 4
    assert any(b"A anew" in path.read_bytes() for path in (tmp_path / "pages").iterdir())


@pytest.mark.parametrize("state", [None, "", "[]", '{"request": {"url": "https://example.org/"}}', '{"request": []}'])
def test_a_folder_without_a_crawled_site_is_not_crawled_again(tmp_path, state):
    if state is not None:
        (tmp_path / "crawl.json").write_text(state)

    with pytest.raises(InputError, match="holds no crawled site"):
        crawl_again(Outside(hosts=[]), tmp_path)


def test_pages_are_gone_that_the_site_denies_or_a_whole_crawl_does_not_meet_and_no_others(site, tmp_path):
    names = ("stays", "denied", "unlinked", "failing", "back")
    for name in names:
        site.pages[f"/{name}.html"] = page(name)
    links = [f"/{name}.html" for name in names]

    def made(*told: str, **statuses: int) -> list[str]:
        site.pages["/"] = page("Home", *told)
        site.statuses = {f"/{name}.html": status for name, status in statuses.items()}
        crawl(outside(site), site.url("/"), tmp_path)
        return sorted(url.rpartition("/")[2] for url in gone_pages(tmp_path))

    assert made(*links) == []
    assert made(*links, denied=404, failing=500) == ["denied.html"]
    assert made(*(link for link in links if "unlinked" not in link), denied=404, back=410) == [
        "back.html",
        "denied.html",
        "unlinked.html",
    ]
    assert made(*links) == []
    crawl(outside(site), site.url("/"), tmp_path / "short", bounds=Bounds(most=3))
    assert gone_pages(tmp_path / "short") == gone_pages(tmp_path / "nowhere") == []


def test_a_page_that_fails_is_told_and_tried_again_and_a_site_that_fails_ends_the_call(site, tmp_path):
    tree(site)
    site.busy["/a.html"] = 1
    found = crawl(outside(site), site.url("/"), tmp_path, bounds=Bounds(depth=1))
    assert [(lost.url, lost.detail) for lost in found.lost] == [(site.url("/a.html"), "was answered with status 503")]

    site.pages["/"] = page("Home", *(f"/{n}.html" for n in range(9)))
    for n in range(9):
        site.statuses[f"/{n}.html"] = 500
    with pytest.raises(OutboundError, match="status 500"):
        crawl(outside(site), site.url("/"), tmp_path / "other")
    assert paths(tmp_path / "other") == ["/"]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [("/private/d.html", 200, "robots.txt"), ("/nowhere.html", 200, "404"), ("/", 503, "503")],
)
def test_a_first_page_that_may_not_or_cannot_be_had_ends_the_call(site, tmp_path, path, status, said):
    tree(site)
    if status != 200:
        site.statuses["/robots.txt"] = status

    with pytest.raises(OutboundError, match=said):
        crawl(outside(site), site.url(path), tmp_path)
    if status != 200:
        assert site.requests == ["/robots.txt"]


def test_a_site_without_robots_txt_may_be_crawled_and_one_that_is_not_allowed_is_not_asked(site, tmp_path):
    site.pages["/"] = page("Home")

    assert crawl(outside(site), site.url("/"), tmp_path / "a").n_pages == 1
    with pytest.raises(BlockedUrlError):
        crawl(outside(site), "https://example.org/", tmp_path / "b")


def test_a_page_may_ask_not_to_be_kept_or_followed(site, tmp_path):
    site.pages |= {
        "/": page("Home", "/a.html", "/b.html", '/c.html" rel="nofollow'),
        "/a.html": page("A", "/d.html", head='<meta name="robots" content="noindex">'),
        "/b.html": page("B", "/e.html", head='<meta name="robots" content="nofollow">'),
        **{f"/{name}.html": page(name) for name in "cde"},
    }

    found = crawl(outside(site), site.url("/"), tmp_path)

    assert paths(tmp_path) == ["/", "/b.html", "/d.html"]
    assert fates(found)[Fate.NOT_TO_BE_KEPT] == 1


def test_a_page_in_another_encoding_is_kept_so_that_it_can_be_read(site, tmp_path):
    site.pages["/"] = page("Café", text="é" * 300).decode().encode("latin-1")
    site.types["/"] = "text/html; charset=iso-8859-1"

    crawl(outside(site), site.url("/"), tmp_path)

    (path,) = (tmp_path / "pages").iterdir()
    assert path.read_bytes().decode("utf-8-sig").count("é") == 302


def test_a_page_is_its_text_without_what_surrounds_it():
    data = b"""<html><head><title> Tides
      of a moon</title><base href="/deep/"><script>var a = "x"</script></head><body><nav>Home</nav><header>Top</header>
      <main><h1>Tides</h1><p>Water <b>rises</b>.</p></main><footer>Bottom</footer>
      <a href="a.html#x">A</a><a href="HTTP://Example.ORG:80">B</a><a href="javascript:go()">C</a><a name="d">D</a>
      <a href="http://[bad/">E</a></body></html>"""

    page = read_page(data, "https://home.test/x/y.html")

    assert (page.title, page.text) == ("Tides of a moon", "Tides Water rises . A B C D E")
    assert page.links == ("https://home.test/deep/a.html", "http://example.org/")
    for nothing in (b"", b"   ", b"\0\xff" * 10, b"<!-- -->"):
        assert not read_page(nothing, "https://home.test/").links


@pytest.mark.parametrize(
    ("title", "is_error"),
    [
        ("404", True),
        ("Error 404: not found", True),
        ("Page Not Found | Tides", True),
        ("Not found", True),
        ("500 Internal Server Error", True),
        ("Error correction with surface codes", False),
        ("Lost and not found", False),
        ("5000 papers", False),
    ],
)
def test_a_title_tells_of_an_error(title, is_error):
    assert read_page(page(title), "https://home.test/").is_error is is_error


@pytest.mark.parametrize(
    ("url", "known_as"),
    [
        ("HTTPS://Home.Test:443", "https://home.test/"),
        ("http://home.test:8080/A?b=C#d", "http://home.test:8080/A?b=C"),
        ("https://home.test./", "https://home.test/"),
        ("https://user@home.test/", "https://user@home.test/"),
        ("https://[::1]:443/a", "https://[::1]/a"),
    ],
)
def test_a_url_has_one_form(url, known_as):
    assert normal(url) == known_as


@pytest.mark.parametrize(
    "wrong", [{"depth": -1}, {"depth": 101}, {"most": 0}, {"most": 100_001}, {"delay_s": 0}, {"delay_s": float("nan")}]
)
def test_bounds_that_cannot_be_are_refused(wrong):
    with pytest.raises(InputError):
        Bounds(**wrong)
    with pytest.raises(InputError, match="host, folder"):
        Bounds.choose("world", depth=1, most=1, delay_s=1.0)
