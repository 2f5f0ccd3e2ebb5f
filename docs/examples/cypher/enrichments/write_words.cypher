// Set the number of words of a paper.
//
// Parameters  $id  STRING   id of the paper
//             $n   INTEGER  number of words
// Returns     nothing
// Revises     papers $id
// Try it      :param {id: 'a1', n: 7}
CYPHER 25
MATCH (paper:Paper {id: $id})
SET paper.nWords = $n
