"""The root of an increasing function of one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

#: The bracket that ends the search, absolute.
_TOLERANCE = 2e-15
_MAX_STEPS = 200


class _Point(NamedTuple):
    x: float
    y: float


def increasing_root(f: Callable[[float], float], *, near: float, stride: float, farthest: float) -> float | None:
    """Return the largest x found with f(x) <= 0, a few ulps from the root; None when the root lies below -farthest.

    f must increase and be positive somewhere below +farthest; `near` is where to look first, `stride` the first step of
    the search for a bracket, doubled at each step.
    Source of the interpolation: Chandrupatla, Advances in Engineering Software 28 (1997).
    """
    at = _Point(near, f(near))
    low = high = at
    while low.y > 0:
        if low.x < -farthest:
            return None
        high, low, stride = low, _at(f, low.x - stride), 2.0 * stride
    while high.y <= 0 and high.x <= farthest:
        low, high, stride = high, _at(f, high.x + stride), 2.0 * stride
    return _between(f, low, high)


def _at(f: Callable[[float], float], x: float) -> _Point:
    return _Point(x, f(x))


def _between(f: Callable[[float], float], low: _Point, high: _Point) -> float:
    """Shrink a bracket by inverse quadratic interpolation where that is safe, else by halving."""
    newest, other = high, low
    share = 0.5
    for _ in range(_MAX_STEPS):
        width = abs(other.x - newest.x)
        tolerance = _TOLERANCE * max(1.0, abs(newest.x))
        if width <= 2.0 * tolerance:
            break
        edge = tolerance / width
        share = min(max(share, edge), 1.0 - edge)
        point = _at(f, newest.x + share * (other.x - newest.x))
        if (point.y > 0) == (newest.y > 0):
            before, newest = newest, point
        else:
            before, other, newest = other, newest, point
        share = _next_share(newest, other, before)
    return newest.x if newest.y <= 0 else other.x


def _next_share(a: _Point, b: _Point, c: _Point) -> float:
    """Return where to look next, as a share of the way from a to b; c is the point that was left behind."""
    if b.x == c.x or b.y in (a.y, c.y) or c.y == a.y:
        return 0.5
    xi, phi = (a.x - b.x) / (c.x - b.x), (a.y - b.y) / (c.y - b.y)
    if not (phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi):
        return 0.5
    first = a.y / (b.y - a.y) * c.y / (b.y - c.y)
    second = (c.x - a.x) / (b.x - a.x) * a.y / (c.y - a.y) * b.y / (c.y - b.y)
    return first + second
