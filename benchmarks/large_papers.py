"""Papers as large benchmarks write them: of any number, made faster than they can be written, resembling real ones.

Words and lengths of chunks are those of real texts, vectors are drawn as :mod:`benchmarks.realistic` fits them. A paper
is made as the parser and the chunker would make it, without either: they would take longer than the writer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.filters import SHARES
from benchmarks.realistic import Mixture, RealTexts
from ingest.chunkers import ChunkOptions, ChunkSpan
from ingest.graph.paper_sources import source_of
from ingest.graph.rows import PaperKey, build, config_hash
from ingest.graph.writer import MakeRows, PaperUpsert
from ingest.parsers.document import CitedAt, Document, HeadingSource, ParsedSection, Reference
from ingest.sources import Format, RawDocument
from papergraph.embedding import Floats, PackagedModel
from schema.ids import DEFAULT_COLLECTION, sha256

SMALL = "small"
"""The collection with a hundredth of the papers."""

N_SURNAMES, TOKENS_PER_WORD = 20_000, 1.35
SECTIONS, MEDIAN_CHUNKS, SPREAD = (5, 12), 2.5, 0.7
"""Sections of a paper, fewest and most; chunks of a section, median and standard deviation of the logarithm."""

REFERENCES, CITED_HERE = 12, 3
"""Entries of a list of references, and how many of them are papers of the store."""

PAPERS_AT_ONCE = 64


class LargePapers:
    """Drawn papers, the same ones for the same seed."""

    def __init__(self, texts: RealTexts, mixture: Mixture, *, seed: int) -> None:
        self._texts, self._mixture = texts, mixture
        self._random = np.random.default_rng(seed)
        self._words = np.array(texts.words, dtype=object)
        self._weights = np.cumsum(texts.counts / texts.counts.sum())
        self._surnames = [
            bytes(row).decode().capitalize()
            for row in self._random.integers(97, 123, size=(N_SURNAMES, 7), dtype=np.uint8)
        ]
        self._titles: dict[str, list[str]] = {DEFAULT_COLLECTION: [], SMALL: []}
        self._card, self._options = PackagedModel().card, ChunkOptions()
        self._seed, self._number = seed, 0

    def groups(self) -> Iterator[list["LargePaper"]]:
        """Yield papers as many at a time as their vectors are drawn, all of one collection."""
        while True:
            collection = SMALL if self._number // PAPERS_AT_ONCE % 100 == 50 else DEFAULT_COLLECTION
            shapes = [self._sections() for _ in range(PAPERS_AT_ONCE)]
            sizes = [1 + sum(shape) for shape in shapes]
            vectors = self._mixture.draw(sizes, self._random)
            ends = np.cumsum(sizes)
            yield [
                self._paper(collection, shape, vectors[end - size : end])
                for shape, size, end in zip(shapes, sizes, ends, strict=True)
            ]

    def _sections(self) -> list[int]:
        """Return the number of chunks of each section of a paper."""
        n = self._random.integers(*SECTIONS, endpoint=True)
        drawn = self._random.lognormal(np.log(MEDIAN_CHUNKS), SPREAD, n).round()
        return [max(1, int(one)) for one in drawn]

    def _drawn(self, n_words: int) -> list[str]:
        places = np.searchsorted(self._weights, self._random.random(n_words))
        return list(self._words[np.minimum(places, len(self._words) - 1)])

    def _paper(self, collection: str, shape: list[int], vectors: Floats) -> "LargePaper":
        number, self._number = self._number, self._number + 1
        lengths = self._random.choice(self._texts.lengths, sum(shape))
        words = self._drawn(int(lengths.sum()) + 10 + 4 * len(shape))
        title = f"{' '.join(words[:10])} {self._seed}-{number}"
        references = self._references(collection)
        cited_in = dict(zip(self._random.integers(0, sum(shape), len(references)).tolist(), range(99), strict=False))
        text, sections, spans, cited = title + "\n\n", [], [], []
        used, chunk = 10, 0
        for section, n_chunks in enumerate(shape):
            heading = " ".join(words[used : used + 4])
            used += 4
            text += f"{heading}\n\n"
            start = len(text)
            for _ in range(n_chunks):
                n_words = int(lengths[chunk])
                body = " ".join(words[used : used + n_words])
                used += n_words
                begin = len(text)
                if chunk in cited_in:
                    mark = f" [{cited_in[chunk] + 1}]"
                    cited.append(CitedAt(begin + len(body) + 1, begin + len(body) + len(mark), cited_in[chunk]))
                    body += mark
                text += body + "\n\n"
                n_tokens = int(TOKENS_PER_WORD * n_words)
                span = ChunkSpan(section, begin, begin + len(body), body, heading, n_tokens, n_read=n_tokens)
                spans.append(span)
                chunk += 1
            sections.append(ParsedSection(heading, 1, "body" if section else "abstract", None, start, len(text)))
        shares = {name: self._random.random() < share for name, share in SHARES.items()}
        surnames = np.minimum(self._random.zipf(1.5, size=3), N_SURNAMES) - 1
        name = f"/drawn/{collection}/{self._seed}-{number}.md"
        source = RawDocument(name, b"", Format.MARKDOWN, sha256(text))
        document = Document(
            key=source.key,
            title=title,
            abstract=text[sections[0].start : sections[0].end].strip(),
            authors=tuple(f"Ada {self._surnames[place]}" for place in dict.fromkeys(surnames.tolist())),
            year=2000 + number % 25,
            doi=None,
            arxiv_id=None,
            categories=tuple(name for name, passes in shares.items() if passes),
            license=None,
            text=text,
            format=Format.MARKDOWN,
            sections=tuple(sections),
            heading_source=HeadingSource.MARKUP,
            n_body_chars=sum(len(span.text) for span in spans),
            references=references,
            cited_at=tuple(cited),
        )
        self._titles[collection].append(title)
        card, options = self._card, self._options

        def make_rows(key: str) -> Any:
            return build(source, document, spans, list(vectors), PaperKey(collection, key), card, options)

        stated = source_of(source, document, config=config_hash(card, options))
        return LargePaper(PaperUpsert(collection, stated, len(spans)), make_rows, vectors[1:], shares)

    def _references(self, collection: str) -> tuple[Reference, ...]:
        """Return a list of references: works of elsewhere, and papers of the collection, older ones more often."""
        known = self._titles[collection]
        n_here = min(CITED_HERE, len(known))
        places = {int(len(known) * self._random.random() ** 2) for _ in range(n_here)}
        titles = [known[place] for place in places]
        titles += [" ".join(self._drawn(9)) for _ in range(REFERENCES - len(titles))]
        return tuple(
            Reference(str(number + 1), f"Ada Somebody. {title}. 2001.", title, ("Ada Somebody",), 2001)
            for number, title in enumerate(titles)
        )


class LargePaper:
    """A paper that is ready to be written.

    Attributes:
        arrival: What the writer is told of it.
        make_rows: Makes its rows.
        vectors: Of its chunks, shape (n, d).
        shares: Which of the categories of ``benchmarks.filters.SHARES`` it has.
    """

    def __init__(self, arrival: PaperUpsert, make_rows: MakeRows, vectors: Floats, shares: Mapping[str, bool]) -> None:
        self.arrival, self.make_rows, self.vectors, self.shares = arrival, make_rows, vectors, shares
