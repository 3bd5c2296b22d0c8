"""Everything a person or another program reads: one module per subject, pure functions from records to text."""
