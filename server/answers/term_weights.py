"""Weights of words in a collection, and rare words of a question."""

import logging
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from papergraph.database import Database
from papergraph.errors import IndexUnavailableError
from papergraph.server.answers.sentences import Sentence
from papergraph.server.retrieval.lucene import FIRST_IDEOGRAPH, STOP_WORDS, WORD, query_words
from papergraph.server.retrieval.scope import Collections
from papergraph.server.retrieval.word_counts import word_counts
from papergraph.text.language import ENGLISH, language_of
from papergraph.text.words import FUNCTION_WORDS, snowball_stem, words_in

log = logging.getLogger(__name__)

MOST_WEIGHED = 64
"""Different words of a question that are weighed; the first ones."""

ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "e")
LEAST_STEM, LEAST_STEM_OF_PLURAL = 4, 3
BRITISH = re.compile(r"(?<=\w{2})(?:(our)|is)\Z")
"""Stems of British spelling: "colour", "optimis"; "hour" and "basi" are none."""
IDEOGRAPH = re.compile(rf"[{FIRST_IDEOGRAPH}-\U0003ffff]")


@dataclass(frozen=True)
class Weights:
    """Weights of a question's words.

    Attributes:
        of: Inverse document frequency of each term in the collection, at least 0.
        unknown: Share of the weight on terms missing in the collection, in [0, 1].
        of_unknown: Inverse document frequency of a missing term, at least 0; infinite if terms were not counted.
        language: Language of the question and of the stems, as ISO 639-1 code.
    """

    of: Mapping[str, float]
    unknown: float = 0.0
    of_unknown: float = 0.0
    language: str = ENGLISH

    def coverage(self, terms: Set[str]) -> float:
        """Return the share of all weight that lies on ``terms``, in [0, 1]."""
        whole = sum(self.of.values())
        return sum(weight for term, weight in self.of.items() if term in terms) / whole if whole > 0.0 else 0.0


async def weigh(database: Database, question: str, *, collections: Collections) -> Weights:
    """Return the weights of a question's words: ln(1 + (N - n + .5) / (n + .5)) of N chunks, n of which have it.

    The chunks are those of all collections together. While the index that counts them is missing or being built, all
    words weigh the same.

    Raises:
        DatabaseError: Neo4j failed.

    Source: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019; in the form that
    Lucene has it, never below 0.
    """
    words = asked_words(question)
    if not words:
        return Weights({})
    language = language_of(question) or ENGLISH
    try:
        counted = await word_counts(database).count(database, words, collections)
    except IndexUnavailableError as error:
        log.warning("the words of a question weigh the same: %s", error)
        return Weights({stem(word, language): 1.0 for word in words}, of_unknown=math.inf, language=language)
    return weights(counted.of, n_all=counted.n_all, language=language)


def weights(n_chunks: Mapping[str, int], *, n_all: int, language: str = ENGLISH) -> Weights:
    """Return the weights of words, given in how many of ``n_all`` chunks each stands.

    Words of the same stem are one term; what most chunks have of them counts.
    """
    of_terms: dict[str, int] = {}
    for word, n in n_chunks.items():
        term = stem(word, language)
        of_terms[term] = max(n, of_terms.get(term, 0))
    idf = {term: math.log1p((max(n_all, n) - n + 0.5) / (n + 0.5)) for term, n in of_terms.items()}
    whole = sum(idf.values())
    nowhere = sum(idf[term] for term, n in of_terms.items() if n == 0)
    return Weights(idf, nowhere / whole if whole > 0.0 else 0.0, math.log1p((n_all + 0.5) / 0.5), language)


def asked_words(question: str) -> list[str]:
    """Return the different words of a question that say something of its subject, each once, 64 at most."""
    words = [part for word in query_words(question) for part in _parts(word)]
    return list(dict.fromkeys(word for word in words if word not in STOP_WORDS))[:MOST_WEIGHED]


def terms_of(text: str, language: str = ENGLISH) -> frozenset[str]:
    """Return the terms of a text: the stems of its words in a language, and each ideograph."""
    return frozenset(stem(part, language) for word in WORD.findall(text.lower()) for part in _parts(word))


@lru_cache(maxsize=65_536)
def stem(word: str, language: str = ENGLISH) -> str:
    """Return a word without its ending.

    Of English, not Porter's stems, which the index has; docs/design/answers.md#answerability compares them.

    Source: longest suffix removed, as in Lovins 1968, Development of a stemming algorithm; few suffixes, as in Harman
    1991, How effective is suffixing?
    """
    if language != ENGLISH:
        return snowball_stem(word, language)
    for ending in ENDINGS:
        least = LEAST_STEM_OF_PLURAL if ending in ("s", "es") else LEAST_STEM
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: -len(ending)]
            break
    return BRITISH.sub(lambda found: "or" if found[1] else "iz", word) if len(word) > LEAST_STEM else word


def _parts(word: str) -> list[str]:
    return IDEOGRAPH.findall(word) if IDEOGRAPH.search(word) else [word]


# Rare nouns of a question, and which of them are not said near the sentence that answers it.
#
# A near miss has all but one of the words of a question that can be answered: "What dose of aspirin is compared?", put
# to a paper that compares doses. That one word is rare, and the sentences around the best one do not have it.
# docs/design/answers.md#rare-nouns has figures.


