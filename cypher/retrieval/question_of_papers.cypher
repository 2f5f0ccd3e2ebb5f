// Chunks of the given papers, each with the nearest of the questions that it answers: no index, nothing approximate.
//
// A question of a whole paper stands for the chunk of that paper that is nearest to the query.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the questions' ones
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $paper_ids     LIST<STRING>  ids of the papers to look in
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $answered      BOOLEAN       whether only questions with an answer count
//             $k             INTEGER       how many chunks, at least 1
// Returns     chunk_id, paper_id, question_id, question  STRING
//             answer  STRING  made with the question, or null
//             score  FLOAT  of the question: (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       paper_id (schema/model.py)
// Slots       first, embedding
// Source      Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155
// Try it      :param query_vector => head(COLLECT { MATCH (q:Question) RETURN q.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {state: 'active', kinds: ['abstract', 'body'], answered: false, k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $paper_ids AS paper_id
MATCH (paper:Paper {id: paper_id})
CALL (paper) {
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)<-[:ANSWERED_BY]-(question:Question)
  WHERE chunk.kind IN $kinds
  RETURN chunk, question
  UNION
  MATCH (paper)<-[:ANSWERED_BY]-(question:Question)
  MATCH (paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  WHERE chunk.kind IN $kinds
  WITH question, chunk ORDER BY vector.similarity.cosine(chunk.embedding, $query_vector) DESC, chunk.id
  WITH question, head(collect(chunk)) AS chunk
  RETURN chunk, question
}
WITH chunk, question WHERE NOT $answered OR question.answer IS NOT NULL
WITH chunk, question, vector.similarity.cosine(question.embedding, $query_vector) AS score
ORDER BY score DESC, question.id
WITH chunk, max(score) AS score, head(collect(question)) AS question
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, question.id AS question_id, question.text AS question,
       question.answer AS answer, score
ORDER BY score DESC, chunk_id
LIMIT $k
