"""Everything at once for two minutes, with processes that are killed: nothing is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.faults]


def test_two_minutes_of_everything_lose_nothing(tmp_path: Path):
    figures = tmp_path / "figures.json"

    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.soak", "--minutes", "2", "--out", str(figures)],
        capture_output=True,
        text=True,
        timeout=1500,
    )

    assert figures.exists(), ended.stderr[-3000:]
    found = json.loads(figures.read_text())
    assert (found["losses"], found["unexplained errors"]) == (0, 0), ended.stderr[-5000:]
    assert found["the doctor finds nothing"] and found["the last backup is restored"]