RARE = 0.6
"""Share of the weight of a word that no chunk has, from which on a word is rare: about N ** 0.4 of N chunks have it."""
N_AROUND = 2
"""Sentences before and after one that count as near."""
LEAST_SHARED, SHARE_SHARED = 4, 0.7
"""Least number of first letters that a word shares with a term of the text, and their least share of its stem; the
greater counts.
"""
_NO_NOUN = re.compile(r"(?:ly|ed|ing|al|ive|ous|ic|ful|less|able|ible|ary|est)\Z")
"""Endings of adjectives, adverbs and forms of verbs: a paper may say the same in other words."""
_OF_QUESTIONS = frozenset(
    stem(word)
    for word in words_in(
        "account achieve act add affect agree aim allow answer appear apply arise ask assess assign assume attach "
        "avoid be beat become begin belong bring build calculate call carry cause change check choose cite claim "
        "collect combine come compare complete compute conclude conduct confirm consider consist construct contain "
        "contribute control convert cope correspond cost count cover create deal decide decrease define deliver "
        "demonstrate denote depend derive describe design detect determine develop differ discover discuss "
        "distinguish divide do draw drive drop employ enable encode end ensure establish estimate evaluate evolve "
        "examine exceed exist expect explain exploit explore express extend extract fail fall fit fix follow form "
        "function gain generate get give go grow handle happen have help hold identify ignore illustrate imply "
        "improve include incorporate increase indicate influence inform interact interpret introduce investigate "
        "involve join judge keep know lead learn leave lie limit link list look lose maintain make manage map mark "
        "matter mean measure mention miss mitigate modify move name need note observe obtain occur offer operate "
        "optimise optimize outperform overcome perform permit place play point predict prefer present prevent "
        "proceed produce propose prove provide publish pursue put quantify raise reach react read receive "
        "recommend reduce refer reflect regard reject relate rely remain remove repeat replace reply report "
        "represent require resolve respond result return reveal rise run satisfy save say scale see seek seem "
        "select send separate serve set shift show simplify solve said speak specify stand start state stay stop "
        "store study succeed suffer suggest suit summarise summarize supply support suppose switch take teach tell "
        "tend test think train transform treat try turn understand update use validate vary verify want work write "
        "yield became began begun brought built came chose chosen drawn drew fell felt fought found gave given gone "
        "got grew grown held kept knew known laid led left lost made meant met paid ran rose sent shown sought spent "
        "spoken stood taken taught told took thought understood went won written wrote "
        "advantage aim answer approach article aspect author benefit case challenge characteristic choice "
        "comparison conclusion contribution criterion criteria definition degree description difference "
        "disadvantage drawback effect example explanation factor feature finding goal idea impact implication "
        "issue kind limitation meaning motivation number opinion option paper percentage place problem property "
        "purpose question reason relation relationship role share similarity step strategy study summary thing "
        "topic type value version way year "
        "agency apparatus city company country device institution instrument machine organisation organization person "
        "place programme substance technique tool"
    )
)
"""Stems of words that questions are made with, whatever they are about."""


def rare_nouns(question: str, words: Weights) -> list[str]:
    """Return the rare words of a question, in order, except words with endings or of closed classes that are no nouns.

    In a small collection even words like "many" are rare. In languages other than English, only words with a capital
    inside the question count.

    Args:
        question: The question.
        words: Weights of its words in the collection.
    """
    least = RARE * words.of_unknown
    rare = [word for word in asked_words(question) if words.of.get(stem(word, words.language), 0.0) >= least]
    if words.language != ENGLISH:
        names = {match[0].lower() for match in WORD.finditer(question) if match.start() and match[0][0].isupper()}
        return [word for word in rare if word in names]
    return [word for word in rare if not _is_other(word)]


def absent(nouns: Iterable[str], near: str, language: str = ENGLISH) -> tuple[str, ...]:
    """Return the nouns that a text in the same language does not have in any form."""
    terms = terms_of(near, language)
    return tuple(noun for noun in nouns if not _is_said(noun, terms, language))


def around(sentence: Sentence, sentences: Sequence[Sentence]) -> str:
    """Return the text of a sentence with those around it in its passage."""
    of_passage = [one for one in sentences if one.passage == sentence.passage]
    place = next((number for number, one in enumerate(of_passage) if one.start == sentence.start), 0)
    return " ".join(one.text for one in of_passage[max(0, place - N_AROUND) : place + N_AROUND + 1])


def _is_other(word: str) -> bool:
    return word in FUNCTION_WORDS or _NO_NOUN.search(word) is not None or stem(word) in _OF_QUESTIONS


def _is_said(noun: str, terms: frozenset[str], language: str) -> bool:
    term = stem(noun, language)
    if not terms.isdisjoint((term, stem(f"{noun}s", language), stem(f"{noun}es", language))):
        return True
    n_shared = max(LEAST_SHARED, math.ceil(SHARE_SHARED * len(term)))
    return len(term) > LEAST_SHARED and any(one[:n_shared] == term[:n_shared] for one in terms)
