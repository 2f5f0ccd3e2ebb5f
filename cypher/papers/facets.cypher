// Values that papers of a collection have in several respects, with the number of papers, the most frequent first.
//
// Parameters  $collection  STRING        for example 'main'
//             $ids         LIST<STRING>  papers that pass, or null for all
//             $all_but     BOOLEAN       whether $ids are those that do not pass
//             $facets      LIST<STRING>  among year, category, language, author, format, venue, keyword, entity and cluster
//             $limit       INTEGER       values of each, at least 1
// Returns     facet  STRING
//             value  STRING  a year, category, language, format or keyword, or the name of a node
//             id     STRING  of an author, venue, entity or cluster; else null
//             n      INTEGER  papers
// Index       paper_listing (schema/model.py)
// Try it      :param {collection: 'main', ids: null, all_but: false, facets: ['year', 'author'], limit: 10}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WHERE ($ids IS NULL OR (paper.id IN $ids) <> $all_but)
WITH collect(paper) AS papers
UNWIND $facets AS facet
CALL (papers, facet) {
  UNWIND CASE facet WHEN 'year' THEN papers ELSE [] END AS paper
  WITH toString(paper.year) AS value, count(*) AS n WHERE value IS NOT NULL
  RETURN value, null AS id, n ORDER BY n DESC, value DESC LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'category' THEN papers ELSE [] END AS paper
  UNWIND paper.categories AS value
  WITH value, count(*) AS n
  RETURN value, null AS id, n ORDER BY n DESC, value LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'language' THEN papers ELSE [] END AS paper
  WITH paper.language AS value, count(*) AS n WHERE value IS NOT NULL
  RETURN value, null AS id, n ORDER BY n DESC, value LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'format' THEN papers ELSE [] END AS paper
  WITH properties(paper).format AS value, count(*) AS n WHERE value IS NOT NULL
  RETURN value, null AS id, n ORDER BY n DESC, value LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'keyword' THEN papers ELSE [] END AS paper
  UNWIND paper.keywords AS value
  WITH value, count(*) AS n
  RETURN value, null AS id, n ORDER BY n DESC, value LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'venue' THEN papers ELSE [] END AS paper
  MATCH (paper)-[:PUBLISHED_IN]->(venue:Venue)
  WITH venue, count(DISTINCT paper) AS n
  RETURN venue.name AS value, venue.id AS id, n ORDER BY n DESC, value, id LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'author' THEN papers ELSE [] END AS paper
  MATCH (author:Author)-[:WROTE]->(paper)
  WITH author, count(*) AS n
  RETURN author.name AS value, author.id AS id, n ORDER BY n DESC, value, id LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'entity' THEN papers ELSE [] END AS paper
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(:Chunk)-[:MENTIONS]->(entity:Entity)
  WITH entity, count(DISTINCT paper) AS n
  RETURN entity.name AS value, entity.id AS id, n ORDER BY n DESC, value, id LIMIT $limit
  UNION ALL
  UNWIND CASE facet WHEN 'cluster' THEN papers ELSE [] END AS paper
  MATCH (paper)-[:IN_CLUSTER]->(cluster:Cluster)
  WITH cluster, count(*) AS n
  RETURN cluster.name AS value, cluster.id AS id, n ORDER BY n DESC, value, id LIMIT $limit
}
RETURN facet, value, id, n
ORDER BY facet, n DESC, value, id
