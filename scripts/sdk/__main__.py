"""Write what the clients have from the schema: ``python -m scripts.sdk``; ``--check`` fails where it differs."""

import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.sdk import coverage, python, typescript
from scripts.sdk.schema import ROOT

PYTHON = "sdk/python/src/papergraph_client"
TYPESCRIPT = "sdk/typescript/src"


def generated() -> dict[str, str]:
    """Return all generated files by their paths."""
    files = {f"{PYTHON}/{name}": text for name, text in python.files().items()}
    files |= {
        f"{PYTHON}/_sync/{path.name}": python.sync(path) for path in sorted((ROOT / PYTHON / "_async").glob("*.py"))
    }
    files |= {f"{TYPESCRIPT}/{name}": text for name, text in typescript.files().items()}
    return _formatted(files)


def references() -> dict[str, str]:
    """Return the pages of reference, which are made of the sources as they are."""
    return {
        "sdk/python/API.md": python.reference(),
        "sdk/typescript/API.md": typescript.reference(),
    }


def _formatted(files: dict[str, str]) -> dict[str, str]:
    """Return the files with the Python ones in their form."""
    with tempfile.TemporaryDirectory() as folder:
        names = {str(number) + ".py": path for number, path in enumerate(files) if path.endswith(".py")}
        for name, path in names.items():
            (Path(folder) / name).write_text(files[path], encoding="utf-8")
        config = ["--config", str(ROOT / "pyproject.toml"), folder]
        subprocess.run(
            [sys.executable, "-m", "ruff", "check", "--quiet", "--select", "I,F401", "--fix", *config], check=True
        )
        subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *config], check=True)
        formatted = {path: (Path(folder) / name).read_text(encoding="utf-8") for name, path in names.items()}
    return files | formatted


def main() -> int:
    """Write the files, or compare them; return the exit status."""
    if "--check" in sys.argv:
        faults = [f"{path} differs: python -m scripts.sdk writes it anew" for path, _ in stale(generated())]
        faults += coverage.faults() or [
            f"{path} differs: python -m scripts.sdk writes it anew" for path, _ in stale(references())
        ]
        print("\n".join(faults))
        return 1 if faults else 0
    for made in (generated, references):
        for path, text in stale(made()):
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
            print(f"wrote {path}")
    return 0


def stale(files: dict[str, str]) -> list[tuple[str, str]]:
    """Return the files that are not there as they should be, with their text."""
    return [
        (path, text)
        for path, text in files.items()
        if not (ROOT / path).exists() or (ROOT / path).read_text(encoding="utf-8") != text
    ]


if __name__ == "__main__":
    sys.exit(main())
