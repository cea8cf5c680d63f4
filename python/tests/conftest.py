"""Helpers that several tests share."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

CommandLine = Callable[..., Any]


@pytest.fixture
def command_line() -> CommandLine:
    """Runs the command `ruse` in its own process, and returns its JSON."""

    def run(*arguments: object, code: int = 0) -> Any:
        words = [sys.executable, "-m", "ruse", *map(str, arguments), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    return run
