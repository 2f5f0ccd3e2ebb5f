"""Which snapshots of an archive stay: the last of each of so many days, weeks and months."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from papergraph.errors import InputError

_RULE = re.compile(r"(\d{1,4})([dwm])")
_PERIODS = {"d": "%Y-%m-%d", "w": "%G-%V", "m": "%Y-%m"}


def kept_snapshots(paths: Sequence[Path], rule: str) -> list[Path]:
    """Return which manifests stay by a rule such as ``7d,4w,12m``; the last one stays always.

    Args:
        paths: Manifests, the oldest first, by whose names their time is known.
        rule: How many days, weeks and months keep their last snapshot.

    Raises:
        InputError: The rule has another form.
    """
    staying = set(paths[-1:])
    for part in map(_RULE.fullmatch, rule.replace(" ", "").split(",")):
        if part is None:
            raise InputError(
                f"--keep {rule!r} is no rule: write 7d,4w,12m for 7 days, 4 weeks and 12 months", field="keep"
            )
        last = {taken_at(path).strftime(_PERIODS[part[2]]): path for path in paths}
        periods = sorted(last)[max(0, len(last) - int(part[1])) :] if int(part[1]) else []
        staying |= {last[period] for period in periods}
    return [path for path in paths if path in staying]


def taken_at(path: Path) -> datetime:
    """Return when a snapshot was begun, by the name of its manifest; later where a clock was set back before it."""
    return datetime.strptime(path.name.partition("-")[0], "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
