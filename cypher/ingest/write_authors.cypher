// Write a paper's authors in their order; a person has the alphabetically first of the spellings in use.
//
// Parameters  $id    STRING     id of the paper
//             $rows  LIST<MAP>  {id, name, position, properties}
// Returns     nothing
// Try it      :param {id: 'a1'}
//             :param rows => [{id: 'p1', name: 'Ada Lovelace', position: 0, properties: {collection: 'main'}}]
CYPHER 25
MATCH (paper:Paper {id: $id})
UNWIND $rows AS row
MERGE (author:Author {id: row.id})
SET author += row.properties
MERGE (author)-[wrote:WROTE]->(paper)
SET wrote.position = row.position, wrote.name = row.name
WITH author
CALL (author) {
  MATCH (author)-[wrote:WROTE]->(:Paper)
  RETURN min(wrote.name) AS name
}
SET author.name = name
