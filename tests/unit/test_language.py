"""The language of sentences and questions."""

import pytest

from papergraph.text.language import language_of


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
        ("Approximate nearest neighbour search", None),
        ("x1 = 5", None),
    ],
)
def test_function_words_and_scripts_tell_the_language(text: str, language: str | None):
    assert language_of(text) == language
