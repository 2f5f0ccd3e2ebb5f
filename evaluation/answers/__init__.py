"""Evaluation of answers: readers are asked questions, and what they write is measured.

1. ``question_sets``      questions with what would be right, answers of systems, and files of both;
2. ``answer_scores``      an answer beside its references by words and vectors, and arithmetic of verdicts;
3. ``answer_judge``       verdicts of a language model;
4. ``answer_readers``     readers of this server;
5. ``answer_evaluation``  questions to readers in turns, figures, and the report;
6. ``answer_ratings``     ratings by experts and their agreement;
7. ``testset``            questions written by a language model.
"""
