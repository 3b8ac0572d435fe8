"""Random-program testing: small NumPy programs, each checked under every transform.

    python -m tests.fuzz --minutes 30        runs until the time is up; a fault is printed with its program and its seed
    python -m tests.fuzz --seed 12345        one program again
    python -m tests.fuzz --refusals          also what is refused, with its message
"""
