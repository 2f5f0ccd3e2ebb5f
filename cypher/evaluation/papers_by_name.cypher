// The papers of a collection by id, key or title.
//
// Parameters  $collection  STRING        where they stand
//             $names       LIST<STRING>  ids, keys or titles
// Returns     name  STRING  one of the names
//             id    STRING  of the paper, the first by id where several have that title
// Index       paper_id, paper_key, paper_listing (schema/model.py)
// Try it      :param names => COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.title LIMIT 2 }
//             :param {collection: 'main'}
CYPHER 25
UNWIND $names AS name
CALL (name) {
  MATCH (paper:Paper {id: name}) WHERE paper.collection = $collection RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection, key: name}) RETURN paper
  UNION
  MATCH (paper:Paper {collection: $collection, title: name}) RETURN paper
}
RETURN name, min(paper.id) AS id
