"""Queries of full-text indexes."""

import re
from collections.abc import Iterable

from papergraph.schema.ids import collection_term
from papergraph.text.language import ENGLISH, function_words_of, language_of

# Kinds of queries: a question, or a text to search for as a whole


LONGEST_QUESTION = 70
"""Words of a query beyond which it is a text: an abstract to find others like it, not something that is asked."""


def is_text(query: str) -> bool:
    """Say whether a query is a text rather than one or several questions."""
    return len(query.split()) > LONGEST_QUESTION


# A user's words as a query of the full-text index, in which nothing they type is syntax


MOST_PAPERS = 400
"""Papers that a query can name beside its words: each is a clause, and Lucene takes 1,024."""

WORD = re.compile(r"\w+")
MAX_WORDS = 256
FIRST_IDEOGRAPH = "\u2e80"
CONTEXT_WEIGHT = 0.5
"""Weight of titles and headings against the text; docs/design/retrieval.md#full-text-query has figures."""

QUESTION_WORDS = frozenset(
    re.findall(
        r"\w+",
        "about also any been between can could did do does from had has have he her his how i its may me my our she "
        "than there we were what when where which who whom whose why you your",
    )
)
"""English words that make a question and say nothing of its subject, beside those that the index leaves out itself."""

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by for if in into is it no not of on or such that the their then there these they "
        "this to was will with",
    )
)
"""English words that the index leaves out itself: Lucene's ``EnglishAnalyzer.ENGLISH_STOP_WORDS_SET``."""


def fulltext_query(
    text: str, *, collections: Iterable[str], kinds: Iterable[str], paper_ids: Iterable[str] = ()
) -> str | None:
    """Return the query for index ``chunk_text``, or None when ``text`` has no word in it.

    Question words are left out unless the query has no others or they are written in capitals, as names are.

    Collections, kinds of chunks and papers are required terms with weight 0: they narrow the search inside the index
    without changing scores, so that a small collection gets its results.

    Args:
        text: The user's text; any of its first 256 words may match.
        collections: Collections to search.
        kinds: Kinds of chunks, from a closed list.
        paper_ids: At most 400 papers to search; empty for all.
    """
    words = query_words(text)
    if not words:
        return None
    any_word = " ".join(words)
    terms = " ".join(map(collection_term, collections))
    papers = " ".join(map(_quoted, paper_ids))
    return (
        f"+collectionTerm:({terms})^0 +kind:({' '.join(kinds)})^0 {f'+paperId:({papers})^0 ' if papers else ''}"
        f"+(text:({any_word}) context:({any_word})^{CONTEXT_WEIGHT})"
    )


def _quoted(id: str) -> str:
    """Return an id as a phrase, which disables query syntax."""
    return '"' + id.replace("\\", r"\\").replace('"', r"\"") + '"'


def query_words(text: str) -> list[str]:
    """Return the words of a query that say something of its subject, in small letters; all if there are no such.

    Of queries in other languages than English, their function words are left out too.
    """
    language = language_of(text)
    left_out = QUESTION_WORDS if language in (None, ENGLISH) else QUESTION_WORDS | function_words_of(language or "")

    def kept(match: re.Match[str]) -> str:
        word = match[0]
        is_name = word.isupper() and len(word) > 1
        return word if is_name or word.lower() not in left_out else " "

    return _first_words(WORD.sub(kept, text).lower()) or _first_words(text.lower())


def _first_words(text: str) -> list[str]:
    """Return the first words, 256 at most; of Chinese and Japanese each character counts, as the index cuts them so."""
    words, n_terms = [], 0
    for word in WORD.findall(text):
        n_terms += max(1, sum(character >= FIRST_IDEOGRAPH for character in word))
        if n_terms > MAX_WORDS:
            break
        words.append(word)
    return words


# Words of titles, abstracts and names as queries of the indexes that hold them


LONGEST_ENDING = 5
"""Letters of a word that its stem may lack in the index of titles."""
LEAST_STEM = 3
USUAL_ENDING = 3
"""Letters at the end of a longer word that its stem may lack."""
MOST_REQUIRED = 8
"""Words that the index must have; each is compared with all words of the index."""


def stems(word: str, *, longest_ending: int = LONGEST_ENDING) -> str:
    """Return a word and its beginnings that may be its stem."""
    least = max(LEAST_STEM, len(word) - longest_ending)
    return " ".join([word, *(word[:length] for length in range(least, len(word)))])


def word_queries(words: Iterable[str], collections: Iterable[str]) -> dict[str, str]:
    """Return a query of ``title_text`` for papers with all words, and one of ``name_text`` for names with any of them.

    Both may find more, which the statement leaves out: only the eight longest words count. Of titles, either all are
    whole words, where the index drops stop words of its language itself, or all may stand within longer ones. Of words
    of one or two letters the index may have none, as it keeps 0.9 whole, so they count where there are no others.
    """
    parts = dict.fromkeys(part for word in words for part in WORD.findall(word) if part not in STOP_WORDS)
    required = sorted([part for part in parts if len(part) >= LEAST_STEM] or parts, key=len)[-MOST_REQUIRED:]
    where = f"+collectionTerm:({' '.join(map(collection_term, collections))})^0"
    whole = " ".join(f"+(title:{part} abstract:{part})" for part in required)
    forms = [f"({stems(part, longest_ending=len(part))} *{_without_ending(part)}*)" for part in required]
    within = " ".join(f"+(title:{form} abstract:{form})" for form in forms)
    names = " ".join(f"{part} *{part}*" for part in required)
    return {
        "title_query": f"{where} +(({whole}) ({within}))" if required else where,
        "name_query": f"{where} +(name:({names or 'none'}))",
    }


def _without_ending(part: str) -> str:
    """Return the beginning of a word that its stem has within a longer word; numbers have no endings."""
    return part if any(map(str.isdigit, part)) else part[: max(LEAST_STEM, len(part) - USUAL_ENDING)]
