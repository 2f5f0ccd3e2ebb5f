"""Files for a test."""

from pathlib import Path


def write(path: Path, text: str | bytes) -> Path:
    """Write a file, folders and all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
