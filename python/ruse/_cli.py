"""The command `ruse`, which is the same program as without Python."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

from . import _ruse
from ._family import Family
from ._ruse import RuseError


def main() -> None:
    """Runs the command line with the arguments of the process, and ends the process with the exit code."""
    sys.stdout.flush()
    # The program listens to signals itself. A handler of Python would raise an exception after the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_ruse.main(["ruse", *sys.argv[1:]]))


def command(name: str, *arguments: object, **options: object) -> Any:
    """Carries out a command of the command line in a process of its own, and returns what it prints with `--json`.

    Options have underscores instead of hyphens; True stands for an option without a value, and a list for several values.

    >>> import ruse
    >>> ruse.command("power", "pig", "hold-20", "random", difference=0.05)["pairs"]
    220
    """
    words = [name]
    for argument in arguments:
        if isinstance(argument, Family):
            words += [argument.name, *(f"--rule={rule}={value}" for rule, value in argument._changes.items())]
        else:
            words.append(str(argument))
    for key, value in options.items():
        flag = f"--{key.replace('_', '-')}"
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(flag)
            elif one is not None and one is not False:
                words.append(f"{flag}={one}")
    said = [sys.executable, "-m", "ruse", *words, "--json", "--quiet"]
    done = subprocess.run(said, capture_output=True, encoding="utf-8", env={**os.environ, "NO_COLOR": "1"}, check=False)
    if done.returncode in (130, 143):
        raise KeyboardInterrupt
    if done.returncode != 0:
        raise RuseError(done.stderr.strip().removeprefix("error: "))
    return json.loads(done.stdout)
