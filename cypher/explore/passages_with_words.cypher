// Where is it written? Passages with some words, the best match of each paper first, with their place in it.
//
// Parameters  $collection  STRING   where to look
//             $words       STRING   words, or a query in Lucene's syntax, such as "tabu search" AND dense
//             $among       INTEGER  how many of the best passages of all collections to look through
//             $limit       INTEGER  how many papers
// Returns     paper       STRING  title
//             year        INTEGER  where known
//             n_passages  INTEGER  passages of it among those looked through
//             score       FLOAT  BM25 of the best one, comparable within one query only; best first
//             section, passage, chunk_id  STRING  of the best one
// Index       chunk_text (schema/model.py)
// Source      Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, doi:10.1561/1500000019
// Try it      :param words => head(COLLECT { MATCH (e:Entity {collection: 'main', type: 'Method'})<-[:MENTIONS]-(c:Chunk) WITH e, count(DISTINCT c.paperId) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN '"' + replace(e.name, '"', ' ') + '"' })
//             :param {collection: 'main', among: 100, limit: 10}
CYPHER 25
MATCH (chunk:Chunk)
  SEARCH chunk IN (
    FULLTEXT INDEX chunk_text
    FOR $words
    LIMIT $among
  ) SCORE AS score
WHERE chunk.collection = $collection AND chunk.kind <> 'references'
WITH chunk, score ORDER BY score DESC, chunk.id
WITH chunk.paperId AS paper_id, count(*) AS n_passages, max(score) AS score, head(collect(chunk)) AS best
MATCH (paper:Paper)-[:HAS_SECTION]->(section:Section)-[:HAS_CHUNK]->(best)
RETURN paper.title AS paper, paper.year AS year, n_passages, round(score, 3) AS score, section.title AS section,
       best.text AS passage, best.id AS chunk_id
ORDER BY score DESC, paper, chunk_id
LIMIT $limit
