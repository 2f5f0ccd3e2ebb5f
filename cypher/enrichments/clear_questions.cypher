// Remove the questions of papers; questions of other papers that one of them stood for are to be compared again.
//
// Parameters  $ids  LIST<STRING>  ids of papers
// Returns     nothing
// Index       question_paper (schema/migrations/0007_layers.cypher)
// Try it      :param {ids: ['a1']}
CYPHER 25
UNWIND $ids AS id
MATCH (question:Question {paperId: id})
CALL (question) {
  MATCH (other:Question)-[:DUPLICATE_OF]->(question)
  REMOVE other.comparisonConfigHash
}
DETACH DELETE question
