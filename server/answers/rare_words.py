"""Rare nouns of a question, and which of them are not said near the sentence that answers it.

A near miss has all but one of the words of a question that can be answered: "What dose of aspirin is compared?", put to
a paper that compares doses. That one word is rare, and the sentences around the best one do not have it.
docs/decisions/0066-rare-nouns.md has figures.
"""

import math
import re
from collections.abc import Iterable, Sequence

from papergraph.text.function_words import FUNCTION_WORDS
from papergraph.text.language import ENGLISH
from papergraph.text.words import words_in
from server.answers.sentences import Sentence
from server.answers.term_weights import Weights, asked_words, stem, terms_of
from server.retrieval.lucene import WORD

RARE = 0.6
"""Share of the weight of a word that no chunk has, from which on a word is rare: about N ** 0.4 of N chunks have it."""
N_AROUND = 2
"""Sentences before and after one that count as near."""
LEAST_SHARED, SHARE_SHARED = 4, 0.7
"""Letters that two forms of a word have in common at their beginning, and their share of the word."""
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
        "topic type value version way year"
    )
)
"""Stems of words that questions are made with, whatever they are about."""


def rare_nouns(question: str, words: Weights) -> list[str]:
    """Return the rare words of a question that are not told from nouns by their ending or a closed class, in order.

    In a small collection, words as common as "many" are rare: no chunk may have them. Of questions in other languages
    than English, words with a capital inside the question count alone.

    Args:
        question: What is asked.
        words: What its words weigh in the collection.
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
