"""`python -m oloproof` is the command line."""

from oloproof.cli import main

main()
