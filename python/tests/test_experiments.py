"""Tests of runs, comparisons and directories: Python and the command line read what the other has written."""

from __future__ import annotations

import filecmp
import pickle
from pathlib import Path

import numpy as np
import pytest

import ruse

from .conftest import CommandLine


def same_files(left: Path, right: Path) -> None:
    """Checks that both directories have the same files, byte for byte, except for author and time."""
    ours = sorted(file.relative_to(left) for file in left.rglob("*") if file.is_file())
    theirs = sorted(file.relative_to(right) for file in right.rglob("*") if file.is_file())
    assert ours == theirs
    # The lock is empty, and the provenance contains the time.
    names = [str(name) for name in ours if name.name != "provenance.yaml"]
    assert len(names) > 4
    assert filecmp.cmpfiles(left, right, names, shallow=False) == (names, [], [])


@pytest.mark.parametrize("method", ["naive", "cma-es", "seeds"])
def test_runs_are_those_of_the_command_line(command_line: CommandLine, tmp_path: Path, method: str) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    options = ["--budget", "10k", "--seed", 3, "--rule", "suits=2", "--method", method]
    command_line("optimise", "war", *options, "--worst-case", "0", "--out", theirs)
    family = ruse.family("war", {"suits": 2})
    run = family.optimise(method, budget="10k", seed=3, out=ours)
    same_files(theirs, ours)
    for opened in (ruse.open(theirs), ruse.open(ours)):
        assert isinstance(opened, ruse.Run)
        assert opened.champion == run.champion and opened.score == run.score
        assert opened.history == run.history and opened.population == run.population
    assert (run.method, run.seed, run.stop_reason, run.family) == (method, 3, "games", family)
    assert len(run.history) >= 1 and run.games <= 10_000 and len(run.population) >= 1
    assert "<svg" in run.curve.svg() and set(run.references) == set(family.references)
    assert run.path is not None and run.path.parent == ours


def test_a_run_without_limits_plays_the_default_budget() -> None:
    surface = ruse.family("elo-surface")
    run = surface.optimise(seed=1)
    assert (run.method, run.stop_reason) == ("es", "games")
    assert 0.99 * surface.default_budget < run.games <= surface.default_budget
    assert surface.optimise(budget=2000, seed=1).games <= 2000


def test_a_run_without_a_directory_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pig = ruse.family("pig")
    kept = pig.optimise("iterative", budget=5000, out="kept")
    passing = pig.optimise("iterative", budget=5000)
    assert passing.path is None and passing.champion == kept.champion and passing.score == kept.score
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]
    again = pickle.loads(pickle.dumps(passing))
    assert again.champion == passing.champion and again.history == passing.history
    assert "iterative" in repr(passing) and "<svg" in passing._repr_html_()
    with pytest.raises(ruse.RuseError, match="ruse resume"):
        pig.optimise("iterative", budget=5000, out="kept")


def test_keys_of_files_are_keywords(tmp_path: Path) -> None:
    run = ruse.family("war").optimise(
        "seeds", budget=4000, allocation="halving", evaluation_pairs=50, baseline=[0, 0, 1], out=tmp_path / "run"
    )
    spec = ruse.Experiment(tmp_path / "run").spec
    assert spec["allocation"] == "halving" and spec["evaluation-pairs"] == 50 and spec["baseline"] == [0, 0, 1]
    assert run.score.pairs == 50


def test_a_callback_learns_how_far_a_run_is() -> None:
    told: list[ruse.Progress] = []
    run = ruse.family("war").optimise("naive", budget="20k", callback=told.append)
    assert [told[0].event, told[1].event, told[-1].event] == ["runs-begin", "run-begins", "run-done"]
    champions = [progress for progress in told if progress.event == "champion"]
    assert champions[0].score == run.curve.table["score"][0] and champions[0].parameters is not None
    assert told[-1].run == "war-naive-seed1" and told[-1].games == run.games and told[-1].score == run.score.score


def test_a_callback_stops_a_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    war = ruse.family("war")

    def stop(progress: ruse.Progress) -> bool:
        return progress.event == "champion"

    run = war.optimise("iterative", budget="300k", callback=stop, out=out)
    assert run.stop_reason == "interrupted" and run.games < 300_000
    resumed = ruse.resume(out)
    whole = war.optimise("iterative", budget="300k", out=tmp_path / "whole")
    assert isinstance(resumed, ruse.Run) and resumed.stop_reason == "games"
    assert resumed.champion == whole.champion and resumed.history == whole.history
    same_files(tmp_path / "whole", out)


