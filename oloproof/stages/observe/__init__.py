"""Case rows to case records, and systems' answers to observation records."""

from oloproof.stages.observe.cases import write_cases
from oloproof.stages.observe.observing import CodeChanged, observe
from oloproof.stages.observe.outcome import Observed, ObserveOptions, SystemBench, SystemCounts

__all__ = ["CodeChanged", "ObserveOptions", "Observed", "SystemBench", "SystemCounts", "observe", "write_cases"]
