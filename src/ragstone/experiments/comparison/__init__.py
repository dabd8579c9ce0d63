"""Two to eight runs on the same questions: what differs, by how much, and where."""
