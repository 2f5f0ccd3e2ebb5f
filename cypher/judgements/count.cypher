// How many judgements a reader has made beside one.
//
// Parameters  $judgement  STRING  id of the judgement that is not counted
//             $rater      STRING  id of the key, or an address
// Returns     n_others    INTEGER
// Index       judgement_rater (schema/model.py)
// Try it      :param {judgement: 'j1', rater: 'f1a2b3c4'}
CYPHER 25
MATCH (other:Judgement {rater: $rater})
WHERE other.id <> $judgement
RETURN count(other) AS n_others
