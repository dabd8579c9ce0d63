"""Run every benchmark but that of the kernel, which takes long: python -m benchmarks."""

from benchmarks import kernel, matching, startup, statistics

startup.main()
matching.main()
statistics.main()
