"""A search function for tests of the callable system."""


def search(query: str, k: int) -> list[str]:
    return [f"doc{i}" for i in range(k)]
