// What is new? Things that papers since a year name, and that fewer papers before it did, the strongest rise first.
//
// Parameters  $collection  STRING   where to look
//             $since       INTEGER  the first of the later years
//             $least       INTEGER  papers since then that name it, at least
//             $limit       INTEGER  how many things
// Returns     name, type  STRING
//             n_before, n_since  INTEGER  papers of earlier years that name it, and of later ones
//             rise        FLOAT  share of the later papers that name it, less that of the earlier ones, in (0, 1]
//             first_year  INTEGER  the first year in which it is named
// Try it      :param since => head(COLLECT { MATCH (p:Paper {collection: 'main'}) WITH max(p.year) - 2 AS since RETURN since })
//             :param {collection: 'main', least: 2, limit: 15}
CYPHER 25
MATCH (paper:Paper {collection: $collection})
WITH count(CASE WHEN paper.year < $since THEN 1 END) AS n_earlier, count(CASE WHEN paper.year >= $since THEN 1 END) AS n_later
MATCH (entity:Entity {collection: $collection})<-[:MENTIONS]-(chunk:Chunk)
WHERE chunk.year IS NOT NULL AND chunk.kind <> 'references'
WITH n_earlier, n_later, entity, chunk.paperId AS paper_id, min(chunk.year) AS year
WITH n_earlier, n_later, entity, min(year) AS first_year,
     count(CASE WHEN year < $since THEN 1 END) AS n_before, count(CASE WHEN year >= $since THEN 1 END) AS n_since
WHERE n_since >= $least
WITH entity, first_year, n_before, n_since,
     1.0 * n_since / n_later - CASE n_earlier WHEN 0 THEN 0.0 ELSE 1.0 * n_before / n_earlier END AS rise
WHERE rise > 0
RETURN entity.name AS name, entity.type AS type, n_before, n_since, round(rise, 3) AS rise, first_year
ORDER BY rise DESC, n_since DESC, name, entity.id
LIMIT $limit
