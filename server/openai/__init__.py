"""OpenAI-compatible API: each pipeline is a model, and answers carry their sources."""
