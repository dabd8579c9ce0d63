"""Asking the system under test one question: time limit, retries, and failures as data."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_random_exponential,
)

from ragstone.errors import BadResponseError, TransientError, UnreachableError
from ragstone.experiments.benchmark import Retry
from ragstone.logs import logger_of
from ragstone.ports import Clock, System
from ragstone.types import Failure, FailureKind, Response

logger = logger_of(__name__)

MAX_MESSAGE = 2000

# A search that ran into its time limit is not repeated: that it was too slow is the measurement.
_RETRIED = (TransientError, ConnectionError)
_KINDS: Sequence[tuple[type[BaseException], FailureKind]] = (
    (UnreachableError, "unreachable"),
    (ConnectionError, "unreachable"),
    (BadResponseError, "bad_response"),
)


@dataclass(frozen=True, slots=True)
class Manners:
    """How questions are asked: hits wanted, time limit, retries."""

    k: int
    timeout_seconds: float
    retry: Retry


async def ask(system: System, query: str, manners: Manners, clock: Clock) -> Response:
    """Return the system's response, or one whose `failure` says why there is none.

    Transient errors are retried with jitter and growing waits, obeying `retry_after`. The latency is that of the
    last attempt; a timed-out search has the time limit as its latency.
    """
    attempts = AsyncRetrying(
        stop=stop_after_attempt(manners.retry.attempts),
        wait=lambda state: _pause(state, manners.retry),
        retry=retry_if_exception_type(_RETRIED),
        sleep=clock.sleep,
        reraise=True,
    )
    number, started = 0, clock.monotonic()
    try:
        async for attempt in attempts:
            with attempt:
                number, started = attempt.retry_state.attempt_number, clock.monotonic()
                async with asyncio.timeout(manners.timeout_seconds) as limit:
                    found = await system.search(query, manners.k)
                if clock.monotonic() - started > manners.timeout_seconds:
                    # A search that blocks the loop cannot be stopped at its limit, but it has passed it.
                    return _timed_out(manners.timeout_seconds, number, "TimeoutError")
                return replace(found, latency_ms=_elapsed(started, clock), attempts=number)
    except Exception as error:  # noqa: BLE001 - guard: the system under test may fail in any way
        logger.warning("search for %r failed after %d attempt(s): %s", query, number, _message(error))
        if isinstance(error, TimeoutError) and limit.expired():
            return _timed_out(manners.timeout_seconds, number, type(error).__name__)
        return Response(latency_ms=_elapsed(started, clock), attempts=number, failure=_failure(error))
    raise AssertionError("unreachable: the last attempt returns or raises")


def _elapsed(started: float, clock: Clock) -> float:
    return round((clock.monotonic() - started) * 1000, 3)


def _pause(state: RetryCallState, retry: Retry) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = getattr(error, "retry_after", None)
    if asked is not None:
        return min(float(asked), retry.max_wait_seconds)
    return wait_random_exponential(multiplier=retry.wait_seconds, max=retry.max_wait_seconds)(state)


def _timed_out(seconds: float, attempts: int, name: str) -> Response:
    failure = Failure(kind="timeout", message=f"no answer within {seconds:g} s", type=name)
    return Response(latency_ms=seconds * 1000, attempts=attempts, failure=failure)


def _failure(error: Exception) -> Failure:
    name = type(error).__name__
    known: list[FailureKind] = [kind for cls, kind in _KINDS if isinstance(error, cls)]
    return Failure(kind=known[0] if known else "error", message=_message(error) or name, type=name)


def _message(error: Exception) -> str:
    """Return what the error says, as text that can be stored, and no more of it than anybody reads."""
    return str(error)[:MAX_MESSAGE].encode("utf-8", "replace").decode()
