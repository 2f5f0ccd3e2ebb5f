// Replace paths of files by their names in the papers of a replica, as interfaces show them (schema/ids.py, public_key).
//
// Parameters  none
// Returns     nothing
// Revises     itself
// Index       none: all papers are read
// Try it      paste as it is
CYPHER 25
MATCH (paper:Paper)
WHERE paper.key STARTS WITH 'file:/' OR any(source IN paper.sources WHERE source STARTS WITH '/')
CALL (paper) {
  SET paper.keys = [key IN paper.keys | CASE WHEN key STARTS WITH 'file:/'
                    THEN 'file:' + split(key, '/')[-1] + '#' + substring(paper.id, 0, 16) ELSE key END],
      paper.sources = [source IN paper.sources | CASE WHEN source STARTS WITH '/'
                       THEN split(source, '/')[-1] ELSE source END]
  SET paper.key = paper.keys[0], paper.revision = randomUUID()
} IN TRANSACTIONS OF 1000 ROWS
