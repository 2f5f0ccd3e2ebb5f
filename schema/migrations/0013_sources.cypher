// What says something about a paper: a source for each document, with its field values.
CREATE CONSTRAINT source_id IF NOT EXISTS FOR (n:Source) REQUIRE n.id IS UNIQUE;
CREATE INDEX source_key IF NOT EXISTS FOR (n:Source) ON (n.collection, n.key);
CREATE INDEX source_content IF NOT EXISTS FOR (n:Source) ON (n.collection, n.contentHash);
CREATE INDEX source_doi IF NOT EXISTS FOR (n:Source) ON (n.collection, n.doi);
CREATE INDEX source_arxiv IF NOT EXISTS FOR (n:Source) ON (n.collection, n.arxivId);
CREATE INDEX source_title IF NOT EXISTS FOR (n:Source) ON (n.collection, n.titleKey);
CREATE INDEX source_file IF NOT EXISTS FOR (n:Source) ON (n.collection, n.file);
CALL db.createRelationshipType('HAS_SOURCE');
CALL db.createProperty('provider');
CALL db.createProperty('configHash');
CALL db.createProperty('cleared');
CALL db.createProperty('file');
CALL db.createProperty('parts');
// Papers of before: each of their keys and sources becomes one. What has its sources is passed over, so that a
// migration that was cut off goes on where it stopped.
CYPHER 25
MATCH (paper:Paper)
WHERE NOT EXISTS { (paper)-[:HAS_SOURCE]->(:Source) }
CALL (paper) {
  WITH paper, COLLECT {
    MATCH (author:Author)-[wrote:WROTE]->(paper)
    RETURN wrote.name ORDER BY wrote.position
  } AS authors,
  reduce(key = '', letter IN split(normalize(toLower(paper.title), NFKD), '') |
    CASE WHEN letter =~ '[\\p{L}\\p{N}]' THEN key + letter ELSE key END) AS title_key
  SET paper.titleKey = CASE WHEN size(title_key) >= 20 THEN title_key END
  WITH paper, authors, title_key
  UNWIND range(0, size(paper.keys) - 1) AS position
  WITH paper, authors, title_key, paper.keys[position] AS key, paper.sources[position] AS name
  MERGE (source:Source {id: paper.collection + ' ' + name})
  SET source = {
    id: paper.collection + ' ' + name, collection: paper.collection, name: name, key: key,
    kind: CASE WHEN paper.format = 'record' THEN 'record' ELSE 'text' END,
    provider: CASE
      WHEN name STARTS WITH 'arxiv:' OR (paper.format = 'record' OR name CONTAINS '#') AND key STARTS WITH 'arxiv:' THEN 'arxiv'
      WHEN paper.format = 'record' OR name CONTAINS '#' THEN 'publisher'
      ELSE 'document' END,
    contentHash: paper.contentHash, configHash: paper.configHash, nChars: paper.nChars,
    title: paper.title, titleKey: CASE WHEN title_key = '' THEN null ELSE title_key END, abstract: paper.abstract,
    authors: authors, year: paper.year, doi: paper.doi, arxivId: paper.arxivId, categories: paper.categories,
    license: paper.license, arxivVersion: paper.arxivVersion, primaryCategory: paper.primaryCategory,
    published: paper.published, updated: paper.updated, comment: paper.comment, journalRef: paper.journalRef,
    url: paper.url
  }
  MERGE (paper)-[:HAS_SOURCE]->(source)
} IN TRANSACTIONS OF 1000 ROWS;