def test_an_error_of_a_callback_comes_out(tmp_path: Path) -> None:
    def fail(progress: ruse.Progress) -> None:
        if progress.event == "champion":
            raise ZeroDivisionError("by the callback")

    with pytest.raises(ZeroDivisionError, match="by the callback"):
        ruse.family("war").optimise("iterative", budget="50M", callback=fail, out=tmp_path / "run")
    # What was found is kept.
    run = ruse.open(tmp_path / "run")
    assert isinstance(run, ruse.Run) and run.stop_reason == "interrupted"


def test_progress_is_shown_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    ruse.family("pig").optimise("naive", budget=2000, progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "100.0%, score 0." in err and err.endswith("\n")


def test_a_comparison_is_that_of_the_command_line(command_line: CommandLine, tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    command_line(
        *("compare", "war", "pig", "--methods", "naive,iterative", "--budget", "5k", "--repeats", 2),
        *("--half-width", 0.05, "--out", theirs),
    )
    found = ruse.compare(
        ["war", ruse.family("pig")], ["naive", "iterative"], budget="5k", repeats=2, half_width=0.05, out=ours
    )
    same_files(theirs, ours)
    assert found.finished and len(found.runs) == 8 and found.kind == "comparison"
    other = ruse.open(theirs)
    assert isinstance(other, ruse.Comparison)
    assert other.scores == found.scores and other.meetings == found.meetings and other.ranking == found.ranking
    assert set(found.scores["family"].tolist()) == {"war", "pig"}
    assert len(found.meetings) == 8
    page = tmp_path / "report.html"
    found.report(page)
    assert "<svg" in page.read_text()
    figure = found.figure("scores")
    assert figure.name == "scores" and figure.svg() == figure._repr_svg_() and "iterative" in figure.svg()
    assert "<svg" in found.figure("learning-curves-pig").svg()
    with pytest.raises(ruse.RuseError, match="no figure has `x` in its name"):
        found.figure("x")
    with pytest.raises(ruse.RuseError, match="2 figures have `learning-curves` in their names"):
        found.figure("learning-curves")
    again = pickle.loads(pickle.dumps(found))
    assert again.scores == found.scores
    with pytest.raises(ruse.RuseError, match="there is no table `x`"):
        found.table("x")


def test_a_comparison_without_a_directory() -> None:
    found = ruse.compare("pig", ["naive", "cma-es"], budget=2000, repeats=1, half_width=0.1)
    assert found.path.is_dir() and len(found.scores) == 2
    with pytest.raises(ruse.RuseError, match="cannot be pickled"):
        pickle.dumps(found)
    path = found.path
    del found
    assert not path.exists()


def test_an_experiment_file(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    file.write_text("family: pig\nbudget: 3k\nmethod: naive\nseed: 5\n")
    plan = ruse.plan(file)
    told = command_line("plan", file)
    assert plan.kind == "run" and plan.name == "small"
    # The command measures the speed of this machine.
    jobs = [{**job, "seconds": plan.jobs[index]["seconds"]} for index, job in enumerate(told["jobs"])]
    assert plan.fingerprint == told["fingerprint"] and plan.jobs == jobs
    run = ruse.run(file, out=tmp_path / "run")
    assert isinstance(run, ruse.Run) and run.seed == 5 and plan.spec["seed"] == 5
    many = tmp_path / "many.yaml"
    many.write_text("family: pig\nbudget: 20k\nmethod: all\n")
    found = ruse.run(many, out=tmp_path / "many")
    assert isinstance(found, ruse.Experiment) and found.kind == "championship" and found.finished
    special = ("policy-gradient", "spsa", "quadratic-fit", "ntbea", "local-search")
    for_all = [method for method in ruse.methods() if method not in special]
    assert [run.method for run in found.runs] == for_all


def test_results_do_not_depend_on_threads(tmp_path: Path) -> None:
    one = ruse.family("war").optimise("cma-es", budget="20k", threads=1, out=tmp_path / "1")
    three = ruse.family("war").optimise("cma-es", budget="20k", threads=3, out=tmp_path / "3")
    assert one.champion == three.champion
    assert np.array_equal(one.curve.table["score"], three.curve.table["score"])
    same_files(tmp_path / "1", tmp_path / "3")
