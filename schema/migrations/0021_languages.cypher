// Papers have a language. Those of before get theirs by schema/languages.py, after these statements.
CREATE INDEX paper_language IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.language);
CALL db.createProperty('language');
