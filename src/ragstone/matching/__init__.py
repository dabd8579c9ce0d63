"""Matching: which hit is which gold. Everything a metric must not know: documents, pages, headings, chunks."""

from ragstone.matching.judge import judge_run
from ragstone.matching.match import Match, match_response
from ragstone.matching.options import MatchOptions

__all__ = ["Match", "MatchOptions", "judge_run", "match_response"]
