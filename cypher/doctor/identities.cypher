// One page of papers, authors, venues, affiliations, sections, chunks or references, with what their ids and hashes are
// made of.
//
// Parameters  $label  STRING   one of these: Paper, Author, Venue, Affiliation, Section, Chunk, Reference
//             $after  STRING   id of the last one of the page before, '' at the start
//             $limit  INTEGER  most rows
// Returns     id, paper_id  STRING  in order of id
//             parts  LIST<STRING>  collection and key (of authors also name), ordinal and title, ordinal and text, or
//                           ordinal and label
//             content_hash  STRING  of a chunk, else null
// Index       paper_id, author_id, section_id, chunk_id (schema/model.py),
//             reference_id (schema/model.py), venue_id, affiliation_id (schema/model.py)
// Try it      :param {label: 'Paper', after: '', limit: 10}
CYPHER 25
CALL () {
  WITH 1 AS one WHERE $label = 'Paper'
  MATCH (node:Paper) WHERE node.id > $after
  RETURN node.id AS id, node.id AS paper_id, [node.collection, node.key] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Author'
  MATCH (node:Author) WHERE node.id > $after
  RETURN node.id AS id, null AS paper_id, [node.collection, coalesce(node.key, node.name)] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Venue'
  MATCH (node:Venue) WHERE node.id > $after
  RETURN node.id AS id, null AS paper_id, [node.collection, node.key] AS parts, null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Affiliation'
  MATCH (node:Affiliation) WHERE node.id > $after
  RETURN node.id AS id, null AS paper_id, [node.collection, node.key] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Section'
  MATCH (node:Section) WHERE node.id > $after
  RETURN node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.title] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Chunk'
  MATCH (node:Chunk) WHERE node.id > $after
  RETURN node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.text] AS parts,
         node.contentHash AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  WITH 1 AS one WHERE $label = 'Reference'
  MATCH (node:Reference) WHERE node.id > $after
  RETURN node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.label] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
}
RETURN id, paper_id, parts, content_hash
ORDER BY id
