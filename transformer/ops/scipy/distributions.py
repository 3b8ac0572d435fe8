"""Distributions of scipy.stats: how formulas of a standard distribution become `pdf`, `logpdf`, `cdf`... with location and scale.

A declaration holds formulas of the standard distribution; those that are missing follow from the others:

    @continuous(stats.gamma, low=0)
    class gamma:
        def logpdf(x, a): ...
        def cdf(x, a): ...

As in scipy, results are float64, nan where a parameter is invalid, and 0 (or -inf, or 1) outside of the support. Inside the
formulas a point outside of the support is replaced by one within, so that no infinite derivative gets out.
"""

import functools
import inspect

import numpy as np
import scipy.special as sp

from ...errors import TypeMismatch, UnknownFunction
from ..op import TABLE, array, aval_of, function

FLOAT64 = np.dtype(np.float64)


class Family:
    """A distribution: its formulas, its support [low, high] (numbers or functions of the shapes), a point within, its validity.

    vanishing: the density is 0 at `low`, where its formula has no value.
    """

    def __init__(self, dist, formulas, low, high, within, valid, discrete, vanishing):
        self.dist, self.low, self.high, self.within, self.valid, self.discrete = dist, low, high, within, valid, discrete
        self.vanishing = vanishing
        self.names = [n.strip() for n in (dist.shapes or "").split(",") if n.strip()]
        self.formulas = {k: v for k, v in vars(formulas).items() if inspect.isfunction(v)}

    def formula(self, name):
        """The formula of that name, or one that follows from the others."""
        if name in self.formulas:
            return self.formulas[name]
        return functools.partial(DERIVED[name], self)

    def parameters(self, args, kwargs):
        """(shapes, loc, scale) as arrays of float64 or numbers; loc and scale None where they are not given."""
        names = [*self.names, "loc"] + ([] if self.discrete else ["scale"])
        given = dict(zip(names, args))
        if len(args) > len(names) or set(kwargs) - set(names) or set(kwargs) & set(given):
            raise TypeMismatch(f"scipy.stats.{self.dist.name} takes the parameters {', '.join(names)}", "Give each of them once.")
        given = {k: double(v) for k, v in {**given, **kwargs}.items()}
        missing = [n for n in self.names if n not in given]
        if missing:
            raise TypeMismatch(f"scipy.stats.{self.dist.name} needs the parameter(s) {', '.join(missing)}", "Give them.")
        return [given[n] for n in self.names], given.get("loc"), given.get("scale")

    def bounds(self, shapes):
        return [b(*shapes) if callable(b) else b for b in (self.low, self.high)]

    def check(self, shapes, scale):
        """Conditions under which the parameters are valid."""
        conditions = self.valid(*shapes) if self.valid else [s > 0 for s in shapes]
        return [*conditions, scale is None or scale > 0]


def double(value):
    """A parameter or point in double precision."""
    value = array(value)
    aval = aval_of(value)
    if aval.weak or aval.dtype == FLOAT64:
        return value
    return TABLE["astype"].bind(value, dtype=FLOAT64)


def either(conditions):
    """`or` of those conditions that are not known to be false; None if none is left."""
    result = None
    for c in conditions:
        if c is None or c is False:
            continue
        result = c if result is None else result | c
    return result


def checked(value, conditions):
    """The value, nan where a condition does not hold."""
    for c in conditions:
        if c is not True and not (isinstance(c, np.bool_) and c):
            value = np.where(c, value, np.nan)
    return value


def density(family, log, x, *args, **kwargs):
    """pdf, logpdf, pmf or logpmf."""
    shapes, loc, scale = family.parameters(args, kwargs)
    y = standard(double(x), loc, scale)
    low, high = family.bounds(shapes)
    below = None if low is None else y <= low if family.vanishing else y < low
    outside = either([below, None if high is None else y > high, family.discrete and np.floor(y) != y])
    if outside is not None:
        y = np.where(outside, family.within if low is None or family.within is not None else low, y)
    name = ("log" if log else "") + ("pmf" if family.discrete else "pdf")
    value = family.formula(name)(y, *shapes)
    if scale is not None:
        value = value - np.log(scale) if log else value / scale
    if outside is not None:
        value = np.where(outside, -np.inf if log else 0.0, value)
    conditions = family.check(shapes, scale)
    return checked(value, conditions[:-1] if log and outside is None else conditions)


