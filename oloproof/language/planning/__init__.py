"""Suite to plan: cases built from rows, gates judged for what they can decide, everything written canonically."""
