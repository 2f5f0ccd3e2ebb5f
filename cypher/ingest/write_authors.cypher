// Write papers' authors in their order; a person has the alphabetically first of the spellings in use.
//
// Parameters  $rows  LIST<MAP>  {paper_id, id, name, position, properties}; those of one author together
// Returns     nothing
// Try it      :param rows => [{paper_id: 'a1', id: 'p1', name: 'Ada Lovelace', position: 0, properties: {collection: 'main'}}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.paper_id})
MERGE (author:Author {id: row.id})
SET author += row.properties
MERGE (author)-[wrote:WROTE]->(paper)
SET wrote.position = row.position, wrote.name = row.name
WITH DISTINCT author
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  RETURN min(wrote.name) AS name
}
SET author.name = name
