"""Calling blocking code without waiting for it for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(function: Callable[..., T], *arguments: object) -> T:
    """Call a blocking function in a thread of its own and await its result.

    A caller that gives up (a time limit, an interrupt) leaves the thread behind. It is a daemon, so that a
    function which never returns keeps neither the run nor the process from ending, as a pool's thread would.
    """
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 - handed on to whoever awaits, part of the call into a System
            outcome.set_exception(_carriable(error))
        except (SystemExit, KeyboardInterrupt) as stop:
            outcome.set_exception(RuntimeError(f"the search called for an end of the program: {stop!r}"))

    # Shielded, because a cancelled future would refuse the result that still comes.
    threading.Thread(target=work, name="ragstone-call", daemon=True).start()
    return await asyncio.shield(asyncio.wrap_future(outcome))


def _carriable(error: Exception) -> Exception:
    """Return the error as a future can carry it; a StopIteration would end the generator that waits for it."""
    return RuntimeError(f"the search raised {error!r}") if isinstance(error, StopIteration) else error
