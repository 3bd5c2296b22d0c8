"""Composition roots: the only places that join ports to their adapters."""
