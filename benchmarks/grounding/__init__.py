"""Benchmarks of answers: the verifier, small models, follow-up questions, questions about the graph, and refusals."""
