"""Running: failures are data, retries are bounded, what is stored stays, and nothing is asked twice."""

from __future__ import annotations

import asyncio

import pytest
from tests.judged import dataset_of
from tests.runs import GOLDS, Silent, answers, execute, finished_run, planned

from ragstone.errors import BadResponseError, ExitCode, TransientError, UnreachableError
from ragstone.experiments.report import build
from ragstone.experiments.results import collect
from ragstone.experiments.runner import Runner, reopen_failed
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Response


def test_every_question_is_asked_once_in_order():
    """A run asks the dataset's questions in their order and ends completed, its system closed."""
    system = FakeSystem(answers())
    store, run = finished_run(system)
    assert system.asked == list(GOLDS)
    assert (run.state, run.done, run.failed) == ("completed", 12, 0)
    assert system.closed
    assert store.run(run.id).system == {"type": "fake"}


def test_scores_are_stored_and_equal_what_is_computed_anew():
    """The stored rows are the scores that the responses give."""
    store, run = finished_run()
    result = collect(store, run)
    stored = store.scores(run.id)
    assert stored["RR"]["q3"].value == 0.5
    assert {name: {q.query.id: q.scores[name] for q in result.queries} for name in stored} == stored


@pytest.mark.parametrize(
    ("error", "kind", "attempts"),
    [
        (TransientError("503"), "error", 3),
        (ConnectionResetError("reset"), "unreachable", 3),
        (UnreachableError("refused"), "unreachable", 3),
        (ValueError("400"), "error", 1),
        (BadResponseError("no hits"), "bad_response", 1),
        (TimeoutError("their own"), "error", 1),
    ],
)
def test_only_transient_errors_are_repeated(error, kind, attempts):
    """What may pass is tried three times, anything else once; the last error is stored."""
    system = FakeSystem({**answers(), "q4": error})
    found = collect(*finished_run(system)).failed[0].response
    assert (found.failure.kind, found.attempts, system.asked.count("q4")) == (kind, attempts, attempts)
    assert found.failure.type == type(error).__name__


def test_a_transient_error_that_passes_leaves_no_trace_but_the_attempts():
    """503, then 200: the response counts, with two attempts."""
    system = FakeSystem({**answers(), "q0": [TransientError("503"), ["d0"]]})
    store, run = finished_run(system)
    first = collect(store, run).queries[0]
    assert (first.response.failure, first.response.attempts, first.rank) == (None, 2, 1)


def test_retry_after_is_obeyed_up_to_the_longest_wait():
    """A server that asks for 7 seconds gets them; one that asks for an hour gets 30."""
    for asked, waited in ((7.0, 7.0), (3600.0, 30.0)):
        clock = FrozenClock()
        store = InMemoryStore()
        system = FakeSystem({**answers(), "q0": [TransientError("429", retry_after=asked), ["d0"]]})
        execute(store, planned(store), system, clock)
        assert clock.slept == [waited]


def test_a_search_that_takes_too_long_is_a_timeout_at_the_limit():
    """It counts with the time limit as its latency, and is not repeated."""

    class Slow(FakeSystem):
        async def search(self, query, k):
            if query == "q5":
                self.asked.append(query)
                await asyncio.sleep(5)
            return await super().search(query, k)

    system = Slow(answers())
    store, run = finished_run(system, timeout_seconds=0.05)
    found = collect(store, run).failed[0]
    assert (found.query.id, found.response.failure.kind, found.response.latency_ms) == ("q5", "timeout", 50.0)
    assert system.asked.count("q5") == 1
    result = collect(store, run)
    assert result.summaries["timeout_rate"].value == pytest.approx(1 / 12)
    assert result.summaries["error_rate"].value == pytest.approx(1 / 12)


@pytest.mark.parametrize(("policy", "value", "n"), [("miss", 11 / 12, 12), ("exclude", 1.0, 11)])
def test_a_failed_search_is_a_miss_or_left_out(policy, value, n):
    """on_error decides, and the count beside the mean shows it."""
    store, run = finished_run(FakeSystem({**answers(), "q4": ValueError("no")}), on_error=policy)
    hit = collect(store, run).summaries["Hit@5"]
    assert (hit.value, hit.n) == (pytest.approx(value), n)


def test_fail_run_ends_the_run_at_the_first_failure():
    """The run is failed, says why, and asks no further."""
    system = FakeSystem({**answers(), "q2": ValueError("no such index")})
    _, run = finished_run(system, on_error="fail_run")
    assert (run.state, run.error) == ("failed", "query 'q2' failed: no such index")
    assert system.asked[:3] == ["q0", "q1", "q2"]
    assert run.done < 12


