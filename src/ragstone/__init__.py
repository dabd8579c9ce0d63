"""Ragstone: the touchstone for retrieval-augmented generation."""
