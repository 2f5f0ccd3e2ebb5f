"""What a text explains in brackets."""

import pytest

from papergraph.ingest.enrichments.entities.term_extraction import abbreviations, is_acronym


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("We train a convolutional neural network (CNN) on it.", "CNN", "convolutional neural network"),
        ("Convolutional neural networks ( CNNs ) are common.", "CNNs", "Convolutional neural networks"),
        ("using Global Vectors (GloVe) for words", "GloVe", "Global Vectors"),
        ("the mean average precision (mAP; higher is better)", "mAP", "mean average precision"),
        ("of part-of-speech (POS) tags", "POS", "part-of-speech"),
        ("We use QAOA (quantum approximate optimization algorithm) here", "QAOA", None),
        ("a long-range interaction.\nThe heat shock protein (HSP) binds", "HSP", "heat shock protein"),
        ("natural language\n  inference (NLI)", "NLI", "natural language inference"),
    ],
)
def test_a_short_form_is_found_with_its_long_form(text, short, long):
    (found,) = abbreviations(text)

    assert found.short == short
    assert found.long == (long or "quantum approximate optimization algorithm")
    assert text[found.start :].split("(")[0].strip().split()[0] == (found.long if long else short).split()[0]


@pytest.mark.parametrize(
    "text",
    [
        "as others did (More), and we (Table 2) as well",
        "in recent work (Metric) and (see Section 3)",
        "the third case (III) of it",
        "Smith and others (2018) found it",
        "an answer (yes) and a bracket (not closed",
        "the error of the function (XYZ) grows",
        "end of a sentence. (CNN)",
        "()",
        "",
    ],
)
def test_other_brackets_explain_nothing(text):
    assert abbreviations(text) == []


def test_each_pair_is_told_once_and_another_long_form_beside_it():
    text = "machine translation (MT), later machine translation (MT), and mean time (MT)"

    assert [(found.short, found.long) for found in abbreviations(text)] == [
        ("MT", "machine translation"),
        ("MT", "mean time"),
    ]


def test_a_long_text_of_brackets_takes_no_time():
    assert abbreviations("(A" * 5_000 + "a b (XY) " * 5_000) == []


def test_the_shape_of_acronyms():
    assert all(map(is_acronym, ["CNN", "GANs", "F1", "mAP", "k-NN", "VGG 16", "BiLSTM"]))
    assert not any(map(is_acronym, ["More", "Table", "2018", "II", "A", "a b", "accuracy", "Method"]))
