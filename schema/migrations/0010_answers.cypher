// What an operator says of collections, and what askers spend on a language model each day.
CREATE CONSTRAINT collection_id IF NOT EXISTS FOR (n:Collection) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT spending_id IF NOT EXISTS FOR (n:Spending) REQUIRE n.id IS UNIQUE;
CALL db.createProperty('scope');
CALL db.createProperty('asker');
CALL db.createProperty('day');
CALL db.createProperty('nRequests');
CALL db.createProperty('tokens');
CALL db.createProperty('cost');
