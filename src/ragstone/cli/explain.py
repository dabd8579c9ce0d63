"""`ragstone explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json


def explain(
    run: Annotated[str, typer.Argument(help="Run: id or name.", metavar="RUN", autocompletion=complete_runs)],
    query: Annotated[str, typer.Argument(help="Id of the question.", metavar="QUERY")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show why a question came out as it did.

    Its hits with gold marks, and where missed golds ranked and were lost.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.explain import find_query
    from ragstone.experiments.results import collect
    from ragstone.experiments.select import find_run
    from ragstone.reports import explanation_data, render_explanation

    with open_configured_store(settings(store, None)) as opened:
        result = collect(opened, find_run(opened, run))
    found = find_query(result, query)
    if as_json:
        put_json(explanation_data(result, found))
    else:
        put(render_explanation(result, found))
