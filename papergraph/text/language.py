"""Language of a text: a question, a sentence, or a paper.

English is recognised by its function words, which takes microseconds. Other texts go to py3langid, whose model of 80 MB
is loaded on first use. Its result is accepted if it is confident, or if function words or letters of that language
agree.

Sources: Grefenstette 1995, Comparing two language identification schemes (small words); Lui and Baldwin 2012,
langid.py.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

ENGLISH = "en"
NAMES: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque",
    "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ka": "Georgian", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "zh": "Chinese",
}  # fmt: skip
"""English name of each language that is recognised, by its ISO 639-1 code."""

_SCRIPTS: Mapping[str, str] = {
    "el": "\u0370-\u03ff", "he": "\u0590-\u05ff", "hi": "\u0900-\u097f", "ja": "\u3040-\u30ff\u3400-\u9fff",
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
_SURE = 0.9
"""Probability from which on the model's verdict counts. On 5,600 English questions, titles and groups of keywords it
named another language once, for a German title."""

_LEAST_SHARE, _SHARE_OF_ENGLISH = 0.15, 0.25
"""Least share of function words in a text: with the model's result, and for English without it."""

_LEAST_LETTERS = 0.4
"""Of a text's letters that are those of a language."""

_FEWEST_WORDS_OF_ENGLISH, _MOST_ACCENTED = 2, 0.05
"""Different function words that an English text has at least, and the share of its words that may have accents."""

_FEWEST_KEYWORDS = 4
"""Words without any function word: fewer, of the letters a to z, say nothing certain of their language."""

_FUNCTION_WORDS_OF_OTHERS = frozenset[str]().union(*_FUNCTION_WORDS.values()) - _FUNCTION_WORDS[ENGLISH]
N_SAMPLES, SAMPLE_CHARS = 8, 500
"""Passages of a paper that are looked at, and how much of each."""


def function_words_of(language: str) -> frozenset[str]:
    """Return function words of a language in lower case; empty for a language without a list."""
    return _FUNCTION_WORDS.get(language, frozenset())


@lru_cache(maxsize=4096)
def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; None if it is uncertain or missing in :data:`NAMES`.

    Args:
        text: A sentence or a question.
    """
    return _told(text)


def language_of_passages(texts: Sequence[str]) -> str | None:
    """Return the language that most of a paper's text is in, as :func:`language_of` does.

    Args:
        texts: Its passages in order, without lists of references; eight of them, evenly spread, are looked at.
    """
    n = len(texts)
    places = sorted({number * n // N_SAMPLES for number in range(N_SAMPLES)}) if n else []
    return _told("\n".join(texts[place][:SAMPLE_CHARS] for place in places))


_CITED = re.compile(r"\bet\s+al\b\.?|\b(?:in vivo|in vitro|de novo|per se|a priori|via)\b", re.IGNORECASE)
"""Latin words of English papers, which are function words of other languages."""


def _told(text: str) -> str | None:
    text = _CITED.sub(" ", text)
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    if not words:
        return None
    if _is_english(words):
        return ENGLISH
    if len(words) < _FEWEST_KEYWORDS and "".join(words).isascii() and _FUNCTION_WORDS_OF_OTHERS.isdisjoint(words):
        return None
    language, probability = _identifier().classify(text)
    if probability >= _SURE or _share(words, str(language)) >= _LEAST_SHARE or _is_written_in(text, str(language)):
        return str(language)
    return None


def _is_english(words: Sequence[str]) -> bool:
    found = [word for word in words if word in _FUNCTION_WORDS[ENGLISH]]
    n_accented = sum(not word.isascii() for word in words)
    return (
        len(set(found)) >= _FEWEST_WORDS_OF_ENGLISH
        and len(found) / len(words) >= _SHARE_OF_ENGLISH
        and n_accented / len(words) <= _MOST_ACCENTED
    )


def _share(words: Sequence[str], language: str) -> float:
    return sum(word in function_words_of(language) for word in words) / len(words)


def _is_written_in(text: str, language: str) -> bool:
    if (letters := _LETTERS.get(language)) is None:
        return False
    return len(letters.findall(text)) > _LEAST_LETTERS * sum(map(str.isalpha, text))


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(NAMES))
    return identifier
