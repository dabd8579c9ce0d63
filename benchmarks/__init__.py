"""Speed, side by side with the peers; never inside the tests."""
