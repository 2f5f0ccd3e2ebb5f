// What summaries of papers are made of: titles, abstracts, and questions with their answers.
//
// Parameters  $ids    LIST<STRING>  ids of papers
//             $limit  INTEGER       most questions of a paper
// Returns     id, title, abstract  STRING
//             questions  LIST<MAP>  {id, text, answer}, in order of id
// Index       paper_id (schema/model.py)
//             question_paper (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (paper:Paper) RETURN paper.id LIMIT 2 }
//             :param {limit: 20}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
RETURN id, paper.title AS title, paper.abstract AS abstract,
       COLLECT {
         MATCH (question:Question {paperId: paper.id})
         RETURN question {.id, .text, .answer} ORDER BY question.id LIMIT $limit
       } AS questions
ORDER BY id
