"""Why questions failed: where evidence is lost, what reranking does, and what nobody judged."""
