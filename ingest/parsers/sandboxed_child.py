"""The child: a document on standard input, the document on standard output, as JSON, within limits."""

import sys

from ingest.parsers.pdf.child import answer_with, limit_ourselves


def main() -> None:
    """Parse one document within the limits that the first argument names."""
    limits = limit_ourselves()
    from ingest.parsers.sandboxed import read_here

    answer_with(lambda: read_here(sys.stdin.buffer.read(), *sys.argv[2:5]), limits)


if __name__ == "__main__":
    main()
