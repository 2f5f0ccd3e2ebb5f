"""The asynchronous client; the synchronous one is written from it."""
