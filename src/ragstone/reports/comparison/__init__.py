"""A comparison as a report, in every format."""
