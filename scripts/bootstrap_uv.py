"""Fetch uv as uv.lock names it, with its checksum, into .tools: for machines that have Python and nothing else.

Neither pip nor venv is needed. Usage: python3 scripts/bootstrap_uv.py
"""

import hashlib
import io
import platform
import stat
import sys
import tomllib
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / ".tools" / "uv"
TIMEOUT_S = 120


def main() -> int:
    if TARGET.exists():
        return 0
    wheel = find_wheel(platform.system(), platform.machine())
    if wheel is None:
        print(f"no uv for {platform.system()} {platform.machine()} in uv.lock: install uv by hand", file=sys.stderr)
        return 1
    print("fetching uv", file=sys.stderr)
    with urllib.request.urlopen(wheel["url"], timeout=TIMEOUT_S) as response:
        data = response.read()
    if f"sha256:{hashlib.sha256(data).hexdigest()}" != wheel["hash"]:
        print("the downloaded uv has another checksum than uv.lock says", file=sys.stderr)
        return 1
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        binary = next(name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        TARGET.parent.mkdir(exist_ok=True)
        part = TARGET.with_suffix(".part")
        part.write_bytes(archive.read(binary))
        part.chmod(part.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        part.replace(TARGET)
    return 0


def find_wheel(system: str, machine: str) -> dict[str, str] | None:
    with (ROOT / "uv.lock").open("rb") as file:
        packages = tomllib.load(file)["package"]
    wheels = next(package["wheels"] for package in packages if package["name"] == "uv")
    for wheel in wheels:
        name = wheel["url"].rpartition("/")[2]
        if system == "Linux" and name.endswith(f"_{machine}.whl") and "manylinux" in name:
            return wheel
    return None


if __name__ == "__main__":
    sys.exit(main())
