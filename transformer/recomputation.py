"""`checkpoint`: a function whose inside is computed again in the reverse sweep instead of being kept."""

import functools

from . import pipeline
from .custom import Custom
from .frontend.specialise.calls import call
from .transforms.custom_calls import Recomputed


class Checkpointed(Custom):
    """A function under `checkpoint`. A policy that saves everything makes it the plain function."""

    def __init__(self, fun, policy=None, prevent_cse=True, static_argnums=()):
        super().__init__(fun, static_argnums)
        self.policy, self.prevent_cse = policy, prevent_cse

    def __transformer_call__(self, ev, args, kwargs):
        if not pipeline.current_options().pending or self.policy is everything_saveable:
            return call(ev, self.fun, args, kwargs, None)
        return super().__transformer_call__(ev, args, kwargs)

    def require_rules(self):
        """The rule follows from the function itself."""

    def node(self, count):
        return Recomputed(self.__name__, count)

    def rules(self, site):
        return []


def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=(), concrete=False):
    """The function, of which the reverse sweep keeps the arguments only and computes the rest again: less memory for more time.

    policy: one of `checkpoint_policies`; those that save some values (dots...) recompute all of them, which changes no result.
    Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 12.

    >>> import numpy as np
    >>> from transformer import grad
    >>> print(grad(lambda x: checkpoint(lambda y: np.sin(np.sin(y)))(x))(0.0))
    1.0
    """
    if fun is None:
        return functools.partial(checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums)
    return Checkpointed(fun, policy, prevent_cse, static_argnums)


remat = checkpoint


def everything_saveable(*args, **params):
    """Keep all values."""
    return True


def nothing_saveable(*args, **params):
    """Keep no value but the arguments."""
    return False


def dots_saveable(*args, **params):
    """Keep results of matrix products (here: accepted, everything is computed again)."""
    return False


def some_saveable(*names, **more):
    """Policies made for names: accepted, everything is computed again."""
    return nothing_saveable


class checkpoint_policies:
    """The policies that `checkpoint` takes."""

    everything_saveable = staticmethod(everything_saveable)
    nothing_saveable = staticmethod(nothing_saveable)
    dots_saveable = checkpoint_dots = staticmethod(dots_saveable)
    dots_with_no_batch_dims_saveable = checkpoint_dots_with_no_batch_dims = staticmethod(dots_saveable)
    save_only_these_names = save_any_names_but_these = save_anything_except_these_names = staticmethod(some_saveable)


__all__ = ["checkpoint", "checkpoint_policies", "remat"]
