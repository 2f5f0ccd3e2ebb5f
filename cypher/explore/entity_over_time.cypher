// How much was written of a thing, year by year? Papers and passages that name it, and its share of each year's papers.
//
// Parameters  $collection  STRING  where to look
//             $entity      STRING  name of the thing; other names of it count too
// Returns     year        INTEGER  each year that has papers, in order
//             n_papers    INTEGER  papers of the year that name it
//             n_passages  INTEGER  passages of these that do
//             share       FLOAT    n_papers by all papers of the year
// Index       entity_name (schema/model.py)
// Try it      :param entity => head(COLLECT { MATCH (e:Entity {collection: 'main', type: 'Method'})<-[:MENTIONS]-(c:Chunk) WITH e, count(DISTINCT c.paperId) AS n ORDER BY n DESC, e.name, e.id LIMIT 1 RETURN e.name })
//             :param {collection: 'main'}
CYPHER 25
CALL () {
  MATCH (entity:Entity {collection: $collection, name: $entity})-[:SAME_AS]-{0,1}(same:Entity)
  MATCH (same)<-[:MENTIONS]-(chunk:Chunk)
  WHERE chunk.year IS NOT NULL AND chunk.kind <> 'references'
  WITH DISTINCT chunk
  RETURN collect({year: chunk.year, paper_id: chunk.paperId}) AS named
}
MATCH (paper:Paper {collection: $collection})
WHERE paper.year IS NOT NULL
WITH named, paper.year AS year, count(*) AS n_all
WITH year, n_all, [one IN named WHERE one.year = year | one.paper_id] AS paper_ids
CALL (paper_ids) {
  UNWIND paper_ids AS paper_id
  RETURN count(DISTINCT paper_id) AS n_papers
}
RETURN year, n_papers, size(paper_ids) AS n_passages, round(1.0 * n_papers / n_all, 3) AS share
ORDER BY year