def test_completed_and_failed_runs_are_left_alone():
    """One completed and one pending run: one is executed, one skipped."""
    store = InMemoryStore()
    runs = planned(store, variants=[{"name": "a"}, {"name": "b"}])
    execute(store, runs[:1], FakeSystem(answers()))
    system = FakeSystem(answers())
    execute(store, runs, system)
    assert len(system.asked) == 12
    assert [run.state for run in store.runs()] == ["completed", "completed"]


def test_an_interrupted_run_goes_on_where_it_was():
    """After an interrupt in the middle, resuming asks only what is missing, and the results are the same."""

    class Stops(FakeSystem):
        async def search(self, query, k):
            if query == "q7":
                raise KeyboardInterrupt
            return await super().search(query, k)

    store = InMemoryStore()
    runs = planned(store)
    with pytest.raises(KeyboardInterrupt):
        execute(store, runs, Stops(answers()))
    assert store.run(runs[0].id).state in ("interrupted", "running")
    store.move(runs[0].id, ("running",), "interrupted", at="")
    done = store.run(runs[0].id).done
    system = FakeSystem(answers())
    execute(store, runs, system)
    assert len(system.asked) == 12 - done
    undisturbed, run = finished_run()
    assert store.scores(runs[0].id)["nDCG@5"] == undisturbed.scores(run.id)["nDCG@5"]


def test_failed_questions_are_asked_again_on_request():
    """The failures alone are forgotten."""
    store, run = finished_run(FakeSystem({**answers(), "q4": ValueError("no"), "q9": ValueError("no")}))
    assert reopen_failed(store, run, FrozenClock()) == 2
    system = FakeSystem(answers())
    execute(store, [run], system)
    assert system.asked == ["q4", "q9"]
    assert (store.run(run.id).state, store.run(run.id).failed) == ("completed", 0)
    assert reopen_failed(store, run, FrozenClock()) == 0


def test_a_system_that_cannot_be_opened_fails_its_run_and_the_next_goes_on():
    """A configuration error of one run does not take the others with it."""
    from ragstone.errors import UsageError

    store = InMemoryStore()
    runs = planned(store, variants=[{"name": "a"}, {"name": "b"}])

    async def opened(run):
        if run.spec.name == "a":
            raise UsageError("no such corpus")
        return FakeSystem(answers())

    asyncio.run(Runner(store, opened, FrozenClock(), Silent(), "me").run([run.id for run in runs]))
    assert [(run.state, run.error) for run in store.runs()] == [("failed", "no such corpus"), ("completed", None)]


def test_a_run_that_failed_as_a_whole_can_be_opened_again():
    """Once the cause is mended, resume --failed asks what is missing."""
    store, run = finished_run(FakeSystem({**answers(), "q2": ValueError("no index")}), on_error="fail_run")
    assert run.state == "failed"
    reopen_failed(store, run, FrozenClock())
    execute(store, [run], FakeSystem(answers()))
    assert (store.run(run.id).state, store.run(run.id).done, store.run(run.id).error) == ("completed", 12, None)


def test_questions_are_asked_at_the_same_time_up_to_the_concurrency():
    """With concurrency 4, four are under way and never more."""
    under_way, most = 0, 0

    class Counts(FakeSystem):
        async def search(self, query, k):
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.002)
            under_way -= 1
            return await super().search(query, k)

    finished_run(Counts(answers()), concurrency=4)
    assert most == 4


def test_repeats_are_averaged():
    """A question found in one of two repeats has a Hit of a half."""
    system = FakeSystem({**answers(), "q0": [["d0"], ["y"]]})
    store, run = finished_run(system, repeats=2)
    result = collect(store, run)
    assert result.queries[0].scores["Hit@5"].value == 0.5
    assert result.summaries["Hit@5"].n == 12


def test_a_failure_in_a_later_repeat_is_seen():
    """It counts in the notices and the verdict, though the first repeat went well."""
    system = FakeSystem({**answers(), "q3": [["d3"], ValueError("no"), ["d3"]]})
    store, run = finished_run(system, repeats=3)
    report = build(store, [run])
    assert report.verdict == ExitCode.INCOMPLETE
    assert "1 of 36 searches failed (error)" in report.notices[0].message
    assert [failure.message for failure in report.runs[0].failed[0].failures] == ["no"]
    down = dict.fromkeys(GOLDS, ConnectionError("refused"))
    assert build(*_one(FakeSystem(down), repeats=2)).verdict == ExitCode.UNREACHABLE


def _one(system, **changes):
    store, run = finished_run(system, **changes)
    return store, [run]


