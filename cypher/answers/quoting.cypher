// Stored answers whose content names one of some papers.
//
// Parameters  $collections  LIST<STRING>  those that are reached; null for all
//             $ids          LIST<STRING>  ids of papers
// Returns     id, collection, question, content  STRING
// Try it      :param {collections: ['main'], ids: ['a1']}
CYPHER 25
MATCH (answer:StoredAnswer)
WHERE ($collections IS NULL OR answer.collection IN $collections)
  AND any(id IN $ids WHERE answer.content CONTAINS id)
RETURN answer.id AS id, answer.collection AS collection, answer.question AS question, answer.content AS content
ORDER BY id
