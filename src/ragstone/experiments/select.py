"""Finding runs by what people type: an id or its beginning, a batch, a run's name, or nothing for the latest."""

from __future__ import annotations

from ragstone.errors import UnknownNameError, UsageError
from ragstone.ports import Store
from ragstone.types import Run


def find_runs(store: Store, reference: str | None = None) -> tuple[Run, ...]:
    """Return the runs that a reference means, in planned order; None means the latest batch.

    Tried in this order: id of a run or batch, name of a run in the latest batch, unique beginning of an id.

    Raises:
        UsageError: The store is empty, or the beginning fits several.
        UnknownNameError: Nothing has this name.
    """
    runs = store.runs()
    if not runs:
        raise UsageError("the store holds no runs yet; make some with `ragstone run FILE`")
    latest = [run for run in runs if run.batch == runs[-1].batch]
    if reference is None:
        return tuple(latest)
    exact = [run for run in runs if reference in (run.id, run.batch)]
    named = [run for run in latest if run.spec.name == reference]
    begins: dict[str, list[Run]] = {
        key: [] for run in runs for key in (run.id, run.batch) if key.startswith(reference)
    }
    for key, members in begins.items():
        members.extend(run for run in runs if key in (run.id, run.batch))
    meanings = {tuple(run.id for run in members) for members in begins.values()}
    if not exact and not named and len(meanings) > 1:
        raise UsageError(f"{reference!r} fits several: {', '.join(sorted(begins))}")
    found = exact or named or next(iter(begins.values()), [])
    if not found:
        raise UnknownNameError("run", reference, [run.id for run in runs])
    return tuple(found)


def find_run(store: Store, reference: str) -> Run:
    """Return the one run that a reference means.

    Raises:
        UsageError: It means several.
    """
    found = find_runs(store, reference)
    if len(found) > 1:
        raise UsageError(f"{reference!r} is a batch of {len(found)} runs: {', '.join(run.id for run in found)}")
    return found[0]
