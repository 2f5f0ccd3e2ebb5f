// A summary that is kept.
//
// Parameters  $id  STRING  id of the summary
// Returns     text, generator, model, fingerprint  STRING
//             keywords  LIST<STRING>
//             n_papers, n_questions  INTEGER
// Index       summary_id (schema/model.py)
// Try it      :param {id: 'u1'}
CYPHER 25
MATCH (summary:Summary {id: $id})
RETURN summary.text AS text, summary.generator AS generator, summary.model AS model,
       summary.fingerprint AS fingerprint, summary.keywords AS keywords, summary.nPapers AS n_papers,
       summary.nQuestions AS n_questions
