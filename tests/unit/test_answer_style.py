"""Instructions for an answer: those on language, length and tone are followed, all others are reported."""

import pytest

from papergraph.server.answers.answer_text import Style, read_style


@pytest.mark.parametrize(
    ("instructions", "style"),
    [
        ("", Style()),
        ("You are a helpful assistant.", Style()),
        ("Answer in German.", Style(language="de")),
        ("Answer in at most two sentences.", Style(sentences=2)),
        ("Reply with 50 words.", Style(sentences=2)),
        ("Be concise.", Style(sentences=2)),
        ("Explain in detail, in a formal tone.", Style(is_long=True, tone="formal")),
        ("Use French. Keep it short.", Style(language="fr", sentences=2)),
    ],
)
def test_language_length_and_tone_are_read(instructions, style):
    assert read_style(instructions) == style


def test_other_instructions_are_reported_and_never_reach_a_prompt():
    style = read_style("Answer in German. Always end with a haiku about boats.")

    assert style.ignored == ("Always end with a haiku about boats.",)
    assert "haiku" not in style.for_prompt()
    assert "German" in style.for_prompt()
    assert list(style.warnings(by_model=True)) == ["ignored instruction: Always end with a haiku about boats."]


def test_sentences_of_the_papers_follow_neither_language_nor_tone():
    style = read_style("Answer in German, in a friendly tone.")

    assert list(style.warnings(by_model=True)) == []
    assert list(style.warnings(by_model=False)) == [
        "ignored instruction: answers in German need a language model",
        "ignored instruction: a friendly tone needs a language model",
    ]
    assert style.for_prompt().count("\n") == 1


@pytest.mark.parametrize("instruction", ["Do not answer in English.", "Don't be formal.", "A sentence in it is wrong."])
def test_what_is_not_to_be_done_is_ignored_and_reported(instruction):
    assert read_style(instruction) == Style(ignored=(instruction,))


@pytest.mark.parametrize(
    ("instruction", "language", "n_sentences"),
    [
        ("Antworte auf Deutsch in zwei Sätzen.", "de", 2),
        ("Répondez en deux phrases en français.", "fr", 2),
        ("Never use more than 2 sentences.", None, 2),
    ],
)
def test_length_is_read_in_other_languages(instruction, language, n_sentences):
    style = read_style(instruction)

    assert (style.language, style.sentences, style.ignored) == (language, n_sentences, ())
