"""A benchmark over time in words, tables and pictures."""
