// Vectors can stand in two places (papergraph/slots.py); what there is stands in the first one. A property's name must
// be known to the database before a query may mention it without a warning.
CYPHER 25 MATCH (model:EmbeddingModel {id: 'active'}) SET model.id = 'first', model.state = 'active';
CALL db.createProperty('secondEmbedding');
CALL db.createProperty('secondEmbeddingModel');
CALL db.createProperty('secondEmbeddingHash');
CALL db.createProperty('state');
