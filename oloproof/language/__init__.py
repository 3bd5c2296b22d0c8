"""Text to plan. Layers, top down: planning, semantics, formatter, syntax, diagnostics, source."""
