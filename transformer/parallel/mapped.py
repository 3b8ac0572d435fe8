"""`pmap`: one lane per device.

    pmap(f, axis_name="dev")(xs)       f runs on every device on its row of xs; collectives over "dev" exchange values

A call from outside builds the program of one device (`source` shows it, with its collectives) and runs it as one replica per
device. Met inside of another transform, a pmap is the batch over its axis: the same values on one device, and every transform of a
batch works on it. A pmap of a pmap takes devices for both axes if there are enough.
"""

import dataclasses
import functools
import math

from backend import client

from .. import aot, api, axes, pipeline
from ..errors import ShapeError
from ..spread import Blocks
from ..transforms.batch.analysis import Analysis


class Mapped(api.Batched):
    kind = "pmap"
    compiled = True
    spreads = True

    @functools.cached_property
    def static(self):
        inner = self.fn.static if isinstance(self.fn, api.Transformed) else frozenset()
        return frozenset(api.as_tuple(self.settings["static_argnums"])) | inner

    @property
    def donate(self):
        return api.as_tuple(self.settings["donate_argnums"])

    def lower(self, *args, **kwargs):
        """The program of one device, lowered; see `jit(f).lower`."""
        return aot.lower(self, args, kwargs)

    def build_call(self, args, kwargs, leaves):
        available = list(self.settings["devices"] or client.devices())
        specialised, levels = self.on_devices(args, kwargs, available, ())
        count = math.prod(size for _, size, _, _ in levels)
        pipeline.record("pmap", specialised.program)
        return dataclasses.replace(specialised, placement=Blocks(available[:count], levels))

    def on_devices(self, args, kwargs, available, taken):
        """(the program of one device, the mapped axes from this one inwards)."""
        mapped, size = api.batch_axes(self.settings, args, kwargs, self.__name__)
        if size > len(available):
            raise ShapeError(f"pmap of {self.__name__} maps an axis of size {size}, but there are {len(available)} devices",
                             "Map fewer rows, use vmap, or show more CPU devices (TRANSFORMER_NUM_CPU_DEVICES).")
        name = self.settings["axis_name"]
        args, kwargs = api.lanes(args, kwargs, mapped)
        rest = available[: len(available) // size]
        with axes.bind({name: size}):
            specialised, inner = self.inside(args, kwargs, rest, (*taken, name))
        added = [sum(outs[k] is not None for *_, outs in inner) for k in range(len(specialised.program.outputs))]
        ins = api.input_axes(specialised, mapped)
        outs = api.output_axes(specialised, self.settings["out_axes"], added)
        check(specialised.program, ins, outs, name)
        label = str(name) if name is not None and str(name) not in map(str, taken) else f"devices{len(taken)}"
        return specialised, [(label, size, ins, outs), *inner]

    def inside(self, args, kwargs, devices, taken):
        """The mapped function's program; on the devices that are left if it is a pmap itself and they suffice."""
        if isinstance(self.fn, Mapped) and api.batch_axes(self.fn.settings, args, kwargs, self.fn.__name__)[1] <= len(devices):
            return self.fn.on_devices(args, kwargs, devices, taken)
        return pipeline.build(self.fn, args, kwargs), []


def check(program, ins, outs, name):
    """Collectives must be met by all devices, and an output that is not mapped must be the same on all of them."""
    analysis = Analysis(program, [p for p, axis in zip(program.params, ins) if axis is not None], name)
    for atom, axis in zip(program.outputs, outs):
        if axis is None and analysis.is_batched(atom):
            raise ShapeError(f"an output of {program.name} differs from device to device, but its out_axes is None",
                             "Give the position of its mapped axis in out_axes, usually 0.")


@api.decorator
def pmap(f, axis_name=None, in_axes=0, out_axes=0, static_broadcasted_argnums=(), devices=None, backend=None, axis_size=None,
         donate_argnums=()):
    """Run a function on several devices at once, one lane per device; results are arrays spread over them.

    axis_name: the name that collectives (`lax.psum`...) use. in_axes, out_axes: as in `vmap`. static_broadcasted_argnums: arguments
    whose values are built into the program. devices: which ones (default: the first ones). Nested pmaps take devices for both axes.

    The devices are used where the pmap is called itself or is all of a jitted function. Inside of another transform or a larger
    function it is the batch that `vmap` would be: the same values, on one device. For gradients on the devices put `grad` inside
    (`pmap(grad(f))`), or use `shard_map` or shardings, which `jit(grad(...))` keeps on all devices. Raises ShapeError for more lanes
    than devices and for sizes that differ.

    >>> import numpy as np
    >>> from transformer.parallel.collectives import psum
    >>> print(pmap(lambda x: x / psum(x, "dev"), axis_name="dev")(np.array([4.0])))
    [1.]
    """
    return Mapped(f, axis_name=axis_name, in_axes=in_axes, out_axes=out_axes, static_argnums=static_broadcasted_argnums,
                  devices=devices, axis_size=axis_size, donate_argnums=donate_argnums, kind="pmap")


__all__ = ["Mapped", "pmap"]
