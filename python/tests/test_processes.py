"""Tests of Ctrl-C, forks, the end of the interpreter, and the command line in the wheel."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ruse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of Unix")


def interrupted(program: str, *, ready: str = "ready", directory: Path | None = None) -> tuple[str, int, float]:
    """Sends Ctrl-C to a program half a second after it is ready. Returns its output, its exit code, and the time until its end."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=directory,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == ready
    time.sleep(0.5)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    return out, process.returncode, time.monotonic() - sent


@pytest.mark.parametrize(
    "call",
    [
        "war.match('random', 'ascending', pairs='100M')",
        "war.evaluate(war.space.sample(1, 1000), pairs='1M')",
        "war.race('random', 'random', comparison='bernstein', precision=.0001)",
        "war.league(['random', 'ascending', 'descending'], pairs='100M')",
        "war.exploit('random', budget='1G')",
    ],
)
def test_ctrl_c_interrupts_games(call: str) -> None:
    program = f"""
import ruse
war = ruse.family("war")
print("ready")
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
print(war.match("random", pairs=10).pairs)
"""
    out, code, elapsed = interrupted(program)
    assert (out.split(), code) == (["interrupted", "10"], 0)
    assert elapsed < 10


def test_ctrl_c_keeps_what_a_run_has_found(tmp_path: Path) -> None:
    program = """
import ruse
war = ruse.family("war")
print("ready")
run = war.optimise("iterative", budget="1G", out="run")
print(run.stop_reason, run.games > 0, run.champion.family.name)
"""
    out, code, elapsed = interrupted(program, directory=tmp_path)
    assert (out.split(), code) == (["interrupted", "True", "war"], 0)
    assert elapsed < 20
    run = ruse.open(tmp_path / "run")
    assert isinstance(run, ruse.Run) and run.stop_reason == "interrupted"


def test_ctrl_c_is_that_of_the_command_line() -> None:
    program = """
import sys, threading
from ruse._cli import main
threading.Timer(.2, lambda: print("ready")).start()
sys.argv = ["ruse", "match", "war", "random", "ascending", "--pairs", "1G", "--json"]
main()
"""
    out, code, _ = interrupted(program)
    assert code == 130 and '"interval"' in out


def _score(seed: int) -> float:
    return ruse.family("war").match("random", "ascending", pairs=500, seed=seed).score


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_processes_play_after_the_first_has(how: str) -> None:
    expected = [_score(seed) for seed in range(4)]
    context = multiprocessing.get_context(how)
    with context.Pool(2) as pool:
        assert pool.map_async(_score, range(4)).get(timeout=120) == expected


def test_an_interpreter_may_end_while_games_are_played() -> None:
    program = """
import threading, time
import ruse
war = ruse.family("war")
threading.Thread(target=lambda: war.match("random", "ascending", pairs="1G"), daemon=True).start()
time.sleep(.3)
print("the end")
"""
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("the end\n", "", 0)


def test_the_command_is_in_the_wheel() -> None:
    command = Path(sys.executable).with_name("ruse")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"ruse {ruse.__version__}\n"
    failed = subprocess.run([command, "show", "wra"], capture_output=True, text=True, check=False)
    assert failed.returncode == 2 and "did you mean" in failed.stderr or "tip:" in failed.stderr
    piped = f"'{command}' list | head -1"
    assert os.system(f"{piped} > {os.devnull}") == 0
