"""Headings by their fonts: lines that look like headings, grouped by look, as far as their numbers run in sequence."""

from collections import Counter
from statistics import median

from ingest.parsers.pdf.glyphs import Style
from ingest.parsers.pdf.heading_lines import (
    ALWAYS,
    NUMBER,
    Candidate,
    FoundHeading,
    Lines,
    Look,
    begins_text,
    find_candidates,
)


def headings_by_fonts(lines: Lines) -> list[FoundHeading]:
    candidates = find_candidates(lines)
    by_look: dict[Look, list[Candidate]] = {}
    for candidate in candidates:
        by_look.setdefault(candidate.look, []).append(candidate)
    in_look = Counter(look for number, look in enumerate(lines.looks) if not begins_text(lines, number))
    accepted = {
        look: _evenly_spaced(found)
        for look, found in by_look.items()
        if _is_heading_look(look, found, sum(c.last - c.first + 1 for c in found) / max(1, in_look[look]), lines.body)
    }
    headings = [candidate for found in accepted.values() for candidate in found]
    headings += [
        candidate
        for look, found in by_look.items()
        if look not in accepted
        for candidate in found
        if ALWAYS.fullmatch(candidate.title) or (candidate.known and candidate.numbered)
    ]
    headings.sort(key=lambda candidate: candidate.first)
    headings = _after_front(_in_sequence(headings), lines)
    if not headings:
        return []
    _set_levels(headings)
    return [FoundHeading(c.first, c.last, c.title, c.level) for c in headings]


def _evenly_spaced(found: list[Candidate]) -> list[Candidate]:
    """Leave out what has less room below it than the others of its look, and neither number nor known name.

    These are the first words of a paragraph, set on a line of their own by chance.
    """
    gaps = [candidate.gap_after for candidate in found if candidate.gap_after < 10]
    usual = median(gaps) if len(gaps) > 2 else 0.0
    return [c for c in found if c.gap_after > usual - 0.2 or c.numbered or c.known]


def _is_heading_look(look: Look, found: list[Candidate], purity: float, body: Style) -> bool:
    style, upper = look
    n_known = sum(candidate.known for candidate in found)
    n_numbered = sum(candidate.numbered is not None for candidate in found)
    if purity < 0.5:
        return False
    if n_known and (len(found) > 1 or n_numbered):
        return True
    if n_numbered >= 2 or (n_numbered and (style.bold or style.size >= body.size + 0.9)):
        return True
    if style.size >= body.size + 0.9 or style.bold or upper:
        return len(found) >= 2 or n_known > 0
    return len(found) >= 3 and purity >= 0.8


def _in_sequence(headings: list[Candidate]) -> list[Candidate]:
    """Leave out numbered lines that do not continue the count: items of a list, cells of a table."""
    kept = []
    last = 0
    for heading in headings:
        number = heading.numbered["number"] if heading.numbered and heading.numbered.re is NUMBER else ""
        if number.isdigit():
            if not (last < int(number) <= last + 2 or (last == 0 and int(number) <= 2)):
                continue
            last = int(number)
        kept.append(heading)
    return kept


def _after_front(headings: list[Candidate], lines: Lines) -> list[Candidate]:
    """Leave out what stands before the abstract or the first known or numbered heading of the first pages."""
    for position, heading in enumerate(headings):
        if lines.lines[heading.first].page > 1:
            break
        if heading.known or (heading.numbered and heading.numbered["number"] in ("1", "I", "0")):
            return headings[position:]
    return headings


def _set_levels(headings: list[Candidate]) -> None:
    """Give each heading its level: by its number, else as its look's numbered ones, else by the rank of its look."""
    depths: dict[Look, Counter[int]] = {}
    for heading in headings:
        if heading.numbered:
            depths.setdefault(heading.look, Counter())[_depth(heading, headings)] += 1
    strengths = {_strength(heading.look) for heading in headings}
    for heading in headings:
        if heading.numbered:
            heading.level = _depth(heading, headings)
        elif heading.look in depths:
            heading.level = depths[heading.look].most_common(1)[0][0]
        elif ALWAYS.fullmatch(heading.title):
            heading.level = 1
        else:
            heading.level = 1 + sum(strength > _strength(heading.look) for strength in strengths)


def _depth(heading: Candidate, headings: list[Candidate]) -> int:
    number = heading.numbered["number"] if heading.numbered else ""
    roman = any(h.numbered and h.numbered["number"] in ("II", "III", "IV") for h in headings)
    if roman and len(number) == 1 and number.isalpha() and number not in "IVX":
        return 2
    return number.count(".") + 1


def _strength(look: Look) -> tuple[float, int, int, int]:
    style, upper = look
    return round(style.size), int(style.bold), int(upper or style.small_caps), -int(style.italic)
