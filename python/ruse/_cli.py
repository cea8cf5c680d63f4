"""The command `ruse`, which is the same program as without Python."""

from __future__ import annotations

import sys

from . import _ruse


def main() -> None:
    """Runs the command line with the arguments of the process, and ends the process with the exit code."""
    sys.stdout.flush()
    sys.exit(_ruse.main(["ruse", *sys.argv[1:]]))
