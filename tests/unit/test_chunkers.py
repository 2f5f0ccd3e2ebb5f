"""Every way of cutting gives the source to the letter, holds its limits, and loses nothing but what was cleaned."""

import hashlib
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core.node_parser import HierarchicalNodeParser, MarkdownNodeParser, SentenceSplitter
from llama_index.core.schema import Document as LlamaDocument

from papergraph.embedding import Floats, ModelCard, encode_whole
from papergraph.errors import InputError, SourceError
from papergraph.ingest.chunkers import Chunker, ChunkOptions, ChunkSpan, chunkers
from papergraph.ingest.chunkers.chunker import BACK_MATTER, Packer
from papergraph.ingest.chunkers.options import PARENT_FACTORS, Unit
from papergraph.ingest.graph.rows import body_coverage
from papergraph.ingest.parsers import Document, parse
from papergraph.ingest.parsers.document import Element, ElementKind
from papergraph.ingest.sources import Format, RawDocument, format_of
from papergraph.text.sentences import sentence_starts, sentences
from tests.support.chunking import TEXTS, n_tokens, tokenizer

SAMPLES = sorted(Path("ingest/samples").iterdir())
SECTIONS = "# Paper\n\n## Method\n\n{}\n\n## References\n\n[1] A. Author, B.\n\n## Acknowledgments\n\nThanks.\n"


def read(path: Path) -> Document:
    return parse(RawDocument(str(path.absolute()), path.read_bytes(), format_of(path.name) or "", "0" * 64))


def document_of(text: str, *, markdown: bool = True) -> Document:
    form = Format.MARKDOWN if markdown else Format.TEXT
    return parse(RawDocument("/papers/a.md", text.encode(), form, "0" * 64))


@cache
def chunker_of(options: ChunkOptions) -> Chunker:
    return Chunker(tokenizer(), options, longest_read=256)


def cut(document: Document, options: ChunkOptions) -> list[ChunkSpan]:
    return list(chunker_of(options).chunks(document))


def assert_cut_well(document: Document, spans: list[ChunkSpan], options: ChunkOptions) -> None:
    chunks = [span for span in spans if span.level == 0]
    assert_hierarchy(document, spans, options)
    assert [(chunk.section, chunk.start) for chunk in chunks] == sorted((c.section, c.start) for c in chunks)
    for chunk in chunks:
        assert_in_its_section(document, chunk, options)
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip() == chunk.text
        assert chunk.n_tokens == n_tokens(chunk.text)
        if options.max_tokens is not None:
            assert chunk.n_tokens <= options.max_tokens
        if options.max_chars is not None:
            assert len(chunk.text) <= options.max_chars
    for number, section in enumerate(document.sections):
        if options.drop_back_matter and section.kind in BACK_MATTER:
            assert not any(chunk.section == number for chunk in chunks)
            continue
        mine = [c for c in chunks if c.section == number or options.across_headings]
        covered = {place for c in mine for place in range(c.start, c.end)}
        left_out = {document.text[place] for place in range(section.start, section.end) if place not in covered}
        assert all(character.isspace() or (character == "." and options.trim_stops) for character in left_out)


def assert_in_its_section(document: Document, span: ChunkSpan, options: ChunkOptions) -> None:
    """A chunk begins in its section and ends there, or in one of the sections of its kind that follow."""
    section = document.sections[span.section]
    assert section.start <= span.start < section.end
    passed = [one for one in document.sections[span.section :] if one.start < span.end]
    assert span.end <= passed[-1].end
    assert {one.kind for one in passed} == {section.kind}
    assert len(passed) == 1 or options.across_headings


def assert_hierarchy(document: Document, spans: list[ChunkSpan], options: ChunkOptions) -> None:
    """Chunks come first, and each has one parent at every level, which holds it; there are no other parents."""
    assert [span.level for span in spans] == sorted(span.level for span in spans)
    tallest = len(PARENT_FACTORS) if options.method.hierarchical else 0
    for span in spans:
        assert (span.parent is None) == (span.level == tallest)
        assert span.text == document.text[span.start : span.end]
        assert span.has_vector == (span.level == 0 or options.embed_parents)
        if span.parent is not None:
            parent = spans[span.parent]
            assert parent.level == span.level + 1
            assert parent.section == span.section or (options.across_headings and parent.section < span.section)
            assert parent.start <= span.start < span.end <= parent.end
        if span.level > 0:
            assert n_tokens(span.text) == span.n_tokens <= PARENT_FACTORS[span.level - 1] * (options.max_tokens or 0)
    parents = {number for number, span in enumerate(spans) if span.level > 0}
    assert parents == {span.parent for span in spans} - {None}


