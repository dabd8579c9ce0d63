"""A matrix of configurations in words, tables and pictures."""
