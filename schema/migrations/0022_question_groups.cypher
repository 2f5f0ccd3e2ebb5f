// Questions know the metadata that they were made from, and the group of papers across which they were made.
CREATE INDEX question_group IF NOT EXISTS FOR (n:Question) ON (n.collection, n.groupId);
CALL db.createProperty('groupId');
CALL db.createProperty('metadata');
