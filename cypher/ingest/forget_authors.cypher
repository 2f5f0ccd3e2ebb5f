// Take papers from authors who are not among those to keep; a person without papers goes, others keep a spelling in use.
//
// Parameters  $rows  LIST<MAP>  {id, keep}: a paper's id, and ids of authors
// Returns     nothing
// Revises     papers $rows.id
// Try it      :param rows => [{id: 'a1', keep: []}]
CYPHER 25
UNWIND $rows AS row
MATCH (author:Author)-[wrote:WROTE]->(:Paper {id: row.id})
WHERE NOT author.id IN row.keep
DELETE wrote
WITH DISTINCT author
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  WITH DISTINCT author.key IS NOT NULL AS keyed, wrote.name AS name
  ORDER BY CASE WHEN keyed THEN -size(name) ELSE 0 END, name
  RETURN collect(name) AS names
}
SET author.name = names[0],
    author.aliases = CASE WHEN author.key IS NOT NULL AND size(names) > 1 THEN names[1..] END
WITH author WHERE author.name IS NULL
DETACH DELETE author
