"""The bulk door: run files and tables of millions of rows, scored against qrels.

Only judged documents matter to a ranking metric. So a run is read in pieces, its tokens are found and hashed as
arrays, and what is kept are the places of the judged ones; no object is made for a row.
"""

from ragstone.bulk.result import RunScores
from ragstone.bulk.scoring import DEFAULT, Qrels, score

__all__ = ["DEFAULT", "Qrels", "RunScores", "score"]
