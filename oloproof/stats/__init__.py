"""Bounds and certificates: numbers in, numbers out; nothing here knows a suite, a case or a gate."""