@pytest.mark.slow
@pytest.mark.parametrize("name", chunkers())
def test_the_sample_papers_are_cut_well_by_every_chunker(name):
    options = ChunkOptions(chunker=name)
    for path in SAMPLES:
        document = read(path)

        chunks = cut(document, options)

        assert_cut_well(document, chunks, options)
        assert body_coverage(document, chunks, options) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", chunkers())
def test_all_real_documents_that_parse_are_cut_well_by_every_chunker(name, data_folder):
    n_cut = 0
    options = ChunkOptions(chunker=name, drop_back_matter=True)
    for path in sorted((data_folder / "parsing").rglob("*")):
        if format_of(path.name) is None:
            continue
        try:
            document = _parsed(path)
        except SourceError:
            continue
        assert_cut_well(document, cut(document, options), options)
        n_cut += 1

    assert n_cut >= 5


@cache
def _parsed(path: Path) -> Document:
    return read(path)


SMALL = [
    ChunkOptions(8, 0, "sentence"),
    ChunkOptions(16, 6, "sentence"),
    ChunkOptions(9, 4, "tokens256"),
    ChunkOptions(12, 0, "markdown"),
    ChunkOptions(8, 0, "hierarchical", embed_parents=True),
    ChunkOptions(16, 5, "hierarchical", drop_back_matter=True),
    ChunkOptions(chunker="topic", max_chars=50, overlap_chars=20),
    ChunkOptions(16, chunker="quim", overlap_chars=10, trim_stops=False),
    ChunkOptions(64, 16, "sentence", drop_back_matter=True, mask_urls=True),
]


@settings(deadline=None)
@given(text=TEXTS, options=st.sampled_from(SMALL), markdown=st.booleans())
def test_any_text_is_cut_well_by_every_chunker(text, options, markdown):
    document = document_of(text, markdown=markdown)

    assert_cut_well(document, cut(document, options), options)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "overlap"), [(64, 0), (64, 20), (128, 20), (512, 20), (512, 100)])
def test_whole_sentences_are_packed_as_llama_index_packs_them(size, overlap):
    packer = Packer(tokenizer(), Unit.SENTENCE, Unit.SENTENCE, max_tokens=size, overlap_tokens=overlap)
    theirs = SentenceSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        tokenizer=lambda text: tokenizer().encode(text, add_special_tokens=False).ids,
        chunking_tokenizer_fn=sentences,
        paragraph_separator="\x00",  # there is none: paragraphs are no units of their own
    )
    n_compared = 0
    for document in map(read, SAMPLES):
        for section in document.sections:
            text = document.text[section.start : section.end]
            if all(n_tokens(sentence) <= size for sentence in sentences(text)):  # else they cut after commas first
                assert [piece.strip() for _, piece in packer.chunk_indices(text) if piece.strip()] == [
                    piece for piece in theirs.split_text(text) if piece
                ]
                n_compared += 1

    assert n_compared > 80


def test_a_hierarchy_is_the_one_of_llama_index():
    def splitter(size: int) -> SentenceSplitter:
        return SentenceSplitter(
            chunk_size=size,
            chunk_overlap=0,
            tokenizer=lambda text: tokenizer().encode(text, add_special_tokens=False).ids,
            chunking_tokenizer_fn=sentences,
            paragraph_separator="\x00",
        )

    sizes = [512, 128, 32]
    theirs = HierarchicalNodeParser.from_defaults(
        node_parser_ids=[str(size) for size in sizes], node_parser_map={str(size): splitter(size) for size in sizes}
    )
    n_compared = 0
    for document in map(read, SAMPLES):
        spans = cut(document, ChunkOptions(32, 0, "hierarchical", trim_stops=False, across_headings=False))
        for number, section in enumerate(document.sections):
            text = document.text[section.start : section.end]
            if not text.strip() or any(n_tokens(sentence) > 32 for sentence in sentences(text)):
                continue
            if any(section.start <= element.start < section.end for element in document.elements):
                continue  # they know no tables
            nodes = theirs.get_nodes_from_documents([LlamaDocument(text=text)])
            heights = {node.node_id: node for node in nodes}
            of_nodes = [(n.text, n.parent_node and heights[n.parent_node.node_id].text) for n in nodes]
            ours = [span for span in spans if span.section == number]
            assert sorted(map(str, of_nodes)) == sorted(
                str((span.text, None if span.parent is None else spans[span.parent].text)) for span in ours
            )
            n_compared += 1

    assert n_compared >= 3


