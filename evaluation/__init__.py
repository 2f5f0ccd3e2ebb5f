"""Evaluation on data folders: judged runs, measures with intervals, and reports.

1. ``task``               a data folder: documents, queries, and what would be right for each (``queries``);
2. ``corpus_store``       the corpus in a Neo4j of its own, with its vectors and enrichments;
3. ``retrieval``          rankings of every query by every pipeline, their figures, and embedding models compared;
4. ``measures``           figures of a ranking for each query;
5. ``statistics``         intervals of means and paired differences, and p-values;
6. ``report``             tables and plots of figures, as JSON, text and one HTML page;
7. ``selection_sweep``    ways of selecting, compared on the same candidates;
8. ``answers``            answers of readers, their figures, judges and ratings;
9. ``system_comparison``  whole systems side by side;
10. ``experiment``        the best pipeline of a grid for one's own questions.
"""
