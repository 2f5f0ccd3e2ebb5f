// Venues and affiliations are nodes. What sources state of them stands with these from now on; papers of before are
// related to theirs by schema/places.py, which makes ids, after these statements.
CREATE CONSTRAINT venue_id IF NOT EXISTS FOR (n:Venue) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT affiliation_id IF NOT EXISTS FOR (n:Affiliation) REQUIRE n.id IS UNIQUE;
CREATE INDEX venue_name IF NOT EXISTS FOR (n:Venue) ON (n.collection, n.name);
CREATE INDEX affiliation_name IF NOT EXISTS FOR (n:Affiliation) ON (n.collection, n.name);
CALL db.createRelationshipType('PUBLISHED_IN');
CALL db.createRelationshipType('AFFILIATED_WITH');
CALL db.createProperty('affiliations');
CALL db.createProperty('affiliationIds');
CALL db.createProperty('venueIds');
CYPHER 25
MATCH (paper:Paper)-[:HAS_SOURCE]->(source:Source)
WHERE paper.affiliations IS NOT NULL AND source.affiliations IS NULL AND source.kind = 'text'
  AND source.contentHash = paper.contentHash
  AND NOT EXISTS { (paper)-[:HAS_SOURCE]->(other:Source) WHERE other.affiliations IS NOT NULL AND other.kind <> 'text' }
CALL (paper, source) {
  SET source.affiliations = paper.affiliations
} IN TRANSACTIONS OF 1000 ROWS;
