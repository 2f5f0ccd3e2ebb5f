"""Experiments: which of many configurations is best for one's own questions, with evidence.

Each retriever is asked once for each question. Fusion, weights and limits are replayed from what it found. See
``docs/experiments.md``.
"""
