"""Observations to measurements: what each evaluator says of each answer."""

from oloproof.stages.measure.measuring import measure
from oloproof.stages.measure.outcome import EvaluatorBench, EvaluatorCounts, Measured

__all__ = ["EvaluatorBench", "EvaluatorCounts", "Measured", "measure"]
