"""StableHLO text -> executable.

    run = compile(text)                       text from `transformer.lower.lower(program).text`, or from `Hlo.finish`
    y, = run.call([x])                        ndarrays, Arrays and Python numbers in, list of Arrays out
"""

import functools
import itertools
import pathlib
import re
import time
from collections import Counter

import numpy as np

from . import cache, client, disk, settings
from .array import Array
from .literals import parse_type
from .loaded import Loaded
from .policy import is_harmed, overrides_for, trial_for
from .recycling import LARGE, Recycling

_serial = itertools.count()


class Executable(Loaded):
    """A compiled program. `inputs` and `outputs` are the (shape, dtype) pairs of its signature; `donated` the positions of the
    parameters whose buffers it consumes."""

    def __init__(self, loaded, text, inputs, outputs, device, donated=(), callbacks=()):
        self.callbacks = tuple(callbacks)
        self.loaded, self.text, self.device = loaded, text, device
        self.inputs, self.outputs, self.donated = inputs, outputs, tuple(donated)
        self.specs = [client.spec(shape, dtype) for shape, dtype in outputs]
        self.input_specs = [client.spec(shape, dtype) for shape, dtype in inputs]
        self.handlers = client.handlers(outputs, device)
        self.run = loaded.execute_sharded
        self.placing = client.placing(device)

    @functools.cached_property
    def unread(self):
        """The positions of the parameters that nothing in the program reads."""
        found = Counter(ARGUMENT.findall(self.text))
        return frozenset(k for k in range(len(self.inputs)) if found[f"%arg{k}"] == 1)

    def call(self, args):
        """Run on a list of arguments of exactly the signature's shapes and dtypes; returns a list of Arrays."""
        if len(args) != len(self.inputs):
            raise TypeError(f"the program takes {len(self.inputs)} arrays, {len(args)} are given")
        buffers, borrowed, (put, place, devices) = [], bool(self.callbacks), self.placing
        if self.donated:
            args = [self.donation(a) if k in self.donated else a for k, a in enumerate(args)]
        for arg, spec in zip(args, self.input_specs):
            if type(arg) is Array and arg.spec is spec:
                buffers.append(arg.buffer)
            elif type(arg) is np.ndarray and arg.shape == spec.shape and arg.dtype == spec.dtype and not self.donated:
                buffers.append(put(spec, place, [arg], devices, True, enable_x64=True))
                borrowed = True
            else:
                buffers.append(self.place_argument(arg, spec, len(buffers)))
                borrowed = True
        results = self.run(buffers).consume_with_handlers(self.handlers)
        if borrowed:
            for result in results:
                result.block_until_ready()
        return [Array(buffer, spec) for buffer, spec in zip(results, self.specs)]

    def donation(self, arg):
        """A donated argument: an Array whose contents have been looked at may share memory with an ndarray, so it is copied."""
        if isinstance(arg, Array) and arg.is_seen:
            return Array(client.put_copy(arg.value, self.device), arg.spec)
        return arg

    def place_argument(self, arg, spec, position):
        """The buffer of an argument that is not an Array of the right type. It may share an ndarray's memory: `call` waits."""
        if type(arg) is Array and arg.shape == spec.shape and arg.dtype == spec.dtype:
            return arg.buffer
        value = arg.value if isinstance(arg, Array) else np.asarray(arg)
        if value.shape != spec.shape:
            raise TypeError(f"argument {position} of the program has shape {spec.shape}, an array of shape {value.shape} is given")
        if value.dtype != spec.dtype:
            if not (type(arg) in (bool, int, float, complex) or np.can_cast(value.dtype, spec.dtype, "safe")):
                raise TypeError(f"argument {position} of the program has dtype {spec.dtype}, an array of {value.dtype} is given")
            value = value.astype(spec.dtype)
        put = client.put_copy if position in self.donated else client.put
        return put(value, self.device)


