"""The owner of jaxlib: clients, devices, buffers, compiling and running.

Nothing here runs at import: jaxlib is loaded and a client made at the first use. Only this module and `hlo` know jaxlib's
private names, and no global state of jaxlib is changed, so that users may have jax in the same process.
"""

import ctypes
import functools
import os
import re
import threading
import warnings
from contextlib import contextmanager

import numpy as np

from . import plugins, settings

_lock = threading.RLock()


@contextmanager
def _quiet():
    """jaxlib logs each new client at the default log level; jax sets the same variable."""
    missing = "TF_CPP_MIN_LOG_LEVEL" not in os.environ
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")
    try:
        yield
    finally:
        if missing:
            del os.environ["TF_CPP_MIN_LOG_LEVEL"]


@functools.cache
def library():
    """The module `jaxlib.xla_client`."""
    with _lock, _quiet():
        from jaxlib import xla_client
    return xla_client


@functools.cache
def client():
    """The client of the platform that programs run on: the first of TRANSFORMER_PLATFORMS that can be had (see `plugins`)."""
    wanted = plugins.expanded(settings.platforms())
    missing = []
    for name in wanted or [*plugins.installed(), "cpu"]:
        try:
            found = client_of(name)
        except plugins.Unavailable as error:
            missing.append(str(error))
            continue
        if missing:
            warnings.warn(f"running on {name}: {'; '.join(missing)}", stacklevel=2)
        return found
    raise plugins.Unavailable("; ".join(missing))


@functools.cache
def client_of(name):
    """The client of one platform. Raises plugins.Unavailable."""
    with _lock, _quiet():
        if name == "cpu":
            return library().make_cpu_client(asynchronous=settings.cpu_async_dispatch(), num_devices=settings.num_cpu_devices())
        return plugins.make_client(library(), name)


def configure(name, value):
    """Make a setting of the program; only before the first use of a device."""
    if client_of.cache_info().currsize and settings.chosen.get(name) != value:
        raise RuntimeError(f"{name} is set after the first use of a device; set it at the start of the program")
    settings.chosen[name] = value


def platform():
    """The platform of the client: "cpu", "gpu" or "tpu"."""
    return default_device().platform


def devices(name=None):
    """The devices of the default client, or of one platform."""
    chosen = client() if name is None or name in (client().platform, platform()) else client_of(plugins.expanded([name])[0])
    return list(chosen.local_devices())


@functools.cache
def default_device():
    return client().local_devices()[0]


class Spec:
    """What jaxlib wants to know of an array: shape and dtype."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape, dtype, weak_type=False):
        self.shape, self.dtype, self.weak_type = shape, dtype, weak_type

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}"


def spec(shape, dtype, weak_type=False):
    """The one Spec of a type."""
    return _spec(shape, dtype, weak_type)


_spec = functools.cache(Spec)


@functools.cache
def sharding(device):
    """The sharding that puts an array on one device. jaxlib asks for its attributes at each placement: they are plain ones."""
    xla = library()

    class OneDevice(xla.Sharding):
        memory_kind = device.default_memory().kind
        is_fully_addressable = is_fully_replicated = True
        num_devices = 1
        device_set = frozenset([device])
        _device_assignment = (device,)
        _internal_device_list = xla.DeviceList((device,))

        def _to_xla_hlo_sharding(self, num_dimensions):
            return xla.HloSharding.replicate()

    OneDevice.device = device
    return OneDevice()


@functools.cache
def spread(layout):
    """jaxlib's form of a `Sharding` over several devices."""
    xla = library()

    class Spread(xla.Sharding):
        memory_kind = layout.devices[0].default_memory().kind
        is_fully_addressable = True
        is_fully_replicated = layout.is_fully_replicated
        num_devices = len(layout.devices)
        device_set = frozenset(layout.devices)
        _device_assignment = layout.devices
        _internal_device_list = xla.DeviceList(layout.devices)

        def _to_xla_hlo_sharding(self, num_dimensions):
            return hlo_sharding(layout, num_dimensions)

        def shard_shape(self, shape):
            return layout.shard_shape(shape)

    return Spread()


