"""Optional parts of papergraph, the extras of its package, and the commands that install them."""


def install_command(extra: str) -> str:
    """Return the commands that install an extra: in a clone, and of the package."""
    return f"uv sync --inexact --extra {extra} (in a clone), or pip install 'papergraph[{extra}]'"