def probability(family, upper, log, x, *args, **kwargs):
    """cdf, sf and their logarithms."""
    shapes, loc, scale = family.parameters(args, kwargs)
    y = standard(double(x), loc, scale)
    y = np.floor(y) if family.discrete else y
    low, high = family.bounds(shapes)
    below = None if low is None else y < low
    above = None if high is None else y >= high
    outside = either([below, above])
    inner = y if outside is None else np.where(outside, family.within if family.within is not None else low, y)
    value = family.formula(("log" if log else "") + ("sf" if upper else "cdf"))(inner, *shapes)
    none, all_ = (-np.inf, 0.0) if log else (0.0, 1.0)
    for condition, full in ((below, upper), (above, not upper)):
        if condition is not None:
            value = np.where(condition, all_ if full else none, value)
    return checked(value, family.check(shapes, scale))


def quantile(family, upper, q, *args, **kwargs):
    """ppf and isf."""
    shapes, loc, scale = family.parameters(args, kwargs)
    q = double(q)
    value = family.formula("isf" if upper else "ppf")(q, *shapes)
    value = value if scale is None else value * scale
    value = value if loc is None else value + loc
    return checked(value, [*family.check(shapes, scale), q >= 0, q <= 1])


def standard(x, loc, scale):
    """(x - loc) / scale."""
    x = x if loc is None else x - loc
    return x if scale is None else x / scale


# formulas that follow from others -----------------------------------------------------------------
def _exp_of(log):
    def rule(family, x, *shapes):
        return np.exp(family.formula(log)(x, *shapes))
    return rule


def _log_of(name):
    def rule(family, x, *shapes):
        return np.log(family.formula(name)(x, *shapes))
    return rule


def _complement_of(name):
    def rule(family, x, *shapes):
        return 1 - family.formula(name)(x, *shapes)
    return rule


def _isf(family, q, *shapes):
    return family.formula("ppf")(1 - q, *shapes)


DERIVED = {"pdf": _exp_of("logpdf"), "pmf": _exp_of("logpmf"), "logcdf": _log_of("cdf"), "logsf": _log_of("sf"),
           "sf": _complement_of("cdf"), "isf": _isf, "logpdf": _log_of("pdf")}


# declaration ------------------------------------------------------------------------------------------
class Frozen:
    """A distribution with its parameters: `stats.norm(mu, sigma)`."""

    def __init__(self, methods, args, kwargs):
        self.methods, self.args, self.kwargs = methods, args, kwargs

    def __getattr__(self, name):
        if name not in self.methods:
            raise UnknownFunction(f"{name} of a distribution is not known to transformer", f"It has: {', '.join(self.methods)}.")
        return lambda x: self.methods[name](x, *self.args, **self.kwargs)


def freezing(dist, methods):
    """Calling the distribution gives a frozen one."""
    function(dist)(lambda *args, **kwargs: Frozen(methods, args, kwargs))


def declare(dist, low=None, high=None, within=None, valid=None, discrete=False, vanishing=False):
    """Decorator of a class of formulas: declares the methods of the distribution."""
    def wrap(formulas):
        family = Family(dist, formulas, low, high, within, valid, discrete, vanishing)
        mass = "pmf" if discrete else "pdf"
        methods = {mass: functools.partial(density, family, False), f"log{mass}": functools.partial(density, family, True)}
        for upper, name in ((False, "cdf"), (True, "sf")) if "cdf" in family.formulas else ():
            methods[name] = functools.partial(probability, family, upper, False)
            methods[f"log{name}"] = functools.partial(probability, family, upper, True)
        if "ppf" in family.formulas:
            methods |= {"ppf": functools.partial(quantile, family, False), "isf": functools.partial(quantile, family, True)}
        for name, method in methods.items():
            function(getattr(dist, name))(method)
        freezing(dist, methods)
        return formulas
    return wrap


continuous = declare
discrete = functools.partial(declare, discrete=True, low=0)

__all__ = ["continuous", "discrete", "double", "freezing", "sp"]
