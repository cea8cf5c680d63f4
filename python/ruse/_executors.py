"""Runs the jobs of experiments on executors: objects with `submit`, such as the executors of `concurrent.futures`.

Workers need no files: a job and the runs that it needs are sent as bytes, and the results return as bytes. Results do
not depend on the worker, so a lost job is sent again.
"""

from __future__ import annotations

import io
import json
import queue
import tempfile
import time as clock
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from . import _ruse
from ._ruse import RuseError

#: The largest number of times that a job is sent.
_MOST_ATTEMPTS = 4

#: The kinds of jobs for executors. A round robin is played on all threads of one machine, and the finale combines all results.
_KINDS = ("run", "pool", "meetings", "responses")

#: The interval between checks of futures without callbacks, and the longest delay of Ctrl-C.
_PAUSE_S = 0.1


class Executor(Protocol):
    """An object that carries out calls elsewhere: `concurrent.futures.Executor`, a client of Dask, ..."""

    def submit(self, fn: Callable[..., bytes], /, *args: Any) -> Any:
        """Starts a call, and returns a future."""


def _packed(root: Path, paths: list[Path]) -> bytes:
    """Packs these files and the files in these directories, with their paths from `root`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file() and not file.name.startswith("."):
                    archive.write(file, file.relative_to(root))
    return out.getvalue()


def _unpack(packed: bytes, root: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(root)


def do_job(base: bytes, needed: bytes, job: int) -> bytes:
    """Does a job on one thread of any machine, and returns the new and changed files of its directory."""
    with tempfile.TemporaryDirectory(prefix="ruse-job-") as temporary:
        root = Path(temporary, "experiment")
        _unpack(base, root)
        _unpack(needed, root)
        before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}
        if not _ruse.do_job(root, job, 1):
            raise RuseError(f"job {job} was not finished, although everything that it needs is there")
        made = [path for path in root.rglob("*") if path.is_file() and before.get(path) != path.stat().st_mtime_ns]
        return _packed(root, made)


class _Delegation:
    """The jobs of a plan, which an executor does."""

    def __init__(self, path: Path, executor: Executor, jobs: list[dict[str, Any]]) -> None:
        self._path = path
        self._executor = executor
        self._base = _packed(path, [file for file in path.iterdir() if file.is_file()])
        self._jobs = {job["id"]: job for job in jobs if job["kind"] in _KINDS}
        self._waiting = dict(self._jobs)
        self._done: set[int] = set()
        self._attempts = dict.fromkeys(self._jobs, 0)
        self._sent: dict[int, Any] = {}
        self._silent: set[int] = set()
        self._returned: queue.SimpleQueue[int] = queue.SimpleQueue()

    def _send(self, job: dict[str, Any]) -> None:
        number = job["id"]
        needed = _packed(self._path, [self._path / self._jobs[need]["name"] for need in job["needs"]])
        self._attempts[number] += 1
        try:
            future = self._executor.submit(do_job, self._base, needed, number)
        except Exception as error:
            raise self._end(f"the executor takes no more jobs ({type(error).__name__}: {error})") from error
        self._sent[number] = future
        if hasattr(future, "add_done_callback"):
            future.add_done_callback(lambda _: self._returned.put(number))
        else:
            self._silent.add(number)

    def _send_ready(self) -> None:
        ready = [job for job in self._waiting.values() if self._done.issuperset(job["needs"])]
        for job in ready:
            del self._waiting[job["id"]]
            self._send(job)

    def _end(self, problem: str) -> RuseError:
        return RuseError(
            f"{problem}; {len(self._done)} of {len(self._jobs)} jobs are finished and kept; "
            f'ruse.resume("{self._path}") goes on'
        )

    def _next(self) -> list[int]:
        """Waits for a moment, and returns the jobs whose futures have ended."""
        for number in list(self._silent):
            if self._sent[number].done():
                self._silent.remove(number)
                self._returned.put(number)
        try:
            ended = [self._returned.get(timeout=_PAUSE_S)]
        except queue.Empty:
            return []
        while not self._returned.empty():
            ended.append(self._returned.get())
        return ended

    def _take(self, ended: list[int]) -> list[int]:
        """Puts the results of these jobs into the directory, and sends lost jobs again."""
        taken = []
        with tempfile.TemporaryDirectory(prefix="ruse-jobs-") as temporary:
            root = Path(temporary, "experiment")
            _unpack(self._base, root)
            lost: list[tuple[int, Exception]] = []
            for number in ended:
                future = self._sent.pop(number)
                try:
                    packed = future.result()
                except RuseError:
                    raise
                except Exception as error:
                    lost.append((number, error))
                else:
                    _unpack(packed, root)
                    taken.append(number)
            if taken:
                _ruse.merge(self._path, root)
                self._done.update(taken)
        for number, problem in lost:
            if self._attempts[number] >= _MOST_ATTEMPTS:
                name = self._jobs[number]["name"]
                raise self._end(f"{name} failed {_MOST_ATTEMPTS} times ({type(problem).__name__}: {problem})") from problem
            self._send(self._jobs[number])
        return taken

    def carry_out(self, on_done: Callable[[str, float], bool]) -> bool:
        """Carries out all jobs. Returns False if `on_done` stops the work."""
        try:
            self._send_ready()
            while self._sent:
                taken = self._take(self._next())
                self._send_ready()
                for number in taken:
                    if on_done(str(self._jobs[number]["name"]), len(self._done) / len(self._jobs)):
                        return False
            return True
        finally:
            for future in self._sent.values():
                if hasattr(future, "cancel"):
                    future.cancel()


def check(executor: object) -> None:
    """Raises an error if this is not an executor."""
    if not callable(getattr(executor, "submit", None)):
        raise RuseError(f"executor is {executor!r}, and must have a method `submit`, like the executors of concurrent.futures")


def delegate(
    plan: _ruse.Plan, path: Path, executor: Executor, on_event: Callable[[str], bool] | None
) -> tuple[bool, BaseException | None]:
    """Carries out the jobs of a plan that executors can do. Returns whether all these jobs are done, and the
    exception that stopped them, if any."""
    began = clock.monotonic()

    def on_done(name: str, fraction: float) -> bool:
        if on_event is None:
            return False
        told = {"event": "job-done", "name": name, "fraction": fraction, "seconds": clock.monotonic() - began}
        return on_event(json.dumps([told]))

    jobs: list[dict[str, Any]] = json.loads(plan.jobs())["jobs"]
    try:
        return _Delegation(path, executor, jobs).carry_out(on_done), None
    except KeyboardInterrupt as interrupt:
        return False, interrupt
