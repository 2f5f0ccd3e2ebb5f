"""The language of a short text: by its script, then by its function words.

Function words are a fifth of running text in each of these languages, and few of them are shared, so a sentence of
eight words is enough. Other languages written in Latin letters are not recognised: the result is None then.

Source: Grefenstette 1995, Comparing two language identification schemes (small words).
"""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

ENGLISH = "en"
NAMES: Mapping[str, str] = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "zh": "Chinese",
}  # fmt: skip
"""English name of each language that is recognised, by its ISO 639-1 code."""

_SCRIPTS: Mapping[str, str] = {
    "ar": "\u0600-\u06ff", "el": "\u0370-\u03ff", "he": "\u0590-\u05ff", "hi": "\u0900-\u097f", "ja": "\u3040-\u30ff",
    "ko": "\uac00-\ud7af", "ru": "\u0400-\u04ff", "th": "\u0e00-\u0e7f", "zh": "\u3400-\u9fff",
}  # fmt: skip
_LETTERS = {language: re.compile(f"[{letters}]") for language, letters in _SCRIPTS.items()}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is are was were that which what how why who does do did for with as by on from "
        "this these those it its be been has have had not or at an a than between when where can we they "
        "their there into about many much used use",
        "de": "der die das den dem des ein eine einer eines einem einen und oder ist sind war waren wird werden "
        "wurde wurden nicht mit von zu zum zur für auf bei wie was wer welche welcher welches warum wo wann "
        "im am es sich auch als durch aus nach über hat haben man kann viele",
        "fr": "le la les un une des du de et ou est sont était étaient qui que quel quelle quels quelles comment "
        "pourquoi dans pour par sur avec ne pas plus ce cette ces il elle ils elles au aux se son sa ses à "
        "d'un d'une combien où l'on été",
        "es": "el la los las un una unos unas de del y o es son fue fueron que qué cuál cuáles cómo por para con "
        "en no se su sus al lo más como cuántos cuántas quién dónde está están este esta estos ha han",
        "it": "il lo la i gli le un uno una di del della dei delle degli e o è sono era che chi quale quali come "
        "perché per con in non si su al alla nel nella da dal dalla più quanti quante questo questa ha "
        "hanno viene",
        "pt": "o a os as um uma uns umas de do da dos das e ou é são foi foram que qual quais como por para com "
        "em no na nos nas não se seu sua ao à mais quantos quantas quem onde está este esta isso tem",
        "nl": "de het een van en of is zijn was waren wordt worden werd niet met voor op bij hoe wat wie welke "
        "waarom waar in aan dat die dit deze te door uit naar als ook er heeft hebben hoeveel",
        "sv": "en ett och eller är var den det de som att på av för med inte hur vad vem vilka vilken varför när "
        "i till från om har hade kan många",
        "pl": "i w z na do nie się jest są był była było które który która jak co kto dlaczego gdzie czy od po "
        "przez dla o ile to tego oraz",
        "tr": "ve bir bu da de ile için mi mı mu mü ne nasıl neden kim hangi kaç olarak olan değil daha çok göre var",
    }.items()
}
_LEAST_SHARE = 0.15
"""Of a text's words that are function words of a language; English titles without any have none of another either."""


def function_words_of(language: str) -> frozenset[str]:
    """Return function words of a language in small letters; none of one that is told by its script."""
    return _FUNCTION_WORDS.get(language, frozenset())


@lru_cache(maxsize=4096)
def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language, None where its words do not tell.

    Args:
        text: A sentence or a question. Japanese is told from Chinese by its syllables, which every sentence has.
    """
    n_letters = sum(map(str.isalpha, text))
    in_scripts = {language: len(letters.findall(text)) for language, letters in _LETTERS.items()}
    if in_scripts["ja"] > 0.1 * n_letters and in_scripts["ja"] >= 2:
        return "ja"
    language, n = max(in_scripts.items(), key=lambda item: item[1])
    if n > 0.4 * n_letters and n >= 2:
        return language
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    counts = Counter(
        {language: sum(word in function for word in words) for language, function in _FUNCTION_WORDS.items()}
    )
    best = max(counts.values())
    if not words or best == 0 or best / len(words) < _LEAST_SHARE:
        return None
    first = [language for language, count in counts.items() if count == best]
    return first[0] if len(first) == 1 else ENGLISH if ENGLISH in first else None
