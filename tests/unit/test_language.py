"""The language of sentences and questions."""

import pytest

from papergraph.text.language import NAMES, function_words_of, language_of, language_of_passages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How does the logical error rate of a surface code depend on its distance?", "en"),
        ("Which two optimizers are built into lme4?", "en"),
        ("Wie hängt die logische Fehlerrate vom Abstand des Codes ab?", "de"),
        ("Combien de qubits physiques sont nécessaires pour une distance de 7 ?", "fr"),
        ("¿Cuántos qubits físicos necesita un código de distancia siete?", "es"),
        ("Quanti qubit fisici sono necessari per una distanza di sette?", "it"),
        ("Сколько физических кубитов нужно для кода расстояния семь?", "ru"),
        ("距离为7的表面码需要多少物理量子比特？", "zh"),
        ("距離7の表面符号には物理量子ビットがいくつ必要ですか？", "ja"),
        ("Quants qubits físics calen per a un codi de distància set?", "ca"),
        ("Kolik fyzických qubitů je potřeba pro kód vzdálenosti sedm?", "cs"),
        ("Сколько фізичних кубітів потрібно для коду відстані сім, і чому саме стільки?", "uk"),
        ("چند کیوبیت فیزیکی برای کد با فاصله هفت لازم است؟", "fa"),
        ("Montako fyysistä kubittia tarvitaan etäisyyden seitsemän koodiin?", "fi"),
        ("What is Chikungunya virus?", "en"),
        ("", None),
        ("Approximate nearest neighbour search", None),
        ("x1 = 5", None),
    ],
)
def test_function_words_and_scripts_tell_the_language(text: str, language: str | None):
    assert language_of(text) == language


GERMAN = "Die logische Fehlerrate eines Oberflächencodes sinkt mit seinem Abstand, solange die Fehlerrate klein ist."
ENGLISH = "The logical error rate of a surface code falls with its distance as long as the error rate is small."


def test_a_paper_has_the_language_of_most_of_its_text():
    assert language_of_passages([ENGLISH, *[GERMAN] * 30]) == "de"
    assert language_of_passages([GERMAN, *[ENGLISH] * 30]) == "en"
    assert language_of_passages([GERMAN]) == "de"
    assert language_of_passages([]) is None


def test_each_language_has_a_name_and_function_words_none_or_many():
    assert {len(code) for code in NAMES} == {2}
    assert all(not words or len(words) > 15 for words in map(function_words_of, NAMES))
