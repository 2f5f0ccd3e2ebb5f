// The collection of a paper that is to be judged, and how many other judgements its reader has made.
//
// Parameters  $id           STRING        of the paper
//             $collections  LIST<STRING>  those that are reached; null for all
//             $judgement    STRING        id of the judgement, which is not counted
//             $rater        STRING        id of the key, or an address
// Returns     collection  STRING
//             n_others    INTEGER
//             no row where there is no such paper
// Index       paper_id (schema/model.py),
//             judgement_rater (schema/model.py)
// Try it      :param id => head(COLLECT { MATCH (p:Paper {collection: 'main'}) RETURN p.id LIMIT 1 })
//             :param {collections: null, judgement: 'j1', rater: 'f1a2b3c4'}
CYPHER 25
MATCH (paper:Paper {id: $id})
WHERE $collections IS NULL OR paper.collection IN $collections
RETURN paper.collection AS collection,
       COUNT { MATCH (other:Judgement {rater: $rater}) WHERE other.id <> $judgement } AS n_others
