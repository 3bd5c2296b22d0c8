"""Measurements to inferences: for each cell a number, its interval and its four counts."""

from oloproof.stages.infer.cells import infer

__all__ = ["infer"]