def test_latency_percentiles_are_those_of_all_calls():
    """Ten repeats, the first slow: p95 is that of the forty calls, not of four means."""
    clock = FrozenClock()

    class Slow(FakeSystem):
        async def search(self, query, k):
            clock.seconds += 0.01 if self.asked.count(query) else 0.2
            return await super().search(query, k)

    store = InMemoryStore()
    runs = planned(store, dataset_of({f"q{i}": {"a": 1} for i in range(4)}), repeats=10)
    execute(store, runs, Slow({}), clock)
    latency = collect(store, store.runs()[0]).summaries["latency(p=95)"]
    assert (latency.n, round(latency.value)) == (40, 200)


def test_a_timed_out_search_counts_in_latency_even_if_it_is_left_out():
    """on_error=exclude drops it from the ranking metrics alone."""

    class Hangs(FakeSystem):
        async def search(self, query, k):
            await asyncio.sleep(5 if query == "q0" else 0)
            return await super().search(query, k)

    store, run = finished_run(Hangs(answers()), timeout_seconds=0.05, on_error="exclude")
    summaries = collect(store, run).summaries
    assert (summaries["latency(p=99)"].n, summaries["Hit@5"].n) == (12, 11)


def test_a_search_that_blocks_past_its_limit_is_a_timeout():
    """Even where nothing could stop it."""
    clock = FrozenClock()

    class Blocks(FakeSystem):
        async def search(self, query, k):
            clock.seconds += 100 if query == "q1" else 0
            return await super().search(query, k)

    store = InMemoryStore()
    execute(store, planned(store), Blocks(answers()), clock)
    (failed,) = collect(store, store.runs()[0]).failed
    assert (failed.query.id, failed.failures[0].kind, failed.response.latency_ms) == ("q1", "timeout", 60_000.0)


def test_a_run_is_not_continued_on_another_system():
    """Answers of two systems never mix: the run fails and says what has changed."""

    class Described(FakeSystem):
        def describe(self):
            return {"type": "fake", "corpus": "new"}

    store, run = finished_run(FakeSystem({**answers(), "q4": ValueError("no")}))
    reopen_failed(store, run, FrozenClock())
    execute(store, [run], Described(answers()))
    found = store.run(run.id)
    assert (found.state, found.done) == ("failed", 11)
    assert "has changed since 11 answers of this run were stored (corpus)" in found.error


def test_verdicts():
    """One verdict for text, JSON and shell: ok, threshold missed, incomplete, unreachable."""

    def verdict(script, **changes):
        store, run = finished_run(FakeSystem(script), **changes)
        return build(store, [run]).verdict

    broken = {**answers(), "q1": ValueError("no")}
    assert verdict(answers()) == ExitCode.OK
    assert verdict(answers(), thresholds={"Hit@5": "> 0.99"}) == ExitCode.OK
    assert verdict(answers(), thresholds={"Hit@5": "> 1"}) == ExitCode.GATE_FAILED
    assert verdict(broken) == ExitCode.INCOMPLETE
    assert verdict(broken, thresholds={"Hit@5": "> 0.95"}) == ExitCode.GATE_FAILED
    assert verdict(dict.fromkeys(GOLDS, ConnectionError("refused"))) == ExitCode.UNREACHABLE


def test_what_went_wrong_is_noticed():
    """Failures, missed thresholds, degraded searches and mis-joined names each give a notice."""
    script = {**answers(), "q1": ValueError("no"), "q2": Response(degraded=("hybrid fell back to lexical",))}
    store, run = finished_run(FakeSystem(script), thresholds={"Hit@5": "> 0.99", "latency_p95": "< 0 ms"})
    text = "\n".join(notice.message for notice in build(store, [run]).notices)
    assert "1 of 12 searches failed (error)" in text
    assert "Hit@5 misses its threshold > 0.99" in text
    assert "latency(p=95) misses its threshold < 0 ms" in text
    assert "hybrid fell back to lexical" in text
    store, run = finished_run(FakeSystem({query: ["Nothing.pdf"] for query in GOLDS}))
    assert "do the document names of dataset and system agree?" in build(store, [run]).notices[0].message


def test_a_dataset_without_gold_is_scored_as_nothing():
    """No value and a notice, not 0."""
    store = InMemoryStore()
    runs = planned(store, dataset_of({"a": {}, "b": {}}))
    execute(store, runs, FakeSystem({}))
    report = build(store, store.runs())
    assert report.runs[0].summaries["nDCG@5"].value is None
    assert "no question could be scored by Hit@5: 2 no gold" in report.notices[0].message
