// Sessions of browsers, each bound to a key; keys that were made with other keys; what is said of collections.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE n.id IS UNIQUE;
CALL db.createProperty('keyId');
CALL db.createProperty('creators');
CALL db.createProperty('description');
