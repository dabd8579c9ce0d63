"""`ragstone explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json


def explain(
    run: Annotated[str, typer.Argument(help="Run: id or name.", metavar="RUN", autocompletion=complete_runs)],
    query: Annotated[
        str | None, typer.Argument(help="Id of the question; without one, the whole run.", metavar="[QUERY]")
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show why a question came out as it did, or where a run loses.

    A question: its hits with gold marks, and where missed golds ranked and were lost. A run: the loss funnel, what
    reranking and each retriever are worth, and what to do about it.
    """
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.diagnosis.explain import find_query
    from ragstone.experiments.results import collect
    from ragstone.experiments.select import find_run
    from ragstone.reports import explanation_data, render_explanation
    from ragstone.reports.diagnosis.data import run_diagnosis_data
    from ragstone.reports.diagnosis.text import render_diagnosis

    with open_configured_store(settings(store, None)) as opened:
        chosen = find_run(opened, run)
        result = collect(opened, chosen)
        batch = [one for one in opened.runs() if one.batch == chosen.batch] if query is None else []
        others = [result if one.id == chosen.id else collect(opened, one) for one in batch]
    if query is None:
        if as_json:
            put_json(run_diagnosis_data(result, others))
        else:
            put(render_diagnosis(result, others))
        return
    found = find_query(result, query)
    if as_json:
        put_json(explanation_data(result, found))
    else:
        put(render_explanation(result, found))
