// Where some chunks point to: by titles of papers that they use, by names, entities and citations, of few chunks each.
//
// A paper stands for its first chunk of the kinds that are looked in. An entity's chunks are those of all that is held
// to be the same. There are no rows if the vectors are no longer of the query's model.
//
// Parameters  $query_vector  LIST<FLOAT>   embedding of the query, same model as the chunks' ones
//             $model         STRING        sha-256 of the weights of that model
//             $state         STRING        'active', or 'kept' to look among vectors that are no longer in use
//             $chunk_ids     LIST<STRING>  ids of the chunks that links are followed from
//             $kinds         LIST<STRING>  kinds of chunk to look in
//             $ways          LIST<STRING>  which links: title, name, mention, citation
//             $most          INTEGER       how many chunks or papers may share a name, at least 1
// Returns     seed_id, seed_title  STRING  one of $chunk_ids, and the title of its paper
//             seed_cosine  FLOAT   cosine of its vector and the query's
//             way, label, id, name  STRING  what leads on: the way, and a node's label, id and name
//             n            INTEGER  how many share it
//             spans        LIST<LIST<INTEGER>>  of a title, where the chunk uses it: first characters, and those after
//             chunk_id, paper_id  STRING  where it leads
//             cosine       FLOAT   cosine of that chunk's vector and the query's
// Index       chunk_id, paper_id (schema/model.py)
// Slots       first, embedding
// Try it      :param query_vector => head(COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.embedding LIMIT 1 })
//             :param model => head(COLLECT { MATCH (m:EmbeddingModel {id: 'first'}) RETURN m.sha256 })
//             :param chunk_ids => COLLECT { MATCH (c:Chunk {kind: 'body'}) RETURN c.id LIMIT 3 }
//             :param {state: 'active', kinds: ['abstract', 'body'], ways: ['title', 'name', 'mention', 'citation'], most: 12}
CYPHER 25
MATCH (:EmbeddingModel {id: 'first', sha256: $model, state: $state})
UNWIND $chunk_ids AS seed_id
MATCH (seed:Chunk {id: seed_id})
MATCH (of_seed:Paper {id: seed.paperId})
CALL (seed) {
  WITH seed WHERE 'title' IN $ways
  MATCH (seed)-[use:REFERS_TO]->(name:Name)
  WITH use, name, COUNT { (:Paper)-[:TITLED]->(name) } AS n
  WHERE n <= $most
  MATCH (paper:Paper)-[:TITLED]->(name)
  RETURN 'title' AS way, 'Name' AS label, name.id AS id, name.key AS name, n, [use.offsets, use.ends] AS spans,
         paper.id AS paper_id, null AS target
  UNION ALL
  WITH seed WHERE 'name' IN $ways
  MATCH (seed)-[:NAMES]->(name:Name)
  WITH seed, name, COUNT { (:Chunk)-[:NAMES]->(name) } AS n
  WHERE 2 <= n <= $most
  MATCH (target:Chunk)-[:NAMES]->(name)
  WHERE target <> seed
  RETURN 'name' AS way, 'Name' AS label, name.id AS id, name.key AS name, n, null AS spans,
         target.paperId AS paper_id, target
  UNION ALL
  WITH seed WHERE 'mention' IN $ways
  MATCH (seed)-[:MENTIONS]->(thing:Entity)
  WITH seed, thing, COUNT { (:Chunk)-[:MENTIONS]->(:Entity)-[:SAME_AS]-{0,1}(thing) } AS n
  WHERE 2 <= n <= $most
  MATCH (target:Chunk)-[:MENTIONS]->(:Entity)-[:SAME_AS]-{0,1}(thing)
  WHERE target <> seed
  RETURN DISTINCT 'mention' AS way, 'Entity' AS label, thing.id AS id, thing.name AS name, n, null AS spans,
         target.paperId AS paper_id, target
  UNION ALL
  WITH seed WHERE 'citation' IN $ways
  MATCH (seed)-[:CITES_REFERENCE]->(reference:Reference)
  MATCH (:Paper {id: seed.paperId})-[:CITES]->(paper:Paper)
  WHERE paper.doi = reference.doi OR paper.arxivId = reference.arxivId OR paper.titleKey = reference.titleKey
  RETURN 'citation' AS way, 'Paper' AS label, paper.id AS id, paper.title AS name, 1 AS n, null AS spans,
         paper.id AS paper_id, null AS target
}
CALL (paper_id, target) {
  WITH paper_id, target WHERE target IS NULL
  MATCH (opening:Chunk {paperId: paper_id})
  WHERE opening.ordinal >= 0 AND opening.kind IN $kinds
  RETURN opening AS found ORDER BY opening.ordinal LIMIT 1
  UNION ALL
  WITH target WHERE target.kind IN $kinds
  RETURN target AS found
}
RETURN seed_id, of_seed.title AS seed_title, 2 * vector.similarity.cosine(seed.embedding, $query_vector) - 1 AS seed_cosine,
       way, label, id, name, n, spans, found.id AS chunk_id, found.paperId AS paper_id,
       2 * vector.similarity.cosine(found.embedding, $query_vector) - 1 AS cosine
ORDER BY seed_id, way, id, chunk_id
