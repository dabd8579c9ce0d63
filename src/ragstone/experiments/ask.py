"""Asking the system under test one question: time limit, retries, and failures as data."""

from __future__ import annotations

import asyncio
import logging
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
from ragstone.ports import Clock, System
from ragstone.types import Failure, FailureKind, Response

logger = logging.getLogger(__name__)

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
                return replace(found, latency_ms=_elapsed(started, clock), attempts=number)
    except Exception as error:  # noqa: BLE001 - guard: the system under test may fail in any way
        timed_out = isinstance(error, TimeoutError) and limit.expired()
        failure = _failure(error, timed_out=timed_out, seconds=manners.timeout_seconds)
        logger.warning("search for %r failed after %d attempt(s): %s", query, number, failure)
        latency = manners.timeout_seconds * 1000 if timed_out else _elapsed(started, clock)
        return Response(latency_ms=latency, attempts=number, failure=failure)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _elapsed(started: float, clock: Clock) -> float:
    return round((clock.monotonic() - started) * 1000, 3)


def _pause(state: RetryCallState, retry: Retry) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = getattr(error, "retry_after", None)
    if asked is not None:
        return min(float(asked), retry.max_wait_seconds)
    return wait_random_exponential(multiplier=retry.wait_seconds, max=retry.max_wait_seconds)(state)


def _failure(error: Exception, *, timed_out: bool, seconds: float) -> Failure:
    name = type(error).__name__
    if timed_out:
        return Failure(kind="timeout", message=f"no answer within {seconds:g} s", type=name)
    known: list[FailureKind] = [kind for cls, kind in _KINDS if isinstance(error, cls)]
    return Failure(kind=known[0] if known else "error", message=_message(error) or name, type=name)


def _message(error: Exception) -> str:
    """Return what the error says, as text that can be stored, and no more of it than anybody reads."""
    return str(error)[:MAX_MESSAGE].encode("utf-8", "replace").decode()
