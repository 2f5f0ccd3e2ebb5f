// Write by which names papers are known: their titles.
//
// Parameters  $rows  LIST<MAP>  {paper_id, id, collection, key}: a paper, and a name's id, collection and key
// Returns     nothing
// Revises     papers $rows.paper_id
// Index       paper_id (schema/model.py)
// Index       name_id (schema/model.py)
// Try it      :param rows => [{paper_id: 'a1', id: 'n1', collection: 'main', key: 'deep water'}]
CYPHER 25
UNWIND $rows AS row
MATCH (paper:Paper {id: row.paper_id})
MERGE (name:Name {id: row.id})
SET name.collection = row.collection, name.key = row.key
MERGE (paper)-[:TITLED]->(name)
