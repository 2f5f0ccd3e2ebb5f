// Papers near to each of several papers by citations: citing or cited, citing the same, cited by the same.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $k            INTEGER       how many for each, at least 1
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     parent_id  STRING
//             node    MAP  properties, vectors left out
//             score   FLOAT  1 for a citation between both, and 1 / log2(2 + its citations) for each paper between; best first
//             shared  LIST<MAP>  {label, id, name} of up to five papers between
// Index       paper_id (schema/model.py)
// Source      Kessler 1963, bibliographic coupling, doi:10.1002/asi.5090140103; Small 1973, co-citation,
//             doi:10.1002/asi.4630240406
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {k: 5, collections: null}
CYPHER 25
UNWIND $ids AS parent_id
CALL (parent_id) {
  MATCH (from:Paper {id: parent_id})
  CALL (from) {
    MATCH (from)-[:CITES]-(paper:Paper)
    RETURN DISTINCT paper, null AS between, 1.0 AS weight
    UNION ALL
    MATCH (from)-[:CITES]->(between:Paper)<-[:CITES]-(paper:Paper)
    RETURN DISTINCT paper, between, 1 / (log(2 + COUNT { (:Paper)-[:CITES]->(between) }) / log(2)) AS weight
    UNION ALL
    MATCH (from)<-[:CITES]-(between:Paper)-[:CITES]->(paper:Paper)
    RETURN DISTINCT paper, between, 1 / (log(2 + COUNT { (between)-[:CITES]->(:Paper) }) / log(2)) AS weight
  }
  WITH from, paper, between, weight
  WHERE paper <> from AND ($collections IS NULL OR paper.collection IN $collections)
  WITH paper, between, weight ORDER BY weight DESC, between.id
  WITH paper, sum(weight) AS score,
       [one IN collect(between) | {label: 'Paper', id: one.id, name: one.title}][..5] AS shared
  ORDER BY score DESC, paper.id LIMIT $k
  RETURN paper, score, shared
}
RETURN parent_id, paper { .*, embedding: null, secondEmbedding: null } AS node, score, shared
ORDER BY parent_id, score DESC, paper.id
