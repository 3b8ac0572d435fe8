"""Sample operands for the op tests: points in the smooth domain of an op."""

SHAPES = {1: [((2, 3),), ((),)], 2: [((2, 3), (2, 3)), ((2, 1), (3,)), ((), (3,))],
          3: [((2, 3), (2, 3), (2, 3)), ((3,), (2, 1), ()), ((), (3,), (2, 3))]}


def uniform(*ranges):
    """Callable rng -> samples with one operand per (lo, hi) range: equal shapes, shapes that broadcast, scalars."""
    def draw(rng):
        return [(tuple(rng.uniform(lo, hi, shape) for (lo, hi), shape in zip(ranges, shapes)), {})
                for shapes in SHAPES[len(ranges)]]
    return draw


def integers(*ranges):
    """The same for int64 operands in [lo, hi)."""
    def draw(rng):
        return [(tuple(rng.integers(lo, hi, shape) for (lo, hi), shape in zip(ranges, shapes)), {})
                for shapes in SHAPES[len(ranges)]]
    return draw


ANY = uniform((-2.0, 2.0))
POSITIVE = uniform((0.3, 2.0))
PAIR = uniform((-2.0, 2.0), (-2.0, 2.0))
POSITIVE_PAIR = uniform((0.3, 2.0), (0.3, 2.0))
