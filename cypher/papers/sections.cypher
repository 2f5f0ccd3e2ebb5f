// One page of sections for each of several papers, in reading order.
//
// Parameters  $paper_ids  LIST<STRING>  ids of papers
//             $after      INTEGER       ordinal of the last section of the page before, -1 at the start
//             $limit      INTEGER       sections for each paper, at least 1
//             $collections  LIST<STRING>  the collections that the principal reaches, or null for all
// Returns     paper_id  STRING
//             section  MAP  properties
//             path  LIST<STRING>  headings down to its own, outermost first
//             parent_id  STRING  id of the section above, or null
// Index       section_position (schema/model.py)
// Try it      :param paper_ids => COLLECT { MATCH (p:Paper) RETURN p.id LIMIT 3 }
//             :param {after: -1, limit: 10}
//             :param {collections: null}
CYPHER 25
UNWIND $paper_ids AS paper_id
CALL (paper_id) {
  MATCH (section:Section {paperId: paper_id})
  WHERE section.ordinal > $after AND ($collections IS NULL OR section.collection IN $collections)
  WITH section ORDER BY section.ordinal LIMIT $limit
  MATCH way = (top:Section)-[:HAS_SUBSECTION*0..12]->(section)
  WHERE NOT EXISTS { (:Section)-[:HAS_SUBSECTION]->(top) }
  RETURN properties(section) AS section,
         [heading IN nodes(way) | heading.title] AS path, [heading IN nodes(way) | heading.id][-2] AS parent_id
}
RETURN paper_id, section, path, parent_id
ORDER BY paper_id, section.ordinal
