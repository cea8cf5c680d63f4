"""Tests of the bridges to optimisers and environments, with the real packages."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import ruse

#: The score of random parameters against random parameters.
EQUAL = 0.5


def test_nothing_of_others_is_imported_unasked() -> None:
    program = """
import sys, ruse
others = {"cma", "gymnasium", "nevergrad", "optuna", "pandas", "pettingzoo", "polars", "pyarrow"}
assert not others & set(sys.modules), others & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_pycma_finds_a_strategy() -> None:
    cma = pytest.importorskip("cma")
    war = ruse.family("war")
    search = cma.CMAEvolutionStrategy(war.space.zeros(), 1.0, {"seed": 1, "verbose": -9, "maxiter": 12})
    while not search.stop():
        thetas = search.ask()
        search.tell(thetas, 1 - war.evaluate(thetas, pairs=100, seed=search.countiter))
    # The best strategy scores .67.
    assert war.match(search.result.xfavorite, pairs=4000, seed=99).interval[0] > 0.6


def test_nevergrad_finds_a_strategy() -> None:
    ng = pytest.importorskip("nevergrad")
    war = ruse.family("war")
    parametrisation = ruse.nevergrad.parametrisation(war)
    parametrisation.random_state.seed(1)
    optimiser = ng.optimizers.TBPSA(parametrisation, budget=300)
    theta = optimiser.minimize(ruse.nevergrad.loss(war, pairs=50)).value
    assert theta.shape == (3,)
    assert war.match(theta, pairs=4000, seed=99).interval[0] > EQUAL
    fixed = ruse.nevergrad.loss(war, "random", pairs=30, seed=4)
    assert fixed(theta) == fixed(theta) == 1 - war.match(theta, "random", pairs=30, seed=4).score


def test_optuna_finds_a_strategy() -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    war = ruse.family("war")
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(ruse.optuna.objective(war, pairs=100), n_trials=40)
    theta = [study.best_params[name] for name in war.space.names]
    assert war.match(theta, pairs=4000, seed=99).interval[0] > EQUAL


def test_optuna_prunes_trials() -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    war = ruse.family("war")
    objective = ruse.optuna.objective(war, "random", pairs=90, seed=5, steps=3)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=0)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1), pruner=pruner)
    study.optimize(objective, n_trials=20)
    states = [trial.state for trial in study.trials]
    assert optuna.trial.TrialState.PRUNED in states and optuna.trial.TrialState.COMPLETE in states
    for trial in study.trials:
        theta = [trial.params[name] for name in war.space.names]
        # The first step has the deals of a match.
        assert trial.intermediate_values[30] == war.match(theta, "random", pairs=30, seed=5).score
    with pytest.raises(ruse.RuseError, match="steps is 91, and must be a whole number from 1 to 90"):
        ruse.optuna.objective(war, pairs=90, steps=91)


def test_losses_and_objectives_work_in_other_processes() -> None:
    ng, optuna = pytest.importorskip("nevergrad"), pytest.importorskip("optuna")
    war = ruse.family("war")
    theta = np.array([0.0, -2.0, 2.0])

    def scored(seed: int) -> float:
        return war.match(theta, "random", pairs=30, seed=seed).score

    loss = ruse.nevergrad.loss(war, "random", pairs=30)
    copies = [pickle.loads(pickle.dumps(loss)) for _ in range(3)]
    # A copy has its own seeds, and the original continues after the seeds that copies have taken.
    assert [1 - copy(theta) for copy in copies] == [scored(1), scored(2), scored(3)]
    assert [1 - loss(theta), 1 - loss(theta)] == [scored(4), scored(5)]
    assert 1 - copies[0](theta) == scored(1 + 2**20)
    fixed = pickle.loads(pickle.dumps(ruse.nevergrad.loss(war, "random", pairs=30, seed=7)))
    assert 1 - fixed(theta) == 1 - fixed(theta) == scored(7)
    objective = ruse.optuna.objective(war, "random", pairs=30)
    trial = optuna.trial.FixedTrial(dict(zip(war.space.names, theta.tolist(), strict=True)), number=4)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert executor.submit(objective, trial).result() == scored(5)
        optimiser = ng.optimizers.DE(ruse.nevergrad.parametrisation(war), budget=12, num_workers=4)
        found = optimiser.minimize(loss, executor=executor, batch_mode=True).value
    assert found.shape == (3,)


@pytest.mark.parametrize(
    ("module", "package", "command"),
    [
        ("nevergrad", "nevergrad", "ruse[nevergrad]"),
        ("optuna", "optuna", "ruse[optuna]"),
        ("pettingzoo", "gymnasium", "ruse[pettingzoo]"),
    ],
)
def test_it_is_said_how_to_install_what_is_missing(module: str, package: str, command: str) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None
import ruse
try:
    ruse.{module}
except ModuleNotFoundError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"ruse.{module} takes {package}: pip install '{command}'"


def test_what_is_missing_for_a_table_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for package, call in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ModuleNotFoundError, match=f"{call} takes {package}: pip install '{package}'"):
            getattr(ruse.families(), call)()


def test_every_extra_names_what_its_bridge_takes() -> None:
    wanted = importlib.metadata.requires("ruse") or []
    for extra in ("gymnasium", "nevergrad", "notebook", "optuna", "pettingzoo"):
        assert any(f'extra == "{extra}"' in line.replace("'", '"') for line in wanted), extra


@pytest.mark.parametrize("family", ["nim", "battleship", "cheat", "pig", "phantom-tic-tac-toe", "four-in-a-row"])
def test_pettingzoo_accepts_our_environments(family: str) -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test

    api_test(ruse.pettingzoo.TextEnvironment(family), num_cycles=60, verbose_progress=False)


def test_an_environment_is_the_table() -> None:
    pytest.importorskip("pettingzoo")
    environment = ruse.pettingzoo.TextEnvironment("nim", "optimal", penalty=0.25, render_mode="ansi")
    environment.reset(seed=3)
    table = ruse.table("nim", "optimal", seed=3)
    assert environment.observe("player")["view"] == table.view() == environment.render()
    environment.step("nonsense")
    assert environment.rewards["player"] == -0.25 and "refused" in environment.infos["player"]
    total = 0.0
    for _ in environment.agent_iter(200):
        observation, reward, termination, truncation, info = environment.last()
        if not (termination or truncation):
            action = table.hint()
            assert action is not None and observation["prompt"] == table.prompt() and info["log"] == table.log
            table.act(action)
        environment.step(None if termination or truncation else action)
        total += float(np.asarray(reward))
    assert table.result is not None and total == pytest.approx(2 * table.result - 1 - 0.25)
