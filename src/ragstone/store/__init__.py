"""Where datasets, runs, responses and scores are kept."""
