"""Tests of Python programs as methods of the command line."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import ruse

SEARCH = """
import ruse.external

def search(problem):
    assert problem.games == problem.games_left and problem.start.shape == (problem.dimension,)
    theta = problem.start
    print("for people")
    while True:
        thetas = theta + problem.generator.standard_normal((8, problem.dimension))
        theta = thetas[problem.evaluate(thetas, pairs=40).argmax()]
        problem.champion(theta)

ruse.external.main(search)
"""


def test_a_search_is_a_method(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text(SEARCH, encoding="utf-8")
    war = ruse.family("war")
    method = f"{sys.executable} {program}"
    run = war.optimise(method, budget="10k", seed=2)
    assert run.stop_reason == "games" and 9_000 < run.games <= 10_000
    assert run.score.score > 0.55
    assert war.optimise(method, budget="10k", seed=2).history == run.history
    assert war.optimise(method, budget="10k", seed=3).history != run.history


def climb(problem: ruse.external.Problem) -> None:
    """A search function that a program finds in this module."""
    theta = problem.start
    while True:
        thetas = theta + problem.generator.standard_normal((10, problem.dimension))
        theta = thetas[problem.evaluate(thetas, pairs=20).argmax()]
        problem.champion(theta)


def test_a_function_is_a_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    module = importlib.import_module("test_external")
    found = ruse.compare(["war"], [module.climb, "naive"], budget="8k", repeats=2, half_width=0.05)
    assert list(found.scores["method"]) == ["climb", "naive"]
    run = ruse.family("war").optimise(module.climb, budget="8k")
    assert 7_000 < run.games <= 8_000
    # A script finds its own functions.
    script = tmp_path / "script.py"
    script.write_text(
        SEARCH.replace("ruse.external.main(search)", "")
        + 'import ruse\nif __name__ == "__main__":\n'
        + '    print(ruse.family("war").optimise(search, budget="2k").stop_reason)\n',
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "games\n"


def test_a_function_that_no_program_finds_is_refused() -> None:
    with pytest.raises(ruse.RuseError, match="must be a function of a module"):
        ruse.compare(["war"], [lambda problem: None], budget="8k")
    with pytest.raises(ruse.RuseError, match="has no optimiser 'Nothing'"):
        pytest.importorskip("nevergrad")
        ruse.family("war").optimise("nevergrad:Nothing", budget="2k")


@pytest.mark.parametrize(
    ("package", "words"), [("cma", ["pycma"]), ("nevergrad", ["nevergrad", "TBPSA", "--workers", "20"])]
)
def test_packages_are_methods(package: str, words: list[str]) -> None:
    pytest.importorskip(package)
    method = " ".join([sys.executable, "-m", "ruse.external", *words, "--pairs", "20"])
    for family, dimension in [("war", 3), ("pig", 1)]:
        tuned = ruse.family(family)
        assert tuned.space.dimension >= dimension
        run = tuned.optimise(method, budget="12k", seed=1)
        assert run.stop_reason in ("games", "finished") and 0 < run.games <= 12_000
        assert tuned.optimise(method, budget="12k", seed=1).champion == run.champion
        if family == "war":
            assert run.score.score > 0.55


#: A package with a thread that waits forever, like the threads that some optimisers leave.
WAITING = """
import threading
from types import SimpleNamespace

import numpy as np

threading.Thread(target=threading.Event().wait).start()

class CMAEvolutionStrategy:
    def __init__(self, mean, sigma, settings):
        self.result = SimpleNamespace(xfavorite=np.array(mean))

    def stop(self):
        return False

    def ask(self):
        return [self.result.xfavorite, self.result.xfavorite + 1]

    def tell(self, thetas, losses):
        assert len(thetas) == len(losses) == 2
"""


def test_threads_that_wait_for_nothing_keep_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cma.py").write_text(WAITING, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run = ruse.family("war").optimise(f"{sys.executable} -m ruse.external pycma --pairs 5", budget="1k", seed=1)
    assert run.stop_reason == "games" and 800 < run.games <= 1000


def test_what_goes_wrong_is_said(tmp_path: Path) -> None:
    war = ruse.family("war")
    with pytest.raises(ruse.RuseError, match="nevergrad has no optimiser 'Nobody'"):
        pytest.importorskip("nevergrad")
        war.optimise(f"{sys.executable} -m ruse.external nevergrad Nobody", budget="1k")
    broken = tmp_path / "broken.py"
    broken.write_text("import ruse.external\nruse.external.main(lambda problem: [1, 2])\n", encoding="utf-8")
    with pytest.raises(ruse.RuseError, match="the champion has 2 parameters, and must have 3"):
        war.optimise(f"{sys.executable} {broken}", budget="1k")
    words = [sys.executable, "-m", "ruse.external", "pycma"]
    done = subprocess.run(words, input="hello\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "is started by ruse" in done.stderr
