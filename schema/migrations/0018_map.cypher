// Places of papers on a map in two dimensions, what gave them, and the topics that papers are shown under.
CALL db.createProperty('mapPlace');
CALL db.createProperty('placedBy');
CALL db.createProperty('mapTopic');
