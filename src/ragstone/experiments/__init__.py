"""Benchmarks: what is run, running it, and what the results say."""
