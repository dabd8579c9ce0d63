"""Run every benchmark: python -m benchmarks."""

from benchmarks import kernel, startup

startup.main()
kernel.main()
