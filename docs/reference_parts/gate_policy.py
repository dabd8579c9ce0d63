"""The page on policy files of the gate, from the model that reads them."""

from __future__ import annotations

import json

from ragstone.experiments.gate.policy import GatePolicy
from reference_parts.benchmark_file import model_table

INTRODUCTION = """\
# Gate policies

A policy is one YAML document, read by `ragstone gate --policy FILE`. Unknown keys, metrics and values that make no
sense are refused, all of them at once, each with its line. At least one rule must be there.
[gate-policy.schema.json](gate-policy.schema.json) is the JSON Schema for editors. What the rules mean:
[gate a change in CI](../how-to/gate-in-ci.md).
"""


def page() -> str:
    """Return the page."""
    return f"{INTRODUCTION}\n{model_table(GatePolicy)}"


def schema() -> str:
    """Return the JSON Schema of policy files."""
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
    return json.dumps({**draft, **GatePolicy.model_json_schema()}, indent=2, ensure_ascii=False) + "\n"
