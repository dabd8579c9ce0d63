"""The pages of the reference, one module each."""
