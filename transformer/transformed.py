"""`Transformed`: what grad, vmap, jit and the others return."""

import functools
import inspect
import pathlib

from . import dispatch
from .errors import TransformError, TypeMismatch
from .files import replace_file
from .later import later
from .specialised import Static

parse, pipeline, printing, scopes, spread, vectorising = (
    later(globals(), name) for name in ("frontend.parse", "pipeline", "printing", "frontend.scopes", "spread", "transforms.vectorise"))


class OwnSignature:
    """Signature of an instance for `inspect.signature`: that of its function. The class has its own."""

    def __get__(self, instance, owner=None):
        return None if instance is None else inspect.signature(instance.fn)


class Transformed:
    """A function made from another one by a transform; call it like a function.

    source     text of the program for the last signature called (before any call: for the annotations, defaults or scalars)
    show(*args, stage=None)   text for these arguments, at any stage of the pipeline
    """

    __slots__ = ("__call__", "__dict__", "__weakref__")
    # A call of an instance runs what is in its own slot, without a step in between: the glue of the call before or `answer`.
    __transformer_opaque__ = True
    kind = "call"

    def __init__(self, fn, **settings):
        if not callable(fn):
            raise TypeMismatch(f"{self.kind} needs a function, not a value of type {type(fn).__name__}",
                               "Pass the function itself, without calling it.")
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.settings = fn, settings
        self.__dict__.pop("__wrapped__", None)
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)
        self.cache = dispatch.Cache()
        self.__call__ = self.answer

    # what a kind of transform defines --------------------------------------------------
    def convert(self, args, kwargs):
        """Arguments as the transform takes them (integers that are differentiated become floats)."""
        if isinstance(self.fn, Transformed):
            return self.fn.convert(args, kwargs)
        return args, kwargs

    def build(self, args, kwargs):
        """The `Specialised` program for arguments whose dynamic leaves are `Param`."""
        return pipeline.build(self.fn, args, kwargs)

    def build_call(self, args, kwargs, leaves):
        """The same for a call from outside on these leaves: it also says on which devices it runs, if not on the first."""
        specialised = self.build(args, kwargs)
        return spread.placed(specialised, leaves) if self.compiled else specialised

    # calling ------------------------------------------------------------------------------
    @functools.cached_property
    def compiled(self):
        """Whether a jit is anywhere in the chain: then the whole runs compiled."""
        return self.kind == "jit" or (isinstance(self.fn, Transformed) and self.fn.compiled)

    @functools.cached_property
    def static(self):
        return self.fn.static if isinstance(self.fn, Transformed) else frozenset()

    donate = ()
    write_back = False
    spreads = False

    def answer(self, *args, **kwargs):
        """A call in general: by its signature."""
        entry, leaves = self.find(args, kwargs)
        result = entry(leaves)
        self.cache.connect(self, entry, args, kwargs)
        return result

    __signature__ = OwnSignature()

    def find(self, args, kwargs):
        """(the entry for these arguments, their dynamic leaves); builds it if need be."""
        args, kwargs = self.convert(args, kwargs)
        if self.static:
            args, kwargs = self.mark_static(args, kwargs)
        key = dispatch.signature(args, kwargs)
        leaves = dispatch.leaves_of(args, kwargs)
        entry = self.cache.find(key, leaves)
        if entry is None:
            with self.cache.lock:
                entry = self.cache.find(key, leaves)
                if entry is None:
                    entry = dispatch.make_entry(self, args, kwargs)
                    if entry.holds_by_type:
                        self.cache.add(key, entry, self.__name__)
                    self.cache.last = entry
        return entry, leaves

    def mark_static(self, args, kwargs):
        """Static arguments are wrapped, so that the numbers in them stay Python numbers."""
        names = self.parameter_names(len(args))
        args = tuple(self.static_argument(n, a) if i in self.static or n in self.static or i - len(args) in self.static else a
                     for i, (a, n) in enumerate(zip(args, names)))
        return args, {k: self.static_argument(k, v) if k in self.static else v for k, v in kwargs.items()}

    def static_argument(self, name, value):
        """Lists, sets and dicts are unhashable and compared by their contents; that is only worth it if the function reads them."""
        if isinstance(value, list | set | dict) and not self.reads(name):
            raise TypeMismatch(f"the static argument {name} is a {type(value).__name__}, which is unhashable, and {self.__name__} never reads it",
                               "Leave it out, or pass a tuple.")
        return Static(value)

    def reads(self, name):
        """Whether the function reads its parameter `name`."""
        fn = self.innermost()
        fn = fn.func if isinstance(fn, functools.partial) else fn
        return name not in scopes.parameters(parse.parse(fn).node) or name in scopes.loaded(parse.parse(fn).node.body)

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundTransformed(self, instance)

    def __repr__(self):
        return f"<{self.kind} of {self.__name__}>"

    def __transformer_call__(self, ev, args, kwargs):
        return pipeline.call_inside(ev, self, args, kwargs)

    def parameter_names(self, count):
        """Names for `count` positional arguments, from the function's own signature."""
        try:
            names = [p.name for p in inspect.signature(self.innermost()).parameters.values()
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        except (TypeError, ValueError):
            names = []
        return (names + [f"x{i}" for i in range(len(names), count)])[:count]

    def innermost(self):
        fn = self.fn
        while isinstance(fn, Transformed):
            fn = fn.fn
        return fn

    # looking ------------------------------------------------------------------------------
    def show(self, *args, stage=None, comments=False, **kwargs):
        """The generated source for these arguments (arrays, numbers, pytrees; only their types count).

        stage: "parse", "desugar", "core", a transform's name ("grad", "vmap"...), "simplify", "vectorise", "narrow" (both not under jit), or
        None for the final source.
        Raises TransformError for an unknown stage, and what a call with these arguments would raise.
        """
        entry, _ = self.find(args, kwargs)
        return self.text(entry, stage, comments)

    def explain(self, *args, **kwargs):
        """Which engine runs a call with these arguments, why, and what it is estimated to cost: an `engines.Explanation`.

        >>> from transformer import jit
        >>> print(jit(lambda x: x + 1.0).explain(2.0))
        xla: it is asked for, by jit or by the configuration
        """
        entry, _ = self.find(args, kwargs)
        return entry.engine

    def text(self, entry, stage=None, comments=False):
        if stage in ("parse", "desugar"):
            return source_text(self.innermost(), stage)
        stages = dict(entry.stages)
        if stage is None or stage == "source" or stage == "narrow" and not entry.compiled:
            return printing.source(entry.program, comments=comments)
        if stage == "vectorise" and not entry.compiled:
            return printing.source(vectorising.vectorise(entry.whole), comments=comments)
        if stage not in stages:
            known = ", ".join(["parse", "desugar", *stages, *([] if entry.compiled else ["vectorise", "narrow"]), "source"])
            raise TransformError(f"there is no stage {stage!r}", f"The stages of this function: {known}.")
        return printing.source(stages[stage], comments=comments)

    @property
    def source(self):
        """Source of the generated function for the last signature."""
        if self.cache.last is None:
            try:
                self.find(*example_arguments(self.innermost()))
            except (TransformError, TypeError, ValueError, IndexError, AttributeError) as error:
                raise TransformError(f"no source of {self.kind} of {self.__name__} yet: it does not take scalars ({first_line(error)})",
                                     "Call it once, or give arguments: g.show(*args).") from error
        return self.text(self.cache.last)

    def function(self, *args, **kwargs):
        """The generated Python function for these arguments: plain NumPy, with source for inspect.getsource and pdb.

        It takes the dynamic leaves of the arguments in order, then the hidden inputs, and returns the outputs as a flat tuple.
        """
        entry, _ = self.find(args, kwargs)
        return printing.load(entry.program) if entry.compiled else inspect.unwrap(entry.run)

    def save(self, path, *args, **kwargs):
        """Write the generated source for these arguments to a file that needs nothing but NumPy; whole or not at all."""
        replace_file(pathlib.Path(path), self.show(*args, **kwargs).rstrip("\n") + "\n")

    def _repr_html_(self):
        from .notebook import side_by_side
        return side_by_side(source_text(self.innermost(), "parse"), self.source)


class BoundTransformed(Transformed):
    """A transformed method looked up on an instance: `self` is the first, static argument."""

    def __init__(self, transformed, instance):
        self.transformed, self.instance = transformed, instance
        self.fn, self.kind, self.settings = transformed.fn, transformed.kind, transformed.settings
        self.__name__, self.cache = transformed.__name__, transformed.cache

    def __call__(self, *args, **kwargs):
        return self.transformed(self.instance, *args, **kwargs)

    def show(self, *args, **kwargs):
        return self.transformed.show(self.instance, *args, **kwargs)

    def explain(self, *args, **kwargs):
        return self.transformed.explain(self.instance, *args, **kwargs)

    def __transformer_call__(self, ev, args, kwargs):
        return self.transformed.__transformer_call__(ev, (self.instance, *args), kwargs)

    def build(self, args, kwargs):
        return self.transformed.build([self.instance, *args], kwargs)


def first_line(error):
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def source_text(fn, stage):
    """The user's source as parsed, or after desugaring."""
    from .frontend.desugar import desugar
    from .frontend.unparse import source
    parsed = parse.parse(getattr(fn, "func", fn))
    return source((parsed if stage == "parse" else desugar(parsed)).node)


SAMPLES = {float: 1.0, int: 1, complex: 1j, "float": 1.0, "int": 1, "complex": 1j}


def example_arguments(fn):
    """Arguments to look at a function with: defaults, else what annotations say, else scalars."""
    args, kwargs = [], {}
    for p in inspect.signature(fn).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        value = p.default if p.default is not p.empty else SAMPLES.get(p.annotation, 1.0)
        if p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs
