// Papers have a revision, another one after each change of what belongs to them: backups read only what has changed.
CALL db.createProperty('revision');
CALL db.createProperty('waiting');
CYPHER 25
MATCH (paper:Paper)
WHERE paper.revision IS NULL
CALL (paper) {
  SET paper.revision = randomUUID()
} IN TRANSACTIONS OF 1000 ROWS;
