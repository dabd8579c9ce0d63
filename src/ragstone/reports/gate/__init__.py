"""A gate's decision as a report, in every format."""
