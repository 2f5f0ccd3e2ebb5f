"""Server: retrieval, answers, and the interfaces."""
