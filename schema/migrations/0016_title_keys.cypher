// Works are known by their titles too: look-ups of papers and of entries of lists of references, and keys of what is there.
CREATE INDEX paper_title_key IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.titleKey);
CREATE INDEX citation_title_key IF NOT EXISTS FOR (n:Citation) ON (n.collection, n.titleKey);
CALL db.createProperty('titleKey');
CYPHER 25
MATCH (n:Paper|Citation) WHERE n.title IS NOT NULL
WITH n, reduce(key = '', letter IN split(normalize(toLower(n.title), NFKD), '') |
  CASE WHEN letter =~ '[\\p{L}\\p{N}]' THEN key + letter ELSE key END) AS key
WHERE size(key) >= 20
SET n.titleKey = key;
CYPHER 25
MATCH (citation:Citation) WHERE citation.titleKey IS NOT NULL
MATCH (cited:Paper {collection: citation.collection, titleKey: citation.titleKey})
MATCH (citing:Paper {id: citation.paperId})
WHERE citing <> cited
MERGE (citing)-[:CITES]->(cited);
