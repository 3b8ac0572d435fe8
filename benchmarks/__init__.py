"""Side by side with peers: `python -m benchmarks [row ...] [--json FILE]`."""
