"""Hits to numbered sources: what a reader is given, within a budget of tokens."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from urllib.parse import quote

from papergraph.ingest.parsers.document import ElementKind
from papergraph.language_model import Image
from papergraph.language_model.completion import estimated_tokens
from papergraph.schema.records import Chunk, Paper
from papergraph.server.answers.model_text import orders_in, without_orders
from papergraph.server.answers.records import Source
from papergraph.server.answers.sentences import CAPTION
from papergraph.server.retrieval.search import Hit, PassageSection
from papergraph.server.retrieval.steps.select import Select
from papergraph.text.alignment import visible

LEFT_OUT = "[…]"
"""Stands where the text gave orders."""
AROUND_TOKENS = 60
"""Tokens of title, headings and marks of a source."""
MOST_FIGURES = 4
"""Pictures in one request to a language model."""
FIGURE = "Picture of source {number}. To say what it shows, cite words of its caption."
Draw = Callable[[Paper, Chunk], Awaitable[bytes | None]]
URL_OF_DOI, URL_OF_ARXIV = "https://doi.org/", "https://arxiv.org/abs/"


def sources_of(hits: Sequence[Hit], *, token_budget: int) -> tuple[Source, ...]:
    """Return the hits as sources, best first, as many as the budget lets in, and the first in any case.

    A caption comes with the text before and after it in its section, if there is room.

    Args:
        hits: The passages.
        token_budget: Tokens of all texts together, estimated rather too high.
    """
    sources: list[Source] = []
    left = token_budget
    for hit in hits:
        for form in dict.fromkeys((_with_text_around(hit, hits), hit)):
            text, n_orders = _readable(form.text)
            n_tokens = estimated_tokens(text) + AROUND_TOKENS
            if n_tokens <= left or (not sources and form is hit):
                left -= n_tokens
                sources.append(Source(len(sources) + 1, form, text, n_orders))
                break
    return tuple(sources)


def _with_text_around(hit: Hit, hits: Sequence[Hit]) -> Hit:
    """Return a caption with the chunks beside it that stand in its section and in no hit; any other hit as it is."""
    if hit.chunk.kind != ElementKind.CAPTION or hit.before or hit.after or hit.shortened is not None:
        return hit
    taken = [one.chunk for one in hits if one.paper.id == hit.paper.id]
    around = [
        () if beside is None or not _is_in(beside, hit.sections) or _is_in(beside, taken) else (beside,)
        for beside in (hit.previous, hit.next)
    ]
    return replace(hit, before=around[0], after=around[1]) if any(around) else hit


def _is_in(chunk: Chunk, spans: Sequence[Chunk] | Sequence[PassageSection]) -> bool:
    return any(span.start_char <= chunk.start_char and chunk.end_char <= span.end_char for span in spans)


async def figures_of(sources: Sequence[Source], draw: Draw | None) -> dict[str, Image]:
    """Return pictures of the sources' captions by chunk, the first :data:`MOST_FIGURES`."""
    found: dict[str, Image] = {}
    for source in sources:
        for chunk in (source.hit.chunk, *source.hit.before, *source.hit.after):
            if draw is None or len(found) == MOST_FIGURES:
                return found
            if chunk.figure and (png := await draw(source.hit.paper, chunk)) is not None:
                found[chunk.id] = Image(FIGURE.format(number=source.number), png)
    return found


def within_budget(select: Select | None, token_budget: int) -> Select | None:
    """Return a selection that keeps the budget as well, so that it chooses what will be read."""
    if select is None:
        return None
    most = min(select.token_budget or token_budget, token_budget)
    return select.model_copy(update={"token_budget": most})


def url_of(source: Source) -> str | None:
    """Return where a source's paper can be read: its address, that of its DOI or arXiv id, or of its source."""
    return url_of_paper(source.hit.paper)


def url_of_paper(paper: Paper) -> str | None:
    """Return where a paper can be read: its address, that of its DOI or arXiv id, or of its source."""
    if paper.url:
        return paper.url
    if paper.doi:
        return URL_OF_DOI + paper.doi
    if paper.arxiv_id:
        return URL_OF_ARXIV + paper.arxiv_id
    return next((one for one in paper.sources if one.startswith(("https://", "http://"))), None)


def file_of(source: Source) -> str | None:
    """Return the name of the file that a source's paper was read from, None if it came from elsewhere."""
    return file_of_paper(source.hit.paper)


def file_of_paper(paper: Paper) -> str | None:
    """Return the name of the file that a paper's text was read from, None if it came from elsewhere."""
    files = (one for one in paper.sources if not one.startswith("arxiv:") and "://" not in one and "#" not in one)
    return next((PurePath(one).name for one in files), None)


def reference_of(url: str | None, file: str | None, page: int | None) -> str | None:
    """Return a paper's address, or a ``file:`` reference with its page, or None."""
    if url is not None and url.startswith(("https://", "http://")):
        return url
    if file is None:
        return None
    return f"file:{quote(file)}" + (f"#page={page}" if page is not None else "")


def caption_of(hit: Hit) -> str | None:
    """Return the caption of a table, where it is a chunk beside it, without instructions."""
    beside = (one.text for one in (hit.previous, hit.next) if one is not None and CAPTION.match(one.text))
    return next(map(without_orders, beside), None)


def readable(source: Source) -> str:
    """Return the text of a source's chunk without instructions."""
    return without_orders(source.hit.chunk.text)


def numbered(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return sources numbered from 1 in their order."""
    return tuple(replace(source, number=number) for number, source in enumerate(sources, start=1))


def _readable(text: str) -> tuple[str, int]:
    """Return a text as a reader gets it, and how many parts of it were left out."""
    spans = orders_in(text)
    kept, place = [], 0
    for start, end in spans:
        kept += [text[place:start], LEFT_OUT]
        place = end
    return visible("".join([*kept, text[place:]])), len(spans)
