"""A diagnosis in words, tables and pictures."""
