"""Experiments: the best pipeline of a grid for one's own questions, with a hold-out and paired intervals.

See ``docs/evaluation.md``.
"""
