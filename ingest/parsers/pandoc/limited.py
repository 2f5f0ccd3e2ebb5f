"""Become a program within limits: ``limited.py SECONDS MEMORY_BYTES OUTPUT_BYTES PROGRAM [ARGUMENT ...]``.

Run by itself, without the rest of the project, so that it starts fast; dies with its parent.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Set the limits and replace this process by the program."""
    seconds, memory_bytes, output_bytes = map(int, sys.argv[1:4])
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output_bytes, output_bytes))
    os.execv(sys.argv[4], sys.argv[4:])  # noqa: S606 no shell is meant


if __name__ == "__main__":
    main()
