"""A learning curve that grows in a notebook during a run."""

from __future__ import annotations

import math
import time
from typing import Any

from ._experiments import Progress

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 16, 36

#: The shortest time between two pictures, in seconds.
_PAUSE = 0.5


class LiveCurve:
    """A callback that draws the scores of champions during a run.

    >>> import ruse
    >>> curve = ruse.LiveCurve()
    >>> run = ruse.family("pig").optimise("iterative", budget=2000, callback=curve)
    >>> "<svg" in curve._repr_svg_()
    True
    """

    def __init__(self) -> None:
        self._points: list[tuple[int, float, float, float]] = []
        self._games = 0
        self._display: Any = None
        self._drawn_at = -math.inf

    def __call__(self, progress: Progress) -> None:
        """Records the progress, and draws the curve at intervals."""
        if progress.event == "run-begins":
            self._points.clear()
        self._games = max(self._games, progress.games or 0)
        if progress.event == "champion" and progress.interval is not None and progress.score is not None:
            self._points.append((progress.games or 0, progress.score, *progress.interval))
        now = time.monotonic()
        if self._points and (progress.event == "run-done" or now - self._drawn_at >= _PAUSE):
            self._drawn_at = now
            self._show()

    def _show(self) -> None:
        """Replaces the picture in a notebook; does nothing elsewhere."""
        try:
            from IPython import get_ipython  # type: ignore[attr-defined, unused-ignore]
            from IPython.display import SVG, display
        except ImportError:
            return
        if get_ipython() is None:
            return
        picture = SVG(self._repr_svg_())  # type: ignore[no-untyped-call, unused-ignore]
        if self._display is None:
            self._display = display(picture, display_id=True)  # type: ignore[no-untyped-call, unused-ignore]
        else:
            self._display.update(picture)

    def _repr_svg_(self) -> str:
        points = self._points or [(0, 0.5, 0.5, 0.5)]
        most = max(self._games, points[-1][0], 1)
        low = min(0.5, *(point[2] for point in points)) - 0.02
        high = max(0.5, *(point[3] for point in points)) + 0.02

        def x(games: float) -> float:
            return _LEFT + (_WIDTH - _LEFT - _RIGHT) * games / most

        def y(score: float) -> float:
            return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (high - score) / (high - low)

        # A champion keeps its score until the next one.
        ends = [*(point[0] for point in points[1:]), most]
        steps = [(x(games), x(end), score, *bounds) for (games, score, *bounds), end in zip(points, ends, strict=True)]
        line = " ".join(f"{begin:.1f},{y(score):.1f} {end:.1f},{y(score):.1f}" for begin, end, score, *_ in steps)
        bands = "".join(
            f'<rect x="{begin:.1f}" y="{y(top):.1f}" width="{max(end - begin, 1):.1f}" height="{y(bottom) - y(top):.1f}"/>'
            for begin, end, _, bottom, top in steps
        )
        ticks = "".join(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(score):.1f}" y2="{y(score):.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 6}" y="{y(score) + 4:.1f}" text-anchor="end">{score:.1f}</text>'
            for score in (tenth / 10 for tenth in range(11))
            if low <= score <= high
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">'
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>{ticks}'
            f'<g fill="#9ecae1" opacity="0.6">{bands}</g>'
            f'<polyline points="{line}" fill="none" stroke="#08519c" stroke-width="2"/>'
            f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 10}" text-anchor="end">{most:,} games</text>'
            f'<text x="{_LEFT}" y="{_HEIGHT - 10}">score of the champion</text></svg>'
        )
