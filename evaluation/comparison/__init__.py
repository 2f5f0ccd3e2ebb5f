"""Systems side by side on the same questions: pipelines, chunkings and readers, to tables and one page."""
