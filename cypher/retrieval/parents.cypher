// The parents of chunks in a hierarchy, each with how many parts it has.
//
// Parameters  $chunk_ids  LIST<STRING>  ids of chunks
// Returns     chunk_id, parent_id, paper_id  STRING
//             n_parts  INTEGER  parts of the parent
// Index       chunk_id (schema/model.py)
// Try it      :param chunk_ids => COLLECT { MATCH (c:Chunk) RETURN c.id LIMIT 3 }
CYPHER 25
UNWIND $chunk_ids AS chunk_id
MATCH (chunk:Chunk {id: chunk_id})-[:CHILD_OF]->(parent:Chunk)
RETURN chunk_id, parent.id AS parent_id, parent.paperId AS paper_id, COUNT { (parent)<-[:CHILD_OF]-() } AS n_parts
ORDER BY chunk_id
