// Answers that askers stored, and what readers think of them.
CREATE CONSTRAINT stored_answer_id IF NOT EXISTS FOR (n:StoredAnswer) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT answer_rating_id IF NOT EXISTS FOR (n:AnswerRating) REQUIRE n.id IS UNIQUE;
CREATE INDEX stored_answer_asker IF NOT EXISTS FOR (n:StoredAnswer) ON (n.asker, n.askedAt);
CALL db.createRelationshipType('RATES');
CALL db.createProperty('askedAt');
CALL db.createProperty('content');
CALL db.createProperty('rater');
CALL db.createProperty('verdict');
CALL db.createProperty('comment');
CALL db.createProperty('ratedAt');
