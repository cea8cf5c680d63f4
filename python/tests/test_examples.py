"""The examples run, and the examples in docstrings are right."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path: Path) -> None:
    for name, package in (("on_ray.py", "ray"), ("train_a_network.py", "sb3_contrib")):
        if path.name == name:
            pytest.importorskip(package)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        assert not cell.get("outputs"), f"{path.name} is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"text/html", "image/svg+xml"} <= kinds


@pytest.mark.parametrize(
    "name", ["ruse", "ruse._cli", "ruse._table", "ruse._race", "ruse._search", "ruse._live", "ruse._play", "ruse.nevergrad", "ruse.optuna"]
)
def test_docstrings(name: str) -> None:
    for package in ("nevergrad", "optuna"):
        if name.endswith(package):
            pytest.importorskip(package)
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0 and found.failed == 0
