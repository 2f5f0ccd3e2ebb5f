"""What a process tells of itself: metrics, a log and traces; docs/observability.md has all of it.

Nothing here knows the text of a query, a document or an answer: names out of closed lists, numbers and ids are told.
"""
