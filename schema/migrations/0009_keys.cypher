// Keys of the server, found by the part of them that is no secret.
CREATE CONSTRAINT api_key_id IF NOT EXISTS FOR (n:ApiKey) REQUIRE n.id IS UNIQUE;
CALL db.createProperty('sha256');
CALL db.createProperty('name');
CALL db.createProperty('scopes');
CALL db.createProperty('collections');
CALL db.createProperty('createdAt');
CALL db.createProperty('expiresAt');
CALL db.createProperty('revokedAt');
CALL db.createProperty('lastUsedAt');
