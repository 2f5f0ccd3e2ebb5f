// Searches of texts can be narrowed to papers: their ids are one more field. The index is built again, with the analyzer
// of the store; servers start when it is full.
DROP INDEX chunk_text IF EXISTS;
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (n:Chunk)
  ON EACH [n.text, n.context, n.collectionTerm, n.kind, n.paperId]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
