r"""Finding one's way in LaTeX without reading it: groups in braces, arguments of commands, cells of tables."""

import re
from collections.abc import Iterator

BLANKS = re.compile(r"\s*")


def skip_blanks(text: str, start: int) -> int:
    """Return the place of the next character that is no blank."""
    found = BLANKS.match(text, start)
    return found.end() if found else start


def group(text: str, start: int, pair: str = "{}") -> tuple[str, int] | None:
    """Return what is in the group that opens at ``start``, and the place after it; None where none opens or ends."""
    opening, closing = pair[0], pair[1]
    if start >= len(text) or text[start] != opening:
        return None
    depth, braces, place = 0, 0, start
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 2
            continue
        if pair != "{}":
            braces += (character == "{") - (character == "}")
        if character == opening and not braces:
            depth += 1
        elif character == closing and not braces:
            depth -= 1
            if depth == 0:
                return text[start + 1 : place], place + 1
        place += 1
    return None


def arguments(text: str, start: int, form: str) -> tuple[list[str], int] | None:
    """Return a command's arguments from ``start`` on, and the place after them; None where one is missing.

    ``form`` has a letter for each: ``m`` for one in braces, ``o`` for one in brackets that may be missing, ``s`` for
    a star that may be missing; what is missing gives ''.
    """
    found: list[str] = []
    place = start
    for letter in form:
        at = skip_blanks(text, place)
        if letter == "s":
            found.append("*" if text[at : at + 1] == "*" else "")
            place = at + len(found[-1])
            continue
        given = group(text, at, "{}" if letter == "m" else "[]")
        if given is None:
            if letter == "m":
                return None
            found.append("")
        else:
            found.append(given[0])
            place = given[1]
    return found, place


def split(text: str, separator: re.Pattern[str]) -> Iterator[str]:
    """Yield the parts of a text between matches of ``separator`` that stand in no group and no environment."""
    first = place = depth = 0
    while place < len(text):
        if depth == 0 and (found := separator.match(text, place)):
            yield text[first:place]
            first = place = found.end()
            continue
        character = text[place]
        if text.startswith(r"\begin{", place):
            depth += 1
        elif text.startswith(r"\end{", place):
            depth -= 1
        elif character == "\\":
            place += 2
            continue
        elif character in "{}":
            depth += 1 if character == "{" else -1
            place += 1
            continue
        if text.startswith((r"\begin{", r"\end{"), place):
            place = text.index("{", place)
            closing = text.find("}", place)
            place = len(text) if closing < 0 else closing + 1
            continue
        place += 1
    yield text[first:]
