// Decisions about authors are read with every paper that is written. Authors of before stay as they are: one who is
// known by name only has neither key nor aliases, and so the same id and the same properties.
CREATE INDEX review_kind IF NOT EXISTS FOR (n:Review) ON (n.collection, n.kind);
CALL db.createProperty('authorIds');
