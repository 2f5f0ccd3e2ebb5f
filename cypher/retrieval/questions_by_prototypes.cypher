// Questions nearest to a query vector among those of the nearest prototypes, with where each is answered.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the questions
//             $model         STRING        sha-256 of the weights of that model
//             $collections   LIST<STRING>  where to look, for example ['main']
//             $paper_ids     LIST<STRING>  ids of the papers to look in, or null for all
//             $nprobe        INTEGER       prototypes whose questions are compared, at least 1
//             $k             INTEGER       questions, at least 1
// Returns     question_id, question, paper_id  STRING
//             answer       STRING        made with the question, or null
//             chunk_ids    LIST<STRING>  chunks that answer it, in the order of the paper
//             spans_paper  BOOLEAN       whether the paper as a whole answers it
//             score        FLOAT         (1 + cosine) / 2, in [0, 1], higher is nearer; best first
// Index       prototype_kind (schema/model.py)
// Slots       first, embedding
// Source      Saha, Saha and Malik 2024, QuIM-RAG, doi:10.1109/ACCESS.2024.3513155 (which probes one prototype)
// Try it      :param query_vector => head(COLLECT { MATCH (q:Question) RETURN q.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param {collections: ['main'], paper_ids: null, nprobe: 32, k: 3}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: 'active'})
MATCH (prototype:Prototype {kind: 'question'})
WHERE prototype.collection IN $collections AND prototype.model = $model
WITH prototype, vector.similarity.cosine(prototype.centroid, $query_vector) AS near
ORDER BY near DESC, prototype.ordinal LIMIT $nprobe
MATCH (prototype)-[:STANDS_FOR]->(question:Question)
WHERE $paper_ids IS NULL OR question.paperId IN $paper_ids
WITH question, vector.similarity.cosine(question.embedding, $query_vector) AS score
ORDER BY score DESC, question.id LIMIT $k
RETURN question.id AS question_id, question.text AS question, question.paperId AS paper_id,
       question.answer AS answer,
       COLLECT { MATCH (question)-[:ANSWERED_BY]->(c:Chunk) RETURN c.id ORDER BY c.ordinal } AS chunk_ids,
       EXISTS { (question)-[:ANSWERED_BY]->(:Paper) } AS spans_paper, score
ORDER BY score DESC, question_id
