"""Side by side with peers: `python -m benchmarks [row ...] [--list] [--json FILE] [--picture FILE]`."""
