"""Use cases, one file each: what the command line and the Python API call. No click, no printing."""
