"""Which of many configurations: all pairs, main effects, noise, and quality against price."""
