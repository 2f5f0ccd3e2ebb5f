// Papers that readers find relevant to a question, or not.
CREATE CONSTRAINT judgement_id IF NOT EXISTS FOR (n:Judgement) REQUIRE n.id IS UNIQUE;
CREATE INDEX judgement_question IF NOT EXISTS FOR (n:Judgement) ON (n.collection, n.question);
CREATE INDEX judgement_rater IF NOT EXISTS FOR (n:Judgement) ON (n.rater);
CALL db.createProperty('relevant');
CALL db.createProperty('judgedAt');