def hlo_sharding(layout, ndim):
    """XLA's form of a `Sharding`: which device holds which block."""
    xla = library()
    splits = layout.splits(ndim)
    if all(n == 1 for n in splits):
        return xla.HloSharding.replicate()
    names, sizes = [n for n, _ in layout.axes], [s for _, s in layout.axes]
    used = [n for entry in layout.names for n in entry]
    order = [names.index(n) for n in used] + [k for k, n in enumerate(names) if n not in used]
    proto = xla.OpSharding()
    proto.type = xla.OpSharding.Type.OTHER
    copies = len(layout.devices) // int(np.prod(splits))
    proto.tile_assignment_dimensions = [*splits, copies] if copies > 1 else splits
    proto.replicate_on_last_tile_dim = copies > 1
    places = np.arange(len(layout.devices)).reshape(sizes).transpose(order).ravel()
    proto.tile_assignment_devices = (np.argsort(layout.order)[places] if hasattr(layout, "order") else places).tolist()
    return xla.HloSharding.from_proto(proto)


def put_blocks(blocks, spec, layout):
    """A buffer made of one block (ndarray) per device of a `Sharding`. It shares the memory of aligned blocks."""
    xla, devices = library(), list(layout.devices)
    place = sharding(devices[0]) if len(devices) == 1 else spread(layout)
    return xla.batched_device_put(spec, place, blocks, devices, True, enable_x64=True)


def handler(spec, layout):
    """What turns a raw result into a buffer with a `Sharding`."""
    return _handler()(spec, sharding(layout.devices[0]) if len(layout.devices) == 1 else spread(layout), True)


def placing(device):
    """What `put` calls, for callers in a hurry: function, sharding, list of devices."""
    return library().batched_device_put, sharding(device), [device]


def put(array, device=None):
    """A buffer with the contents of an ndarray. On CPU an aligned array is not copied: do not change it while the buffer lives."""
    device = device or default_device()
    return library().batched_device_put(spec(array.shape, array.dtype), sharding(device), [array], [device], True, enable_x64=True)


def put_copy(array, device=None):
    """A buffer that never shares the ndarray's memory."""
    device = device or default_device()
    xla = library()
    return xla.batched_device_put(spec(array.shape, array.dtype), sharding(device), [array], [device], True, True,
                                  xla.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL, enable_x64=True)


class _Memory:
    """A CPU buffer as NumPy's array interface wants it; keeps the buffer alive."""

    __slots__ = ("__array_interface__", "buffer")

    def __init__(self, buffer, shape, dtype):
        self.buffer = buffer
        kind = dtype.str if dtype.kind != "V" else f"<u{dtype.itemsize}"
        self.__array_interface__ = {"shape": shape, "typestr": kind, "data": (buffer.unsafe_buffer_pointer(), True), "version": 3}


class _Exported:
    """A CPU buffer as DLPack wants it."""

    def __init__(self, buffer):
        self.buffer = buffer

    def __dlpack__(self, **kwargs):
        from jaxlib import _jax
        return _jax.buffer_to_dlpack_managed_tensor(self.buffer)

    def __dlpack_device__(self):
        return 1, 0


def shares_memory(buffer, array):
    """Whether a CPU buffer and an ndarray are the same memory. The buffer's own pointer would import jax in jaxlib 0.10."""
    return np.shares_memory(np.from_dlpack(_Exported(buffer)), array)


@functools.cache
def _reader():
    """How this jaxlib turns a buffer into an ndarray; None for jaxlib 0.10, whose way imports jax."""
    return getattr(library().ArrayImpl, "_to_np_array_did_copy", None)


def to_numpy(buffer):
    """A read-only ndarray of a buffer's contents (waits for it; shares the memory on CPU)."""
    read = _reader()
    if read is not None:
        return read(buffer)[0]
    if buffer.platform() != "cpu":
        return buffer._single_device_array_to_np_array_did_copy()[0]
    shape, dtype = buffer.aval.shape, buffer.aval.dtype
    buffer.block_until_ready()
    if 0 in shape:
        return np.empty(shape, dtype)
    value = np.asarray(_Memory(buffer, shape, dtype))
    return value.view(dtype) if dtype.kind == "V" else value


def integer(buffer, kind):
    """The number in a CPU buffer that holds a single one, of the kind "int32" or "int64" (waits for it)."""
    buffer.block_until_ready()
    return getattr(ctypes, f"c_{kind}").from_address(buffer.unsafe_buffer_pointer()).value


@functools.cache
def _handler():
    """Makes a result handler. jaxlib 0.10 needs a flag to skip checks that only jax defines, jaxlib 0.12 has no such flag."""
    make = library().array_result_handler
    return functools.partial(make, _skip_checks=True) if "_skip_checks" in (make.__doc__ or "") else make


def handlers(outputs, device):
    """What turns raw results into buffers; one per output, given as (shape, dtype)."""
    return [_handler()(spec(shape, dtype), sharding(device), True) for shape, dtype in outputs]


