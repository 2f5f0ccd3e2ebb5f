"""Lists of venues and affiliations, and of the papers that these have, read page by page."""

from typing import TypeVar

import cypher
from papergraph.statement import Statement
from schema.records import Affiliation, NodeRecord, Paper, Venue
from server.graph.lists import CollectionListing, Listing, checked_text, node_of
from server.retrieval.scope import AllowedCollections, within

P = TypeVar("P", bound=NodeRecord)

VENUES_OF_PAPERS = Listing(cypher.load("graph/venues_of_papers"), node_of(Venue.of), (str, str))
AFFILIATIONS_OF_PAPERS = Listing(cypher.load("graph/affiliations_of_papers"), node_of(Affiliation.of), (int, str))
AFFILIATIONS_OF_AUTHORS = Listing(
    cypher.load("graph/affiliations_of_authors"), node_of(Affiliation.of), (int, str, str)
)
PAPERS_OF_VENUES = Listing(cypher.load("graph/papers_of_venues"), node_of(Paper.of), (str, str))
PAPERS_OF_AFFILIATIONS = Listing(cypher.load("graph/papers_of_affiliations"), node_of(Paper.of), (str, str))


def venues_in(collection: str, *, text: str = "", collections: AllowedCollections = None) -> CollectionListing[Venue]:
    """Return the list of a collection's venues by name; ``text`` is what a spelling holds, in any case.

    Raises:
        InputError: ``text`` is longer than 200 characters, or the collection's name is not valid.
    """
    return _places(Venue, cypher.load("graph/venues"), collection, text, collections)


def affiliations_in(
    collection: str, *, text: str = "", collections: AllowedCollections = None
) -> CollectionListing[Affiliation]:
    """Return the list of a collection's affiliations by name; ``text`` is what a spelling holds, in any case.

    Raises:
        InputError: ``text`` is longer than 200 characters, or the collection's name is not valid.
    """
    return _places(Affiliation, cypher.load("graph/affiliations"), collection, text, collections)


def _places(
    record: type[P], statement: Statement, collection: str, text: str, collections: AllowedCollections
) -> CollectionListing[P]:
    asked = {"text": checked_text(text)}
    return CollectionListing(statement, record.of, (str, str), within(collection, collections), asked, collection)