def compile(text, features=(), options=(), device=None, callbacks=()):
    """The executable of StableHLO text, from the cache if the same text was compiled before.

    features: what `lower` says about the program (see `policy`); options: (name, value) overrides of XLA's flags, which win over
    the policy; device: default the first one; callbacks: the functions of `Hlo.callback` (such a program is not cached).
    """
    device = device or client.default_device()
    inputs, outputs, donated = signature(text)
    overrides, trial = overrides_for(features, options), trial_for(features, text, options)
    if callbacks:
        loaded = translate(text, overrides, device, trial, callbacks)
        return Executable(loaded, text, inputs, outputs, device, donated, callbacks)

    def make():
        start = time.process_time()
        run = Executable(load(text, overrides, device, trial), text, inputs, outputs, device, donated)
        large = large_results(run)
        if large:
            scratch, seconds = with_memory(text, large), time.process_time() - start
            run.run = Recycling(run.run, lambda: load(scratch, overrides, device, trial).execute_sharded, large, seconds).run
        return run
    return cache.memory().get((text, overrides, device.id, device.platform), make)


def large_results(run):
    """Position -> (key of its type, bytes) of the results whose memory is worth recycling; those in donated memory need none."""
    if run.device.platform != "cpu":
        return {}
    given = {int(k) for k in ALIAS.findall(run.text)}
    sizes = [int(np.prod(shape, dtype=np.int64)) * dtype.itemsize for shape, dtype in run.outputs]
    return {k: ((run.outputs[k], run.device.id), size) for k, size in enumerate(sizes) if size > LARGE and k not in given}


def with_memory(text, positions):
    """The text of a program with a donated parameter for each of these results, after its own parameters."""
    found = SIGNATURE.search(text)
    types, count = RESULT.findall(found[2]), len(PARAMETER.findall(found[1]))
    more = [f"%arg{count + n}: {types[k]} {{tf.aliasing_output = {k} : i32}}" for n, k in enumerate(positions)]
    return f"{text[:found.start(1)]}{', '.join([found[1]] * bool(found[1]) + more)}{text[found.end(1):]}"


def translate(text, overrides, device, trial=None, callbacks=()):
    """Compile; with other overrides, `trial`, if these do no harm."""
    if trial is not None:
        loaded = client.compile_text(text, trial, [device], callbacks)
        if not is_harmed(loaded.get_hlo_text(), text):
            return loaded
    return client.compile_text(text, overrides, [device], callbacks)


def load(text, overrides, device, trial=None):
    """Compile, or take the executable from the disk cache."""
    if settings.dump_dir():
        folder = pathlib.Path(settings.dump_dir())
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{next(_serial):04d}.mlir").write_text(text)
    name = cache.disk_name(text, (overrides, trial), (device.id, device.platform)) if disk.folder() else None
    data = name and disk.read(name)
    loaded = client.deserialize(data, text, overrides, [device]) if data else None
    if loaded is None:
        loaded = translate(text, overrides, device, trial)
        if name:
            disk.write(name, client.serialize(loaded))
    return loaded


SIGNATURE = re.compile(r"func\.func public @main\((.*)\) -> \((.*)\) \{")
ARGUMENT = re.compile(r"%arg\d+")
PARAMETER = re.compile(r"%arg\d+: (tensor<[^{,]*>)( \{tf\.aliasing_output[^}]*\})?")
ALIAS = re.compile(r"\{tf\.aliasing_output = (\d+)")
RESULT = re.compile(r"tensor<(?:[^<>]|<[^<>]*>)*>")


def signature(text):
    """(inputs, outputs, donated positions) of a module written by `Hlo.finish`; inputs and outputs as (shape, dtype)."""
    found = SIGNATURE.search(text)
    params = PARAMETER.findall(found[1])
    donated = [k for k, (_, alias) in enumerate(params) if alias]
    return [parse_type(t) for t, _ in params], [parse_type(t) for t in RESULT.findall(found[2])], donated
