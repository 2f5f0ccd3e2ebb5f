// Write a paper's own node.
//
// Parameters  $id          STRING       id of the paper
//             $properties  MAP          all its properties except embedding
//             $embedding   LIST<FLOAT>  its vector, length 1
// Returns     nothing
// Try it      :param {id: 'a1', embedding: [1.0, 0.0]}
//             :param properties => {id: 'a1', collection: 'main', title: 'A title'}
CYPHER 25
MERGE (paper:Paper {id: $id})
SET paper = $properties, paper.ingestedAt = datetime()
WITH paper
CALL db.create.setNodeVectorProperty(paper, 'embedding', $embedding)
