// Take a judgement back.
//
// Parameters  $id  STRING  of paper, question and reader
// Returns     nothing
// Revises     nothing
// Index       judgement_id (schema/model.py)
// Try it      :param {id: 'j1'}
CYPHER 25
MATCH (judgement:Judgement {id: $id})
DELETE judgement
