"""Release decisions for AI systems, taken on intervals and kept as evidence that others can check."""
