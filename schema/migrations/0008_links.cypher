// Names that link passages, and what queries mention before anything bears it.
CREATE CONSTRAINT name_id IF NOT EXISTS FOR (n:Name) REQUIRE n.id IS UNIQUE;
CREATE INDEX name_key IF NOT EXISTS FOR (n:Name) ON (n.collection, n.key);
CALL db.createRelationshipType('NAMES');
CALL db.createRelationshipType('REFERS_TO');
CALL db.createRelationshipType('TITLED');
CALL db.createProperty('linkedBy');
CALL db.createProperty('ends');