SIX_SECTIONS = "# Paper\n\n" + "".join(
    f"## Part {part}\n\n" + " ".join(f"Word{number} is one of part {part}." for number in range(20)) + "\n\n"
    for part in range(6)
)
"""Six sections of one kind, each of some 200 tokens."""


@pytest.mark.parametrize("name", ["sentence", "quim", "tokens256", "hierarchical"])
def test_chunks_of_methods_named_by_their_size_run_on_over_headings(name):
    document = document_of(SIX_SECTIONS)

    over, within = (cut(document, ChunkOptions(chunker=name, across_headings=across)) for across in (None, False))

    assert max(span.n_tokens for span in over) > max(span.n_tokens for span in within)
    assert any("## Part 1" in span.text for span in over)
    assert not any("## Part" in span.text for span in within)
    assert {span.section for span in over} <= {span.section for span in within}


def test_no_chunk_runs_from_the_text_into_the_list_of_references():
    document = document_of(f"{SIX_SECTIONS}## References\n\n- Bates, D. (2015). A list that nobody cites. Journal.\n")

    spans = cut(document, ChunkOptions(chunker="sentence"))

    (last,) = [span for span in spans if "Bates" in span.text]
    assert "Word" not in last.text
    assert not any("## References" in span.text for span in spans)


