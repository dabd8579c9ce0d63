"""The tables of the store. Values are rows keyed by metric name; content is JSON text."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = 2

metadata = MetaData()

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", String, nullable=False))

datasets = Table(
    "datasets",
    metadata,
    Column("digest", String, primary_key=True),
    Column("content", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("batch", String, nullable=False, index=True),
    Column("state", String, nullable=False),
    Column("spec", Text, nullable=False),
    Column("benchmark", Text, nullable=False),
    Column("dataset", String, ForeignKey("datasets.digest"), nullable=False),
    Column("base", Text, nullable=False),
    Column("system", Text, nullable=False),
    Column("validity", Text),
    Column("total", Integer, nullable=False),
    Column("created_at", String, nullable=False),
    Column("started_at", String),
    Column("finished_at", String),
    Column("error", Text),
    Column("unreachable", Boolean, nullable=False),
)

shards = Table(
    "shards",
    metadata,
    Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("owner", String),
    Column("done", Boolean, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("query", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("shard", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Index("tasks_by_shard", "run", "shard", "position"),
)

responses = Table(
    "responses",
    metadata,
    Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("query", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("failure", String),
    Column("content", Text, nullable=False),
    UniqueConstraint("run", "query", "repeat", name="one_response_a_task"),
)

passages = Table(
    "passages",
    metadata,
    Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("id", String, primary_key=True),
    Column("content", Text, nullable=False),
)

scores = Table(
    "scores",
    metadata,
    Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("metric", String, primary_key=True),
    Column("query", String, primary_key=True),
    Column("value", Float),
    Column("reason", String),
)
