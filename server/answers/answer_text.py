"""The text of an answer as it grows: checked sentences with their marks, and the citations behind them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from server.answers.claims import Claim
from server.answers.injection import gives_orders, visible
from server.answers.quotes import Quote
from server.answers.records import AnswerCitation, CitationEvent, DeltaEvent, DroppedText, Event
from server.answers.sources import file_of, url_of
from server.answers.verify import Checked

MOST_DROPPED = 50
"""Of what did not pass, so much is told."""


@dataclass
class AnswerText:
    """The answer so far."""

    text: str = ""
    citations: list[AnswerCitation] = field(default_factory=list)
    dropped: list[DroppedText] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def tell(self, text: str, quotes: Sequence[Quote]) -> list[Event]:
        """Take a line of the graph, with what it rests on, and return what is to be given on."""
        text = " ".join(visible(text).split())
        if gives_orders(text):
            return []
        if quotes:
            return self.add(Checked(Claim(text, (), "\n"), tuple(quotes), ()))
        piece = f"\n{text}" if self.text else text
        self.text += piece
        return [DeltaEvent(piece)]

    def add(self, checked: Checked) -> list[Event]:
        """Take a checked claim and return what is to be given on."""
        self.dropped += checked.dropped[: MOST_DROPPED - len(self.dropped)]
        if not checked.passed:
            return []
        claim, quotes = checked.claim, checked.quotes
        if checked.skipped is not None and checked.skipped not in self.skipped:
            self.skipped.append(checked.skipped)
        lines = claim.gap.count("\n")
        gap = "" if not self.text else "\n\n" if lines > 1 else "\n" if lines else " "
        claim_start = len(self.text) + len(gap)
        claim_end = claim_start + len(claim.text)
        piece, places = f"{gap}{claim.text} ", {}
        for number in dict.fromkeys(quote.source.number for quote in quotes):
            start = len(self.text) + len(piece)
            piece += f"[{number}]"
            places[number] = (start, len(self.text) + len(piece))
        self.text += piece
        made = [_citation(quote, places[quote.source.number], (claim_start, claim_end)) for quote in quotes]
        self.citations += made
        return [DeltaEvent(piece), *map(CitationEvent, made)]


def _citation(quote: Quote, marker: tuple[int, int], claim: tuple[int, int]) -> AnswerCitation:
    hit = quote.source.hit
    return AnswerCitation(
        number=quote.source.number,
        chunk_id=quote.chunk.id,
        paper_id=quote.chunk.paper_id,
        paper_title=hit.paper.title,
        section_path=hit.section.path,
        url=url_of(quote.source),
        file=file_of(quote.source),
        page=quote.chunk.start_page,
        quote=quote.text,
        start=quote.start,
        end=quote.end,
        answer_start=marker[0],
        answer_end=marker[1],
        claim_start=claim[0],
        claim_end=claim[1],
    )
