"""Import of Neo4j's driver without pandas, half a second of every command; import this module before ``neo4j``.

The driver imports pandas wherever it is installed, to accept its types as parameters. papergraph passes none.
"""

import sys

if "neo4j" not in sys.modules and "pandas" not in sys.modules:
    sys.modules["pandas"] = None  # type: ignore[assignment] # what makes an import fail, see importlib's documentation
    try:
        import neo4j  # noqa: F401
    finally:
        del sys.modules["pandas"]
