"""Write what describes REST: ``python -m scripts.docs.openapi > schema/openapi.json``."""

import json
import sys

from papergraph.server.rest.router import description


def text() -> str:
    """Return the description as the file holds it."""
    return json.dumps(description(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
