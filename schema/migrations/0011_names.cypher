// Names of the field and of the API: labels, relationships and properties of stored graphs get them in batches. Each
// statement finds nothing where it has run before, so one that was interrupted goes on where it stopped. Ids stay.
CREATE CONSTRAINT reference_id IF NOT EXISTS FOR (n:Reference) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT reference_position IF NOT EXISTS FOR (n:Reference) REQUIRE (n.paperId, n.ordinal) IS UNIQUE;
CREATE CONSTRAINT enrichment_state_id IF NOT EXISTS FOR (n:EnrichmentState) REQUIRE n.id IS UNIQUE;
CREATE INDEX reference_doi IF NOT EXISTS FOR (n:Reference) ON (n.collection, n.doi);
CREATE INDEX reference_arxiv IF NOT EXISTS FOR (n:Reference) ON (n.collection, n.arxivId);
CALL db.createRelationshipType('CITES_REFERENCE');
CALL db.createProperty('enrichments');
CALL db.createProperty('inputHash');
CALL db.createProperty('linksConfigHash');
CALL db.createProperty('comparisonConfigHash');
CALL db.createProperty('trainingConfigHash');
CALL db.createProperty('extractor');
CALL db.createProperty('offsets');
CALL db.createProperty('subject');
CYPHER 25 MATCH (node:Citation)
  CALL (node) { SET node:Reference REMOVE node:Citation } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (paper:Paper)-[old:HAS_CITATION]->(reference)
  CALL (paper, old, reference) { MERGE (paper)-[:HAS_REFERENCE]->(reference) DELETE old } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (chunk:Chunk)-[old:CITES]->(reference)
  CALL (chunk, old, reference) { MERGE (chunk)-[:CITES_REFERENCE]->(reference) DELETE old } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Layer)
  CALL (node) { SET node:EnrichmentState REMOVE node:Layer } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Paper)
  WHERE coalesce(node.nCitations, node.layers, node.recipe, node.linkedBy, node.headingsBy, node.bodyShare) IS NOT NULL
  CALL (node) {
    SET node.nReferences = coalesce(node.nCitations, node.nReferences),
        node.enrichments = coalesce(node.layers, node.enrichments),
        node.configHash = coalesce(node.recipe, node.configHash),
        node.linksConfigHash = coalesce(node.linkedBy, node.linksConfigHash),
        node.headingSource = coalesce(node.headingsBy, node.headingSource),
        node.bodyCoverage = coalesce(node.bodyShare, node.bodyCoverage)
    REMOVE node.nCitations, node.layers, node.recipe, node.linkedBy, node.headingsBy, node.bodyShare
  } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Chunk) WHERE node.nTokensRead IS NOT NULL
  CALL (node) { SET node.nTokensEmbedded = node.nTokensRead REMOVE node.nTokensRead } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Question) WHERE node.comparedBy IS NOT NULL
  CALL (node) { SET node.comparisonConfigHash = node.comparedBy REMOVE node.comparedBy } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Prototype) WHERE node.madeBy IS NOT NULL
  CALL (node) { SET node.trainingConfigHash = node.madeBy REMOVE node.madeBy } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:EnrichmentState) WHERE coalesce(node.recipe, node.fingerprint) IS NOT NULL
  CALL (node) {
    SET node.configHash = coalesce(node.recipe, node.configHash), node.inputHash = coalesce(node.fingerprint, node.inputHash)
    REMOVE node.recipe, node.fingerprint
  } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:IngestJob) WHERE node.recipe IS NOT NULL OR node.kind = 'layers'
  CALL (node) {
    SET node.kind = CASE node.kind WHEN 'layers' THEN 'enrichments' ELSE node.kind END,
        node.configHash = coalesce(node.recipe, node.configHash)
    REMOVE node.recipe
  } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:IngestTask) WHERE node.recipe IS NOT NULL
  CALL (node) { SET node.configHash = node.recipe REMOVE node.recipe } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (node:Collection) WHERE node.scope IS NOT NULL
  CALL (node) { SET node.subject = node.scope REMOVE node.scope } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH (:Chunk)-[use:MENTIONS|NAMES|REFERS_TO]->() WHERE use.starts IS NOT NULL
  CALL (use) { SET use.offsets = use.starts REMOVE use.starts } IN TRANSACTIONS OF 1000 ROWS;
CYPHER 25 MATCH ()-[said:MENTIONS|RELATED_TO]->() WHERE said.by IS NOT NULL
  CALL (said) { SET said.extractor = said.by REMOVE said.by } IN TRANSACTIONS OF 1000 ROWS;
DROP CONSTRAINT citation_id IF EXISTS;
DROP CONSTRAINT citation_position IF EXISTS;
DROP CONSTRAINT layer_id IF EXISTS;
DROP INDEX citation_doi IF EXISTS;
DROP INDEX citation_arxiv IF EXISTS;
