"""Highlights of a passage: terms as the full-text index has them, and the best sentence."""

from papergraph.server.answers.quotes import Highlight, HighlightKind, highlights_of, index_term

PASSAGE = (
    "Quantum annealers are devices. Tabu search's tenure beats annealing on dense instances, e.g. 3.14 of them. "
    "Nothing else was searched."
)


def marked(passage: str, query: str, weights: dict[str, float] | None = None) -> dict[HighlightKind, list[str]]:
    found: dict[HighlightKind, list[str]] = {kind: [] for kind in HighlightKind}
    for one in highlights_of(passage, query, weights):
        found[one.kind].append(passage[one.start : one.end])
    return found


def test_terms_are_words_of_one_stem_and_the_best_sentence_has_most_of_them():
    found = marked(PASSAGE, "Is tabu search better than annealing on dense problems?")

    assert found[HighlightKind.TERM] == ["annealers", "Tabu", "search's", "annealing", "dense", "searched"]
    assert found[HighlightKind.BEST_SENTENCE] == [
        "Tabu search's tenure beats annealing on dense instances, e.g. 3.14 of them."
    ]


def test_question_words_and_stop_words_are_not_marked():
    assert highlights_of("This is better than that, and how it was done is there.", "How is it than that?") == []


def test_a_rare_word_outweighs_common_ones():
    passage = "Search methods for instances. The tenure."

    assert marked(passage, "search instances tenure", {"search": 0.1, "instanc": 0.1, "tenur": 5.0})[
        HighlightKind.BEST_SENTENCE
    ] == ["The tenure."]


def test_offsets_count_characters_beyond_the_basic_plane():
    passage = "𝒜𝒷 qubits."

    assert highlights_of(passage, "qubit")[-1] == Highlight(3, 9, HighlightKind.TERM)
    assert highlights_of(passage, "qubit")[0] == Highlight(0, 10, HighlightKind.BEST_SENTENCE)


def test_ideographs_are_terms_each():
    assert marked("量子计算很快。", "量子")[HighlightKind.TERM] == ["量", "子"]


def test_a_passage_without_any_term_has_no_highlights():
    assert highlights_of("Something else.", "annealing") == []


def test_terms_are_those_of_porter():
    words = "qubits annealing running generalization possibly ponies caresses relational the it's 1990s"

    terms = [index_term(word) for word in words.split()]

    expected = ["qubit", "anneal", "run", "gener", "possibli", "poni", "caress", "relat", None, None, "1990"]
    assert terms == expected
