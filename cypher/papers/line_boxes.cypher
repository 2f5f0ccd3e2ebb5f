// Where the lines of papers stand on their pages; nothing of papers that were no PDFs.
//
// Parameters  $ids          LIST<STRING>  ids of papers
//             $collections  LIST<STRING>  collections to look in, or null for all
// Returns     id  STRING  of the paper
//             line_boxes  STRING  as ingest/parsers/line_boxes.py packs them
// Index       paper_id (schema/model.py)
// Try it      :param ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {collections: null}
CYPHER 25
UNWIND $ids AS id
MATCH (paper:Paper {id: id})
WHERE paper.lineBoxes IS NOT NULL AND ($collections IS NULL OR paper.collection IN $collections)
RETURN paper.id AS id, paper.lineBoxes AS line_boxes