@functools.cache
def _context():
    """The MLIR context that text with callbacks is parsed in."""
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _chlo, _jax_mlir_ext, _stablehlo
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    _stablehlo.register_dialect(context)
    _chlo.register_dialect(context)
    return context


def _parse(text):
    """An MLIR module: only this form of a program may come with callbacks."""
    from jaxlib.mlir import ir
    with _lock, _context():
        return ir.Module.parse(text)


def _invalid(text, message):
    """The error for text that does not parse or verify: MLIR's diagnosis and the line it means."""
    found = re.search(r"-:(\d+):\d+: error: ([^\n]*)", message)
    lines = text.splitlines()
    return ValueError(f"invalid StableHLO: {found[2]}\n{lines[int(found[1]) - 1][:400]}\nThis is a fault of an op's lowering.")


@functools.cache
def register_lapack():
    """Make the `lapack_*` targets of jaxlib known to XLA (jax registers the same functions under the same names)."""
    from jaxlib import lapack
    from jaxlib.cpu import _lapack
    _lapack.initialize()
    for name, function, version in lapack.registrations()["cpu"]:
        library().register_custom_call_target(name, function, platform="cpu", api_version=version)


def compile_options(overrides=(), replicas=1, device_list=None, free=None):
    """jaxlib's CompileOptions with (name, value) overrides of XLA's flags. `free`: the devices are partitions of one program, not
    replicas; for each output whether XLA may choose its sharding."""
    options = library().CompileOptions()
    partitions = replicas if free is not None else 1
    options.num_replicas, options.num_partitions = replicas // partitions, partitions
    ids = [d.id for d in device_list] if device_list else [default_device().id]
    options.device_assignment = library().DeviceAssignment.create(np.array(ids, np.int32).reshape(replicas // partitions, partitions))
    if free is not None:
        build = options.executable_build_options
        build.use_spmd_partitioning = build.use_shardy_partitioner = True
        build.allow_spmd_sharding_propagation_to_output = list(free) or [False]
    extra = [(k, v) for k, v in overrides if k in EXTRA]
    if extra:
        options = type(options).ParseFromString(options.SerializeAsString() + b"".join(_extra_option(k, v) for k, v in extra))
    options.env_option_overrides = [(k, v) for k, v in overrides if k not in EXTRA]
    return options


EXTRA = {"xla_cpu_small_while_loop_byte_threshold", "xla_cpu_use_multi_output_fusion"}
"""Options that are no flags of their own but entries of the map `DebugOptions.xla_backend_extra_options`."""


def _extra_option(key, value):
    """The protocol buffer bytes that, appended to serialised CompileOptions, add an entry to that map (messages merge):
    executable_build_options = 3, debug_options = 3, xla_backend_extra_options = 500, key = 1, value = 2."""
    entry = _field(1, key.encode()) + _field(2, str(value).encode())
    return _field(3, _field(3, _field(500, entry)))


def _field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)


def compile_text(text, overrides=(), device_list=None, callbacks=(), free=None):
    """Compile StableHLO text for one device, or as one replica or (`free`, see `compile_options`) one partition per device.
    `callbacks`: the functions of `Hlo.callback`."""
    chosen = tuple(device_list) if device_list else (default_device(),)
    if '"lapack_' in text:
        register_lapack()
    options = compile_options(overrides, len(chosen), chosen, free)
    if callbacks:
        return chosen[0].client.compile_and_load(_parse(text), library().DeviceList(chosen), options, list(callbacks))
    try:
        return chosen[0].client.compile_and_load(text, list(chosen), options)
    except library().XlaRuntimeError as error:
        if "Failed to parse using StableHLO" in str(error):
            raise _invalid(text, str(error)) from None
        raise


def serialize(loaded):
    """Bytes from which `deserialize` makes the same executable."""
    return loaded.serialize() if hasattr(loaded, "serialize") else client().serialize_executable(loaded)


def deserialize(data, text, overrides=(), device_list=None):
    """The executable of StableHLO text from the bytes of `serialize`; None if this jaxlib does not take them."""
    chosen = tuple(device_list) if device_list else (default_device(),)
    if '"lapack_' in text:
        register_lapack()
    options = compile_options(overrides, len(chosen), chosen)
    try:
        return client().deserialize_executable(data, library().DeviceList(chosen), options)
    except library().XlaRuntimeError:
        return None


def versions():
    """What a stored executable depends on: jaxlib's version and the platform's."""
    import jaxlib
    return jaxlib.__version__, client().platform_version
