"""Run every benchmark but that of the kernel, which takes long: python -m benchmarks."""

from benchmarks import comparison, matching, startup, statistics

startup.main()
matching.main()
comparison.main()
statistics.main()
