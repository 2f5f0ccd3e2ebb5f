"""How good retrieval is, as figures: data folders, judged runs, measures with intervals, reports.

1. ``task``       reads a data folder: its documents, its queries, and what would be right for each (``queries``);
2. ``home``       loads a corpus into a Neo4j of its own, once, and ``vectors`` keeps what was embedded;
3. ``runs``       asks every query of every pipeline, and times it;
4. ``measures``   a ranking and what would be right to a figure for each query;
5. ``bootstrap``  figures for queries to a mean with an interval, and to differences between pipelines;
6. ``report``     all of it as JSON, as TREC runs and as a table;
7. ``sweep``      ways of selecting, compared on the same candidates, and ``page`` draws them;
8. ``evaluate``   puts them together, for the command;
9. ``answers``    the same for what readers write from the passages.
"""
