"""Carries out an experiment on a Ray cluster: `python on_ray.py`. `RAY_ADDRESS` names a cluster that is already running."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import Any

import ray  # pyright: ignore[reportMissingImports]

import ruse


class OnRay:
    """An executor for `ruse.run` that uses the cluster."""

    def submit(self, fn: Any, /, *args: Any) -> Any:
        """Sends a call to any node with a free processor."""
        return ray.remote(fn).remote(*args).future()


if __name__ == "__main__":
    ray.init(include_dashboard=False, logging_level=logging.ERROR)
    directory = Path(tempfile.mkdtemp(prefix="ruse-ray-"))
    file = directory / "small.yaml"
    file.write_text("families: [nim, pig]\nmethods: [naive, cma-es]\nbudget: 20k\nrepeats: 3\n", encoding="utf-8")
    found = ruse.run(file, out=directory / "results", executor=OnRay())
    print(found)
