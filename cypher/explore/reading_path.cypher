// How do I read my way from one paper to another? One of the shortest ways over citations and passages alike.
//
// Parameters  $start       STRING   id of a paper
//             $end         STRING   id of another one
//             $collection  STRING   that all of the way has to stand in
//             $most        INTEGER  most relationships, 1 to 15; from paper to paper takes 1 by a citation and 5 by passages alike
// Returns     way      PATH  for a drawing
//             papers   LIST<STRING>  titles of the papers on it, in order
//             passages  LIST<STRING>  texts of the passages on it, in order
// Index       paper_id (schema/model.py)
// Try it      :param start => head(COLLECT { MATCH (p:Paper {collection: 'main'}) WHERE p.year IS NOT NULL RETURN p.id ORDER BY p.year, p.title, p.id LIMIT 1 })
//             :param end => head(COLLECT { MATCH (p:Paper {collection: 'main'}) WHERE p.year IS NOT NULL RETURN p.id ORDER BY p.year DESC, p.title DESC, p.id LIMIT 1 })
//             :param {collection: 'main', most: 15}
CYPHER 25
MATCH (first:Paper {id: $start})
MATCH (last:Paper {id: $end})
WHERE first <> last
MATCH way = SHORTEST 1 (first)
  (()-[:CITES|CITES_REFERENCE|HAS_SECTION|HAS_CHUNK|SIMILAR]-(inner) WHERE inner.collection = $collection AND coalesce(inner.kind, '') <> 'references'){1,15}
  (last)
WHERE length(way) <= $most
RETURN way, [node IN nodes(way) WHERE node:Paper | node.title] AS papers,
       [node IN nodes(way) WHERE node:Chunk | node.text] AS passages
