// What a judge reads of papers: the abstract, or where there is none, the first chunks.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     id, title, text  STRING
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  WITH chunk ORDER BY chunk.startChar, chunk.id LIMIT 3
  RETURN collect(chunk.text) AS texts
}
RETURN id, coalesce(paper.title, '') AS title,
       CASE
         WHEN coalesce(paper.abstract, '') <> '' THEN paper.abstract
         ELSE trim(reduce(text = '', one IN texts | text + one + ' '))
       END AS text
