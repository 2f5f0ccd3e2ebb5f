// Where does a claim come from? The authors, paper and sections of a passage, what it cites, and the questions that it answers.
//
// Parameters  $passage  STRING   id of a chunk, as passages_with_words gives it
//             $limit    INTEGER  how many ways of each kind
// Returns     what  STRING  author, section, reference, cited paper or question
//             name  STRING  of what stands at the end of the way
//             way   PATH  between it and the passage, for a drawing
// Index       chunk_id, paper_id (schema/model.py)
// Try it      :param passage => head(COLLECT { MATCH (c:Chunk {collection: 'main'}) WITH c, COUNT { (c)-[:CITES_REFERENCE]->(:Reference) } AS n ORDER BY n DESC, c.id LIMIT 1 RETURN c.id })
//             :param {limit: 10}
CYPHER 25
MATCH (chunk:Chunk {id: $passage})
CALL (chunk) {
  MATCH way = (author:Author)-[wrote:WROTE]->(:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk)
  RETURN 1 AS part, 'author' AS what, author.name AS name, way, wrote.position AS place
  ORDER BY place LIMIT $limit
  UNION ALL
  MATCH way = (section:Section)-[:HAS_SUBSECTION]->{0,6}(:Section)-[:HAS_CHUNK]->(chunk)
  RETURN 2 AS part, 'section' AS what, section.title AS name, way, section.ordinal AS place
  ORDER BY place LIMIT $limit
  UNION ALL
  MATCH way = (chunk)-[:CITES_REFERENCE]->(reference:Reference)
  RETURN 3 AS part, 'reference' AS what, reference.text AS name, way, reference.ordinal AS place
  ORDER BY place LIMIT $limit
  UNION ALL
  MATCH (chunk)-[:CITES_REFERENCE]->(reference:Reference)
  MATCH (paper:Paper {id: chunk.paperId})
  MATCH way = (paper)-[:CITES]->(cited:Paper)
  WHERE cited.doi = reference.doi OR cited.arxivId = reference.arxivId OR cited.titleKey = reference.titleKey
  RETURN 4 AS part, 'cited paper' AS what, cited.title AS name, way, reference.ordinal AS place
  ORDER BY place LIMIT $limit
  UNION ALL
  MATCH way = (chunk)<-[:ANSWERED_BY]-(question:Question)
  WITH way, question ORDER BY question.text, question.id
  WITH collect({way: way, text: question.text}) AS questions
  UNWIND range(0, size(questions) - 1) AS place
  RETURN 5 AS part, 'question' AS what, questions[place].text AS name, questions[place].way AS way, place
  ORDER BY place LIMIT $limit
}
RETURN what, name, way
ORDER BY part, place, name
