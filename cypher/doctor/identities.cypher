// One page of papers, authors, venues, affiliations, sections, chunks and references, with what their ids and hashes are
// made of.
//
// Parameters  $after  STRING   id of the last one of the page before, '' at the start
//             $limit  INTEGER  most rows
// Returns     label, id, paper_id  STRING
//             parts  LIST<STRING>  collection and key (of authors also name), ordinal and title, ordinal and text, or
//                           ordinal and label
//             content_hash  STRING  of a chunk, else null
// Index       paper_id, author_id, section_id, chunk_id (schema/migrations/0001_constraints.cypher),
//             reference_id (schema/migrations/0011_names.cypher), venue_id, affiliation_id (0016_places)
// Try it      :param {after: '', limit: 10}
CYPHER 25
CALL () {
  MATCH (node:Paper)
  WHERE node.id > $after
  RETURN 'Paper' AS label, node.id AS id, node.id AS paper_id, [node.collection, node.key] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Author)
  WHERE node.id > $after
  RETURN 'Author' AS label, node.id AS id, null AS paper_id, [node.collection, coalesce(node.key, node.name)] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Venue)
  WHERE node.id > $after
  RETURN 'Venue' AS label, node.id AS id, null AS paper_id, [node.collection, node.key] AS parts, null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Affiliation)
  WHERE node.id > $after
  RETURN 'Affiliation' AS label, node.id AS id, null AS paper_id, [node.collection, node.key] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Section)
  WHERE node.id > $after
  RETURN 'Section' AS label, node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.title] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Chunk)
  WHERE node.id > $after
  RETURN 'Chunk' AS label, node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.text] AS parts,
         node.contentHash AS content_hash
  ORDER BY node.id LIMIT $limit
  UNION ALL
  MATCH (node:Reference)
  WHERE node.id > $after
  RETURN 'Reference' AS label, node.id AS id, node.paperId AS paper_id, [toString(node.ordinal), node.label] AS parts,
         null AS content_hash
  ORDER BY node.id LIMIT $limit
}
RETURN label, id, paper_id, parts, content_hash
ORDER BY id LIMIT $limit
