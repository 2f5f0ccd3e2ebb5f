// Write papers' authors in their order; a person has the alphabetically first of the spellings in use, one known by
// more than the name (key) the longest, and the others as aliases.
//
// Parameters  $rows  LIST<MAP>  {paper_id, id, name, position, properties}; those of one author together
// Returns     nothing
// Revises     papers $rows.paper_id
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
  WITH DISTINCT author.key IS NOT NULL AS keyed, wrote.name AS name
  ORDER BY CASE WHEN keyed THEN -size(name) ELSE 0 END, name
  RETURN collect(name) AS names
}
SET author.name = names[0],
    author.aliases = CASE WHEN author.key IS NOT NULL AND size(names) > 1 THEN names[1..] END
