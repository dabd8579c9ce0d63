"""Statistics: distributions, intervals, aggregation, rank correlation. numpy only, no knowledge of retrieval."""
