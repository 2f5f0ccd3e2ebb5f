// Which sections say the same twice? Sections of two papers that hold passages alike, those with most of them first.
//
// Parameters  $collection  STRING   where to look
//             $least       FLOAT    cosine from which two passages are alike
//             $limit       INTEGER  how many pairs of sections
// Returns     paper, section, other_paper, other_section  STRING  titles
//             overlap  FLOAT  share of both sections' passages that have one alike in the other, in (0, 1]
//             score    FLOAT  highest cosine of such a pair
//             n_alike  INTEGER  how many pairs of passages are alike
// Try it      :param {collection: 'main', least: 0.6, limit: 15}
CYPHER 25
MATCH (here:Section)-[:HAS_CHUNK]->(one:Chunk {collection: $collection})-[similar:SIMILAR]-(other:Chunk)
MATCH (there:Section)-[:HAS_CHUNK]->(other)
WHERE similar.score >= $least AND one.paperId < other.paperId
  AND one.kind <> 'references' AND other.kind <> 'references'
WITH here, there, max(similar.score) AS score,
     count(DISTINCT similar) AS n_alike, count(DISTINCT one) AS n_one, count(DISTINCT other) AS n_other
WITH here, there, score, n_alike, n_one + n_other AS n_overlapping,
     COUNT { (here)-[:HAS_CHUNK]->(:Chunk) } + COUNT { (there)-[:HAS_CHUNK]->(:Chunk) } AS n_chunks
MATCH (first:Paper)-[:HAS_SECTION]->(here)
MATCH (second:Paper)-[:HAS_SECTION]->(there)
RETURN first.title AS paper, here.title AS section, second.title AS other_paper,
       there.title AS other_section, round(1.0 * n_overlapping / n_chunks, 3) AS overlap, score, n_alike
ORDER BY n_alike DESC, overlap DESC, score DESC, here.id, there.id
LIMIT $limit
