"""The probability that a weighted sum of exponential variables is not positive, by a contour integral.

For weights c_j with multiplicities m_j and Q = sum of c_j E, E iid Exp(1),

    P(Q <= 0) = 1/(2 pi i) integral of exp(g(s)) ds,   g(s) = -sum_j m_j log(1 - c_j s) - log(-s),

along any path from -i inf to +i inf that crosses the real axis between the largest negative 1/c_j and 0. It is taken
through the saddle point of g on the hyperbola s = sigma + w (sin(theta) + i sinh(u + i theta)), bent to follow the path
of steepest descent, where the trapezoid rule converges exponentially (Weideman & Trefethen, Math. Comp. 76, 2007).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: Step of the trapezoid rule in u.
_STEP = 0.05
#: Nodes evaluated at a time.
_BLOCK = 32
#: No integrand needs more: the slowest decays like exp(-2 u).
_MAX_NODES = 960
#: A block whose largest term is below this share of the sum ends the sum.
_NEGLIGIBLE = 1e-18
#: Width of the hyperbola in standard deviations of the integrand, where no singularity forbids it.
_WIDTH = 3.0
#: Largest |sin(theta)|: leaves a strip of half-width 0.55 in u, and thus an error of exp(-2 pi .55 / .05) = 1e-30.
_MAX_BEND = 0.85
#: The share of the way to the nearest singularity that the hyperbola may sweep.
_CLEARANCE = 0.98
_SADDLE_STEPS = 200
_SADDLE_TOLERANCE = 1e-10


class _Saddle(NamedTuple):
    """Where g is least on the real axis, with its second and third derivatives there."""

    sigma: float
    g2: float
    g3: float


class _Path(NamedTuple):
    sin_theta: float
    cos_theta: float
    width: float


def log_probability(weights: Floats, counts: Floats) -> float:
    """Return ln P(sum of c_j E <= 0). weights: at least one below and one above 0; counts: how often each occurs.

    Where the sum is negative on average the complement is the smaller probability, and that is integrated.
    """
    if float((weights * counts).sum()) < 0:
        return math.log1p(-math.exp(_log_integral(-weights, counts)))
    return _log_integral(weights, counts)


def _log_integral(weights: Floats, counts: Floats) -> float:
    saddle = _saddle(weights, counts)
    path = _path(saddle, left=1.0 / float(weights.min()))
    at_saddle = float(_exponent(weights, counts, np.array([saddle.sigma + 0j]))[0].real)
    total = 0.0
    for start in range(0, _MAX_NODES, _BLOCK):
        u = _STEP * np.arange(start, start + _BLOCK, dtype=np.float64)
        sinh, cosh = np.sinh(u), np.cosh(u)
        s = (saddle.sigma - path.width * path.sin_theta * (cosh - 1.0)) + 1j * (path.width * path.cos_theta * sinh)
        slope = path.width * (path.cos_theta * cosh + 1j * (path.sin_theta * sinh))
        terms = (np.exp(_exponent(weights, counts, s) - at_saddle) * slope).real.tolist()
        if start == 0:
            terms[0] *= 0.5
        total += math.fsum(terms)
        if max(abs(term) for term in terms[_BLOCK // 2 :]) <= _NEGLIGIBLE * abs(total):
            break
    return at_saddle + math.log(total * _STEP / math.pi)


def _exponent(weights: Floats, counts: Floats, s: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return g at each s; the logarithms through log1p, so that small c s lose no digits."""
    real = np.multiply.outer(s.real, -weights)
    imag = np.multiply.outer(s.imag, -weights)
    log_abs = 0.5 * np.log1p(real * (2.0 + real) + imag * imag)
    angle = np.arctan2(imag, 1.0 + real)
    log_terms: NDArray[np.complex128] = (log_abs * counts).sum(axis=1) + 1j * (angle * counts).sum(axis=1)
    return -log_terms - np.log(-s)


def _saddle(weights: Floats, counts: Floats) -> _Saddle:
    """Find the zero of g' by Newton steps kept inside a shrinking bracket; g is convex there."""
    low, high = 1.0 / float(weights.min()), 0.0
    sigma = 0.5 * low
    g2 = g3 = 0.0
    for _ in range(_SADDLE_STEPS):
        ratio = weights / (1.0 - weights * sigma)
        g1 = float((counts * ratio).sum()) - 1.0 / sigma
        g2 = float((counts * ratio**2).sum()) + 1.0 / sigma**2
        g3 = 2.0 * (float((counts * ratio**3).sum()) - 1.0 / sigma**3)
        low, high = (low, sigma) if g1 > 0 else (sigma, high)
        step = g1 / g2
        if abs(step) * math.sqrt(g2) < _SADDLE_TOLERANCE:
            break
        newton = sigma - step
        sigma = newton if low < newton < high else 0.5 * (low + high)
    return _Saddle(sigma, g2, g3)


def _path(saddle: _Saddle, *, left: float) -> _Path:
    """Choose bend and width: curvature as steepest descent, singularities (left, and 0) outside of the sweep."""
    width = _WIDTH / math.sqrt(saddle.g2)
    bend = 0.0
    for _ in range(8):
        r = -width * saddle.g3 / (3.0 * saddle.g2)
        bend = 0.0 if r == 0 else 2.0 * r / (1.0 + math.sqrt(1.0 + 4.0 * r * r))
        bend = max(-_MAX_BEND, min(_MAX_BEND, bend))
        cosine = math.sqrt(1.0 - bend * bend)
        width = min(
            _WIDTH / math.sqrt(saddle.g2) / cosine,
            _CLEARANCE * (saddle.sigma - left) / (1.0 - bend),
            _CLEARANCE * -saddle.sigma / (1.0 + bend),
        )
    return _Path(bend, math.sqrt(1.0 - bend * bend), width)
