"""Tests of experiments whose jobs run on executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import ruse

SMALL = """
families: [nim, war]
methods: [naive, cma-es, seeds]
budget: 4k
repeats: 2
evaluation-pairs: 64
"""


def files(directory: Path) -> dict[str, bytes]:
    """Returns the contents of a directory, except files that depend on the machine."""
    found = (path for path in directory.rglob("*") if path.is_file() and path.name not in ("provenance.yaml", ".lock"))
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """Returns an experiment file, and its results without an executor."""
    directory = tmp_path_factory.mktemp("experiment")
    file = directory / "small.yaml"
    file.write_text(SMALL, encoding="utf-8")
    ruse.run(file, out=directory / "one")
    return file, files(directory / "one")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path, method: str) -> None:
    file, expected = experiment
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} here")
    seen: list[ruse.Progress] = []
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        found = ruse.run(file, out=tmp_path / "out", executor=executor, callback=seen.append)
    assert isinstance(found, ruse.Comparison) and found.finished
    assert files(tmp_path / "out") == expected
    fractions = [progress.fraction for progress in seen if progress.event == "job-done"]
    num_jobs = sum(job["kind"] != "finale" for job in ruse.plan(file).jobs)
    assert len(fractions) == num_jobs and fractions[-1] == 1


class OnlySubmit:
    """A minimal executor: it has `submit`, and its futures have no callbacks."""

    class Silent:
        def __init__(self, future: Future[bytes]) -> None:
            self._future = future

        def done(self) -> bool:
            return self._future.done()

        def result(self) -> bytes:
            return self._future.result()

    def __init__(self, executor: ThreadPoolExecutor, num_lost: int = 0) -> None:
        self._executor = executor
        self.num_lost = num_lost
        self.num_sent = 0

    def submit(self, fn: Callable[..., bytes], /, *args: Any) -> Any:
        self.num_sent += 1
        if self.num_lost > 0:
            self.num_lost -= 1
            fn = lose
        return self.Silent(self._executor.submit(fn, *args))


def lose(*_: Any) -> bytes:
    raise OSError("the worker is gone")


def test_jobs_that_are_lost_are_sent_again(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    file, expected = experiment
    with ThreadPoolExecutor(2) as threads:
        executor = OnlySubmit(threads, num_lost=3)
        ruse.run(file, out=tmp_path / "out", executor=executor)
        assert files(tmp_path / "out") == expected
        num_jobs = sum(job["kind"] != "finale" for job in ruse.plan(file).jobs)
        assert executor.num_sent == num_jobs + 3
        with pytest.raises(ruse.RuseError, match="failed 4 times .OSError: the worker is gone.; 0 of"):
            ruse.run(file, out=tmp_path / "lost", executor=OnlySubmit(threads, num_lost=10_000))


def kill_worker(progress: ruse.Progress) -> None:
    if progress.event == "job-done":
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_executor_that_dies_keeps_what_was_done(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    file, expected = experiment
    with ProcessPoolExecutor(2) as executor, pytest.raises(ruse.RuseError, match="takes no more jobs") as raised:
        ruse.run(file, out=tmp_path / "out", executor=executor, callback=kill_worker)
    assert "BrokenProcessPool" in str(raised.value) and "ruse.resume(" in str(raised.value)
    ruse.resume(tmp_path / "out")
    assert files(tmp_path / "out") == expected


def test_a_callback_stops_it(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    file, expected = experiment
    with ThreadPoolExecutor(1) as executor:
        stopped = ruse.run(file, out=tmp_path / "out", executor=executor, callback=lambda progress: True)
    assert isinstance(stopped, ruse.Comparison) and not stopped.finished
    ruse.resume(tmp_path / "out")
    assert files(tmp_path / "out") == expected


def test_no_executor(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    with pytest.raises(ruse.RuseError, match="must have a method `submit`"):
        ruse.run(experiment[0], out=tmp_path / "out", executor=3)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_dask_with_a_worker_that_is_killed(experiment: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    file, expected = experiment
    killed: list[int] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster, distributed.Client(cluster) as client:
        workers = client.run(os.getpid)

        def kill_one(progress: ruse.Progress) -> None:
            if progress.event == "job-done" and not killed:
                killed.append(next(iter(workers.values())))
                os.kill(killed[0], signal.SIGKILL)

        ruse.run(file, out=tmp_path / "out", executor=client, callback=kill_one)
        assert len(killed) == 1 and killed[0] not in client.run(os.getpid).values()
    assert files(tmp_path / "out") == expected
