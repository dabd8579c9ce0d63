"""`ragstone metrics`: the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from ragstone.cli.options import JsonOption
from ragstone.cli.output import put, put_json

app = typer.Typer(help="The catalogue of metrics.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_metrics(as_json: JsonOption = False) -> None:
    """List all metrics with what they measure in a sentence."""
    from ragstone.metrics import FAMILIES

    if as_json:
        rows = [
            {
                "name": name,
                "kind": family.kind,
                "cutoff": family.cutoff,
                "higher_is_better": family.higher_is_better,
                "parameters": {key: param.doc for key, param in family.params.items()},
                "aliases": sorted([*family.aliases, *family.presets]),
                "summary": family.doc.splitlines()[0],
            }
            for name, family in FAMILIES.items()
        ]
        put_json({"metrics": rows})
        return
    for name, family in FAMILIES.items():
        cut = {"required": "@k", "optional": "[@k]", "none": ""}[family.cutoff]
        put(f"{name + cut:<22} {family.doc.splitlines()[0]}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A metric, such as nDCG@10.")], as_json: JsonOption = False
) -> None:
    """Show a metric's definition."""
    import inspect

    from ragstone.metrics.names import describe

    family = describe(name)
    if as_json:
        put_json({"name": family.name, "definition": inspect.cleandoc(family.doc)})
    else:
        put(f"{family.name}\n\n{inspect.cleandoc(family.doc)}")
