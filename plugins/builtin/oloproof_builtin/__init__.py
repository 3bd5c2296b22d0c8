"""The types that ship with oloproof. They use the same door as any plugin: of ours they import oloproof.sdk only."""
