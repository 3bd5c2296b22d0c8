"""The evidence bundle: its statements and envelope, its files on disk, and the check that a stranger repeats."""
