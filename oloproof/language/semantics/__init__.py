"""Tree to suite: names resolved, values typed, rules checked. Pure: files and plugins are read by the caller."""