@pytest.mark.parametrize("every", [1000, 30])
def test_a_chunk_stands_below_one_parent_of_512_and_one_of_2048_tokens_also_across_headings(every: int):
    text = "# Paper\n\n" + " ".join(
        f"Word{number} is one." + f"\n\n## Part {number}\n\n" * (number % every == every - 1) for number in range(700)
    )

    spans = cut(document_of(text), ChunkOptions(chunker="hierarchical"))

    assert_hierarchy(document_of(text), spans, ChunkOptions(chunker="hierarchical"))
    assert any("## Part" in span.text for span in spans) == (every < 700)

    levels = [[span for span in spans if span.level == level] for level in range(3)]
    assert [max(span.n_tokens for span in level) // 10 for level in levels] == [12, 51, 204]
    assert [len(level) for level in levels[1:]] == [len({span.parent for span in level}) for level in levels[:2]]


def test_a_parent_holds_a_table_whole_where_it_can_and_the_table_is_a_chunk_of_its_own_kind():
    table = "| a. B | c |\n|---|---|\n| D. E | f |\n"
    text = f"One two three. Four five six. {table}Seven eight nine. Ten eleven twelve."
    start = text.index("|")
    document = replace(
        document_of(text, markdown=False), elements=(Element(ElementKind.TABLE, start, start + len(table)),)
    )

    spans = cut(document, ChunkOptions(12, 0, "hierarchical"))

    (of_table,) = {span.parent for span in spans if span.element is ElementKind.TABLE}
    assert table.strip() in spans[of_table].text
    assert " ".join(span.text for span in spans if span.element is not None).split() == table.split()
    assert all(span.element is None for span in spans if span.level > 0)


def test_only_a_hierarchy_has_parents_to_embed():
    with pytest.raises(InputError, match=r"sentence has no parent chunks to embed\. Choose the chunker hierarchical"):
        ChunkOptions(chunker="sentence", embed_parents=True)


def test_sections_are_what_llama_index_finds_below_markdown_headings():
    for path in (path for path in SAMPLES if path.suffix == ".md"):
        document = read(path)
        title_and_below = document.text[document.text.index("# ") :]

        nodes = MarkdownNodeParser.from_defaults().get_nodes_from_documents([LlamaDocument(text=title_and_below)])

        theirs = [node.get_content().partition("\n")[2].strip() for node in nodes]
        ours = [document.text[section.start : section.end].strip() for section in document.sections]
        assert [text for text in theirs if text] == [text for text in ours if text]
        with_elements = {
            number
            for number, section in enumerate(document.sections)
            if any(section.start <= element.start < section.end for element in document.elements)
        }
        chunks = cut(document, ChunkOptions(chunker="markdown", trim_stops=False))
        whole = [text for number, text in enumerate(ours) if text and number not in with_elements]
        assert whole == [chunk.text for chunk in chunks if chunk.section not in with_elements]


def test_text_that_repeats_itself_keeps_its_places():
    text = "The same again. " * 60

    pieces = Packer(tokenizer(), Unit.SENTENCE, Unit.SENTENCE, max_tokens=12, overlap_tokens=4).chunk_indices(text)

    assert [start for start, _ in pieces] == [32 * number for number in range(29)] + [928]
    assert all(text[start : start + len(piece)] == piece for start, piece in pieces)
    assert pieces[-1][0] + len(pieces[-1][1]) == len(text)


def test_a_chunk_of_sentences_ends_where_a_sentence_ends_and_begins_with_whole_ones_of_the_one_before():
    text = "One two three. Four five six. Seven eight nine. Ten eleven."

    chunks = cut(document_of(text), ChunkOptions(8, 4, "sentence"))

    assert [chunk.text for chunk in chunks] == [
        "One two three. Four five six.",
        "Four five six. Seven eight nine.",
        "Seven eight nine. Ten eleven.",
    ]


def test_topic_cuts_at_500_characters_after_sentences_with_at_most_120_of_overlap():
    document = read(SAMPLES[0])

    chunks = cut(document, ChunkOptions(chunker="topic"))

    ends = set(sentence_starts(document.text)) | {section.end for section in document.sections}
    for chunk in chunks:
        after = chunk.end + len(document.text[chunk.end :]) - len(document.text[chunk.end :].lstrip())
        assert {chunk.end, after} & (ends | {len(document.text)})
        assert not chunk.text.startswith(".")
    overlaps = [max(0, one.end - two.start) for one, two in pairwise(chunks)]
    assert 0 < max(overlaps) <= 120
    assert 450 < max(chunk.end - chunk.start for chunk in chunks) <= 500


def test_quim_begins_with_words_of_the_last_200_characters():
    words = " ".join(f"word{number}" for number in range(2000))

    one, two, *_ = cut(document_of(f"# Paper\n\n{words}"), ChunkOptions(chunker="quim"))

    assert one.n_tokens <= 1000 and 190 <= one.end - two.start <= 200
    assert two.text.startswith("word")


def test_windows_of_tokens_are_filled():
    words = " ".join(f"word{number}" for number in range(2000))

    *chunks, _ = cut(document_of(f"# Paper\n\n{words}"), ChunkOptions(chunker="tokens256"))

    assert all(250 <= chunk.n_tokens <= 256 for chunk in chunks)


def test_markdown_keeps_what_stands_below_a_heading_together():
    document = document_of("# Paper\n\n## A\n\nOne.\n\n- two\n- three\n\n## B\n\nFour.\n")

    assert [chunk.text for chunk in cut(document, ChunkOptions(chunker="markdown"))] == [
        "One.\n\n- two\n- three",
        "Four.",
    ]


# Cleaning


@pytest.mark.parametrize("name", chunkers())
def test_back_matter_is_dropped_on_demand_and_does_not_count_as_lost(name):
    document = document_of(SECTIONS.format("We do it."))
    kept, dropped = ChunkOptions(chunker=name), ChunkOptions(chunker=name, drop_back_matter=True)

    leaves = [chunk.text for chunk in cut(document, kept) if chunk.level == 0]
    assert leaves == ["We do it.", "[1] A. Author, B.", "Thanks."]
    chunks = cut(document, dropped)
    assert {chunk.text for chunk in chunks} == {"We do it."}
    assert body_coverage(document, chunks) < 1.0 == body_coverage(document, chunks, dropped)


def test_urls_are_masked_in_what_is_embedded_and_nowhere_else():
    text = "It is at https://example.org/a_(b).html, see (www.example.org). Ours is not."

    (chunk,) = cut(document_of(f"# Paper\n\n{text}"), ChunkOptions(mask_urls=True))

    assert chunk.text == text
    assert chunk.embedded_text == "Paper\nIt is at [URL], see ([URL]). Ours is not."


@pytest.mark.parametrize("name", chunkers())
def test_a_full_stop_that_a_cut_left_is_trimmed_unless_it_is_wanted(name):
    document = document_of("# Paper\n\n. . So it was. .5 is half.")

    trimmed, *_ = cut(document, ChunkOptions(chunker=name))
    whole, *_ = cut(document, ChunkOptions(chunker=name, trim_stops=False))

    assert (trimmed.text, whole.text) == ("So it was. .5 is half.", ". . So it was. .5 is half.")


# Options


def test_a_wrong_name_is_answered_with_the_nearest_one_and_all_of_them():
    with pytest.raises(InputError, match=r"Did you mean sentence\? Choose one of default, sentence, markdown") as error:
        ChunkOptions(chunker="sentences")
    assert error.value.field == "chunker"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"chunker": "topic", "max_tokens": 100}, "topic has no option max_tokens. Set max_chars"),
        ({"chunker": "sentence", "max_chars": 900}, "sentence has no option max_chars. Set max_tokens"),
        ({"chunker": "quim", "overlap_tokens": 9}, "quim has no option overlap_tokens. Set overlap_chars"),
        ({"chunker": "topic", "max_chars": 49}, "max_chars to at least 50"),
        ({"chunker": "topic", "overlap_chars": 500}, "less than the length of a chunk"),
        ({"chunker": "sentence", "overlap_tokens": -1}, "at least 0"),
    ],
)
def test_what_does_not_go_together_is_refused_with_what_to_do(wrong, told):
    with pytest.raises(InputError, match=told):
        ChunkOptions(**wrong)


