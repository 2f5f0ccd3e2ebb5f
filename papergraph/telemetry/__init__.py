"""Telemetry of a process: metrics, log and traces, see docs/observability.md.

It contains names from closed lists, numbers and ids, but not the text of queries, documents or answers.
"""
