// Entries of lists of references, and look-ups from these to papers and back.
CREATE CONSTRAINT citation_id IF NOT EXISTS FOR (n:Citation) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT citation_position IF NOT EXISTS FOR (n:Citation) REQUIRE (n.paperId, n.ordinal) IS UNIQUE;
CREATE INDEX paper_doi IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.doi);
CREATE INDEX paper_arxiv IF NOT EXISTS FOR (n:Paper) ON (n.collection, n.arxivId);
CREATE INDEX citation_doi IF NOT EXISTS FOR (n:Citation) ON (n.collection, n.doi);
CREATE INDEX citation_arxiv IF NOT EXISTS FOR (n:Citation) ON (n.collection, n.arxivId);
