"""Functions of scipy that XLA has no counterpart of."""

from ...errors import TransformError


def not_compiled(fn, package="scipy.special"):
    """The lowering of such a function: it says that there is none."""
    def lower(hlo, out, *operands, **params):
        raise TransformError(f"{package}.{fn.__name__} cannot be compiled", "Call it outside of jit.")
    lower.missing = True
    return lower


__all__ = ["not_compiled"]
