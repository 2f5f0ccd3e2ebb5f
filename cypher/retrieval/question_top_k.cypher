// Chunks that answer the questions nearest to a query vector, each with the nearest of its questions.
//
// A question of a whole paper stands for the chunk of that paper that is nearest to the query.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the index
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $answered      BOOLEAN       whether only questions with an answer count
//             $k             INTEGER       how many questions, at least 1
// Returns     chunk_id, paper_id, question_id, question  STRING
//             answer  STRING  made with the question, or null
//             score  FLOAT  of the question: (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       question_embedding (schema/model.py)
// Slots       first, embedding, question_embedding
// Source      Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155
// Try it      :param query_vector => head(COLLECT { MATCH (q:Question) RETURN q.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {state: 'active', collections: ['main'], kinds: ['abstract', 'body'], answered: false, k: 5}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
MATCH (question:Question)
  SEARCH question IN (
    VECTOR INDEX question_embedding
    FOR $query_vector
    WHERE question.collection IN $collections
    LIMIT $k
  ) SCORE AS score
WITH question, score WHERE NOT $answered OR question.answer IS NOT NULL
CALL (question) {
  MATCH (question)-[:ANSWERED_BY]->(chunk:Chunk)
  WHERE chunk.kind IN $kinds
  RETURN chunk
  UNION
  MATCH (question)-[:ANSWERED_BY]->(:Paper)-[:HAS_SECTION]->(:Section)-[:HAS_CHUNK]->(chunk:Chunk)
  WHERE chunk.kind IN $kinds
  ORDER BY vector.similarity.cosine(chunk.embedding, $query_vector) DESC, chunk.id LIMIT 1
  RETURN chunk
}
WITH chunk, question, score ORDER BY score DESC, question.id
WITH chunk, max(score) AS score, head(collect(question)) AS question
RETURN chunk.id AS chunk_id, chunk.paperId AS paper_id, question.id AS question_id, question.text AS question,
       question.answer AS answer, score
ORDER BY score DESC, chunk_id
