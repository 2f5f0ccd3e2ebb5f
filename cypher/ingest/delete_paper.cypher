// Delete a paper's node; its parts and authors go first, by delete_parts and forget_authors.
//
// Parameters  $id  STRING  id of the paper
// Returns     nothing
// Revises     papers $id, and itself those related to it
// Try it      :param {id: 'a1'}
CYPHER 25
MATCH (paper:Paper {id: $id})
CALL (paper) {
  MATCH (other:Paper|Question)-[:CITES|ANSWERED_BY]->(paper)
  WITH DISTINCT coalesce(other.paperId, other.id) AS id
  MATCH (related:Paper {id: id})
  WITH related ORDER BY elementId(related)
  SET related.revision = randomUUID()
}
DETACH DELETE paper
