// Works are known by their titles too: look-ups of papers and of entries of lists of references.
CREATE INDEX paper_title_key IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.titleKey);
CREATE INDEX reference_title_key IF NOT EXISTS FOR (n:Reference) ON (n.collection, n.titleKey);
CALL db.createProperty('titleKey');
