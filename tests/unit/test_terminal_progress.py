import io
import sys
import time

import pytest

from papergraph.cli.output import TerminalProgress, TerminalText


class Terminal(io.StringIO):
    """A terminal that remembers what is drawn."""

    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + 10.0
        while text not in self.getvalue() and time.monotonic() < until:
            time.sleep(0.05)


def opened_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal in place of standard error; not in a fixture, since pytest sets it again before the test."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "120")):
        monkeypatch.setenv(name, value)
    return terminal


def test_a_bar_shows_how_far_it_is_the_remaining_time_and_the_current_file(monkeypatch: pytest.MonkeyPatch):
    terminal = opened_terminal(monkeypatch)

    with TerminalProgress() as told:
        told.advance("documents", 1, 3)
        told.at("documents", "bates[2015].pdf")
        told.advance("documents", 2, 3)
        terminal.wait_for("2/3")

    shown = terminal.getvalue()
    assert "2/3" in shown
    assert "--:--" in shown or "00:0" in shown
    assert "bates[2015].pdf" in shown


def test_what_has_no_bar_is_not_shown_beside_another(monkeypatch: pytest.MonkeyPatch):
    terminal = opened_terminal(monkeypatch)

    with TerminalProgress() as told:
        told.at("documents", "bates.pdf")
        told.advance("jars", 1, 3)
        terminal.wait_for("1/3")

    assert "1/3" in terminal.getvalue()
    assert "bates.pdf" not in terminal.getvalue()


@pytest.mark.parametrize("code", [0x061C, 0x200E, 0x200F, 0x202A, 0x202D, 0x202E, 0x2066, 0x2067, 0x2069])
def test_a_terminal_shows_titles_in_the_order_of_their_characters(code: int):
    stream = io.StringIO()
    print(f"On {chr(code)}gnp.sevaw", "\x1b[1mof שלום\x1b[0m", file=TerminalText(stream), flush=True)  # type: ignore[call-overload]

    assert stream.getvalue() == "On gnp.sevaw \x1b[1mof שלום\x1b[0m\n"
