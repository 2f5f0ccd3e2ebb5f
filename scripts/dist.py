"""Build what a release consists of into ``dist/``, and print what uploading each part needs; ``make dist`` runs it.

Nothing is uploaded. The npm package needs npm, the jar needs Maven and Java; a part without its tool is an error.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
UPLOADS = {
    "pypi/server": "PyPI: a project named papergraph and its API token; uv publish dist/pypi/server/*",
    "pypi/client": "PyPI: a project named papergraph-client and its API token; uv publish dist/pypi/client/*",
    "npm": "npm: the scope @papergraph and an access token; npm publish dist/npm/*.tgz --access public",
    "maven": "Maven Central: the namespace of the group id, a PGP key for signatures, and a portal token",
}
"""Requirements of an upload, by folder below ``dist``."""


def main() -> int:
    uv, npm, maven = (needed(name) for name in ("uv", "npm", "mvn"))
    shutil.rmtree(DIST, ignore_errors=True)
    for folder in UPLOADS:
        (DIST / folder).mkdir(parents=True)
    run([uv, "build", "--quiet", "--out-dir", str(DIST / "pypi/server")], ROOT)
    run([uv, "build", "--quiet", "--out-dir", str(DIST / "pypi/client")], ROOT / "sdk/python")
    run([npm, "ci", "--silent"], ROOT / "sdk/typescript")
    run([npm, "pack", "--silent", "--pack-destination", str(DIST / "npm")], ROOT / "sdk/typescript")
    run([maven, "-q", "-B", "-DskipTests", "package"], ROOT / "sdk/java")
    for jar in (ROOT / "sdk/java/target").glob("client-*.jar"):
        shutil.copy(jar, DIST / "maven")
    for folder, needs in UPLOADS.items():
        for file in sorted((DIST / folder).iterdir()):
            print(f"{file.relative_to(ROOT)}  {file.stat().st_size:,} bytes")
        print(f"    to upload: {needs}")
    return 0


def needed(name: str) -> str:
    """Return the path of a program, or end with an error."""
    found = shutil.which(name) or shutil.which(name, path=str(ROOT / ".tools"))
    if found is None:
        raise SystemExit(f"make dist needs {name} on the PATH")
    return found


def run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} in {folder} failed:\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
