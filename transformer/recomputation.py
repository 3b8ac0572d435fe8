"""`checkpoint`: a function whose inside is computed again in the reverse sweep instead of being kept, but for what a policy keeps.

    def layer(w, x):                                            grad(checkpoint(layer, policy=checkpoint_policies.dots_saveable)):
        return np.sum(np.sin(x @ w))                                keeps x @ w, computes np.cos(x @ w) from it
"""

import functools
from typing import Any, NamedTuple

from . import pipeline
from .custom import Custom
from .errors import TransformError, TypeMismatch
from .frontend.specialise.calls import call
from .ops.barriers import checkpoint_name, named_value
from .transforms.custom_calls import Recomputed


class Checkpointed(Custom):
    """A function under `checkpoint`. A policy that saves everything makes it the plain function."""

    def __init__(self, fun, policy=None, prevent_cse=True, static_argnums=(), static_argnames=()):
        super().__init__(fun, static_argnums, static_argnames)
        self.policy, self.prevent_cse = policy, prevent_cse

    def __transformer_call__(self, ev, args, kwargs):
        if not pipeline.current_options().pending or self.policy is everything_saveable:
            return call(ev, self.fun, args, kwargs, None)
        return super().__transformer_call__(ev, args, kwargs)

    def require_rules(self):
        """The rule follows from the function itself."""

    def node(self, count):
        return Recomputed(self.__name__, count, None if self.policy is nothing_saveable else self.policy)

    def rules(self, site):
        return []


def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=(), static_argnames=(), concrete=False):
    """The function, of which the reverse sweep keeps the arguments only and computes the rest again: less memory for more time.

    policy: which values inside are kept all the same: one of `checkpoint_policies`, or a function policy(op, *avals, **params) that says
    so for each op of the function (True: keep its result); `op.name` is the op's name, an aval has `shape` and `dtype`. Values
    that stores change are kept as they were when they were computed. prevent_cse=False, concrete: accepted.
    Raises TypeMismatch if the policy is no function, or returns no bool.
    Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 12.

    >>> import numpy as np
    >>> from transformer import grad
    >>> print(grad(lambda x: checkpoint(lambda y: np.sin(np.sin(y)))(x))(0.0))
    1.0
    """
    if fun is None:
        return functools.partial(checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums, static_argnames=static_argnames)
    if policy is not None and not callable(policy):
        raise TypeMismatch(f"a policy of type {type(policy).__name__} for checkpoint", "Pass one of checkpoint_policies, or a function.")
    return Checkpointed(fun, policy, prevent_cse, static_argnums, static_argnames)


remat = checkpoint


# policies -----------------------------------------------------------------------------------------------------------------
def everything_saveable(*args, **params):
    """Keep all values: as without `checkpoint`."""
    return True


def nothing_saveable(*args, **params):
    """Keep no value but the arguments: as without a policy."""
    return False


def dots_saveable(op, *avals, **params):
    """Keep the results of matrix products and convolutions."""
    return op.product(*avals, **params) is not None


def dots_with_no_batch_dims_saveable(op, *avals, **params):
    """Keep the results of matrix products, but not of stacks of them."""
    return op.product(*avals, **params) == "dot"


class NamesSaveable(NamedTuple):
    """Keep values with a name (see `checkpoint_name`): those of `names`, or (others) all but these."""

    names: frozenset[str]
    others: bool = False

    def __call__(self, op, *avals, **params):
        return op is named_value and (params["name"] in self.names) is not self.others


def save_only_these_names(*names_which_can_be_saved):
    """Keep the values with these names."""
    return NamesSaveable(frozenset(names_which_can_be_saved))


def save_any_names_but_these(*names_not_to_save):
    """Keep the values that have a name, but for these."""
    return NamesSaveable(frozenset(names_not_to_save), others=True)


class AllButNames(NamedTuple):
    """Keep all values but those with these names, which are not kept without their names either."""

    names: frozenset[str]
    unnamed_too = True

    def __call__(self, op, *avals, **params):
        return op is not named_value or params["name"] not in self.names


def save_anything_except_these_names(*names_not_to_save):
    """Keep all values, with a name or without, but for those with these names."""
    return AllButNames(frozenset(names_not_to_save))


class EitherSaveable(NamedTuple):
    """Keep what one of two policies keeps."""

    first: Any
    second: Any

    def __call__(self, op, *avals, **params):
        return self.first(op, *avals, **params) or self.second(op, *avals, **params)


def save_from_both_policies(policy_1, policy_2):
    """Keep what either of the policies keeps."""
    return EitherSaveable(policy_1, policy_2)


def refuse_offload(*args, **kwargs):
    """Moving kept values to another memory is not known."""
    raise TransformError("policies that move kept values to the memory of the host (offload) are not known here",
                         "Use save_only_these_names, or dots_with_no_batch_dims_saveable, which keep values where they are.")


class checkpoint_policies:
    """The policies that `checkpoint` takes."""

    everything_saveable = staticmethod(everything_saveable)
    nothing_saveable = staticmethod(nothing_saveable)
    dots_saveable = checkpoint_dots = staticmethod(dots_saveable)
    dots_with_no_batch_dims_saveable = checkpoint_dots_with_no_batch_dims = staticmethod(dots_with_no_batch_dims_saveable)
    save_only_these_names = staticmethod(save_only_these_names)
    save_any_names_but_these = staticmethod(save_any_names_but_these)
    save_anything_except_these_names = staticmethod(save_anything_except_these_names)
    save_from_both_policies = staticmethod(save_from_both_policies)
    offload_dot_with_no_batch_dims = save_and_offload_only_these_names = staticmethod(refuse_offload)


__all__ = ["checkpoint", "checkpoint_name", "checkpoint_policies", "remat"]
