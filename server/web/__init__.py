"""Web interface: the pages that ``web/`` is built into, and how they are served."""