def test_sizes_that_are_not_given_are_the_chunkers_own_and_an_overlap_shrinks_with_the_chunk():
    assert (ChunkOptions().max_tokens, ChunkOptions().overlap_tokens) == (192, 32)
    assert ChunkOptions(16).overlap_tokens == 4
    assert ChunkOptions.choose("quim", overlap=50).overlap_chars == 50
    assert ChunkOptions.choose("sentence", overlap=50, max_tokens=100) == ChunkOptions(100, 50, "sentence")


def test_every_chunker_says_where_it_comes_from():
    assert all(method.source for method in chunkers().values())


# Texts that are longer than the model reads


class LastWordEmbedder:
    """Each text gets a direction of its own; what is beyond 16 tokens is not read, as a real model does."""

    card = ModelCard("toy", "ab" * 32, dimension=64, max_tokens=18)
    tokenizer = tokenizer()

    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode_documents(self, texts: list[str]) -> Floats:
        self.seen += texts
        return np.array([self.encode_query(text) for text in texts], dtype=np.float32).reshape(-1, 64)

    def encode_query(self, text: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(64)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def test_a_text_that_the_model_reads_whole_has_the_models_vector():
    embedder = LastWordEmbedder()

    vectors = encode_whole(embedder, ["A short text.", ""])

    assert embedder.seen == ["A short text.", ""]
    assert vectors == pytest.approx(embedder.encode_documents(["A short text.", ""]))


def test_the_vector_of_a_longer_text_is_the_direction_of_the_mean_over_windows_that_are_read_whole():
    embedder = LastWordEmbedder()
    text = " ".join(f"word{number}" for number in range(20))  # 2 tokens each

    (vector,) = encode_whole(embedder, [text])

    assert "".join(embedder.seen) == text
    assert len(embedder.seen) == 3 and all(n_tokens(window) <= 16 for window in embedder.seen)
    mean = np.mean([embedder.encode_query(window) for window in embedder.seen], axis=0)
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(texts=st.lists(TEXTS, max_size=3))
def test_any_text_is_read_whole_in_windows_that_the_model_reads(texts):
    embedder = LastWordEmbedder()

    vectors = encode_whole(embedder, texts)

    assert vectors.shape == (len(texts), 64)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    for text in texts:
        if n_tokens(text) <= 16:
            assert text in embedder.seen
    assert all(n_tokens(window) <= 16 for window in embedder.seen)


def test_a_default_chunk_says_how_much_of_it_the_model_reads():
    text = f"# {'Long title ' * 8}\n\n" + "word " * 1000

    read_in_part, *_ = cut(document_of(text), ChunkOptions(max_tokens=512, overlap_tokens=0))
    read_whole, *_ = cut(document_of(text), ChunkOptions(chunker="sentence"))

    assert (read_in_part.n_tokens, read_in_part.n_read) == (512, 254 - n_tokens(read_in_part.context))
    assert read_whole.n_tokens == read_whole.n_read == 512
