"""Run every benchmark: python -m benchmarks."""

from benchmarks import kernel, matching, startup

startup.main()
kernel.main()
matching.main()
