# Written by python -m scripts.sdk from _async/__init__.py.
"""The synchronous client; the synchronous one is written from it."""
