"""The run itself: values for the parameters, the call of the program, its results.

Five ways: the generated NumPy function, the same in place of an executable, an executable on one device, which may report failures or
sizes, one on several, and, for all others, the entry's own run.
"""

import numpy as np

from ..engines import OnNumPy, as_array
from ..executable import Array, Compiled, Staging, integer, is_lent, stages, wrap
from ..later import later
from .arguments import check
from .results import expression
from .writer import NoGlue

spread = later(globals(), "spread")

NUMBERS = (int, float, complex)
TOGETHER = 1 << 24
"""Bytes of staged arguments that one program keeps."""


def write(writer, cache, entry, leaves):
    """Write the rest of the glue after the checks; `leaves`: (name, value at hand) of the dynamic leaves."""
    operands = [leaves[i.key] if i.kind == "leaf" else hidden(writer, i.value) for i in entry.inputs]
    if not entry.compiled:
        results = on_numpy(writer, entry, operands)
    elif type(entry.run) is OnNumPy:
        results = in_place_of_executable(writer, entry.run, operands)
    elif type(entry.run) is Compiled and entry.run.plain is not None:
        results = on_one_device(writer, entry.run.run, operands)
    elif type(entry.run) is Compiled and is_reporting(entry.run.run):
        results = with_report(writer, entry.run, operands)
    elif entry.specialised.placement is not None and type(entry.run) is spread.Spread and entry.run.plain is not None and not entry.run.given:
        results = on_several_devices(writer, entry.run.run, operands)
    else:
        run = writer.bind(entry.run, "run")
        results = names_of(writer, entry.count, f"{run}([{', '.join(n for n, _ in operands)}])")
    count = len(results) - len(entry.stored)
    for key, result in zip(entry.stored, results[count:], strict=True):
        writer.line(f"{leaves[key][0]}[...] = {writer.bind(np.asarray, 'asarray')}({result})")
    writer.line(f"{writer.bind(cache, 'cache')}.last = {writer.bind(entry, 'entry')}")
    writer.line(f"return {expression(writer, entry.out_tree, iter(results[:count]))}")


def hidden(writer, source):
    """Fetch a hidden input; the call is passed on if it is of another kind or type."""
    name, value = writer.fresh("hidden"), source.access()
    if not (type(value) is np.ndarray or isinstance(value, Array)) or tuple(value.shape) != source.aval.shape or value.dtype != source.aval.dtype:
        raise NoGlue
    writer.line(f"{name} = {source.access.text(writer.bind)}")
    check(writer, name, value)
    return name, value


def names_of(writer, count, call):
    """Name the `count` results of a call that gives a list."""
    names = [writer.fresh("r") for _ in range(count)]
    writer.line(f"{', '.join(names)}, = {call}" if names else call)
    return names


def on_numpy(writer, entry, operands):
    values = [f"{name}.value" if isinstance(value, Array) else name for name, value in operands]
    call, count = f"{writer.bind(entry.run, 'run')}({', '.join(values)})", entry.count
    if entry.jnp:
        call = f"{writer.bind(wrap, 'wrap')}({call})"
    if count != 1:
        return names_of(writer, count, call)
    name = writer.fresh("r")
    writer.line(f"{name} = {call}")
    return [name]


def in_place_of_executable(writer, run, operands):
    values = []
    for name, value in operands:
        if not isinstance(value, np.ndarray):
            writer.line(f"{name} = {name}.value" if isinstance(value, Array) else f"{name} = {writer.bind(np.asarray, 'asarray')}({name})")
        values.append(name)
    results = [writer.fresh("r") for _ in run.specs]
    call = f"{writer.bind(run.function, 'run')}({', '.join(values)})"
    writer.line(f"with {writer.bind(np.errstate, 'errstate')}(all='ignore'): {', '.join(results)}{',' * (len(results) > 1)} = {call}")
    array, arguments = writer.bind(as_array, "as_array"), f"({', '.join(values)},)"
    return [f"{array}({r}, {writer.bind(spec, 'spec')}, {arguments})" for r, spec in zip(results, run.specs, strict=True)]


# one device ---------------------------------------------------------------------------------------------------------------
def on_one_device(writer, executable, operands):
    return arrays(writer, executable, run_on_device(writer, executable, operands))


def arrays(writer, executable, results):
    array = writer.bind(Array, "Array")
    return [f"{array}({r}, {writer.bind(spec, 'spec')})" for r, spec in zip(results, executable.specs)]


def run_on_device(writer, executable, operands):
    """Device arrays go in as they are, what is on the host through staged memory where it can; the names of the results' buffers."""
    staged = small_ones(executable, [k for k in range(len(operands)) if is_staged(executable, k, operands[k][1])])
    texts, waits = {}, bool(executable.callbacks)
    for k, (name, value) in enumerate(operands):
        if k not in staged:
            texts[k], borrows = buffer_of(writer, executable, k, name, value)
            waits = waits or borrows
    if staged:
        give = stage(writer, executable, [(k, *operands[k]) for k in staged], texts)
    arguments = ", ".join(texts[k] for k in range(len(operands)))
    run, handlers = writer.bind(executable.run, "run"), writer.bind(executable.handlers, "handlers")
    call = f"{run}([{arguments}]{', True' * bool(staged)})"
    writer.line(f"try: done = {call}")
    writer.line(f"except TypeError: done = {call.replace('._buffer', '.buffer')}  # arrays that are on the host have no buffer yet")
    results = names_of(writer, len(executable.handlers), f"done.consume_with_handlers({handlers})")
    if staged:
        writer.line(give)
    if waits:
        for result in results:
            writer.line(f"{result}.block_until_ready()")
    return results


def is_reporting(executable):
    """Whether what an executable reports besides its results is read here: where running the program once more has no effects."""
    return executable is not None and executable.device.platform == "cpu" and not executable.callbacks and not executable.donated


def with_report(writer, compiled, operands):
    """The same for a program that reports a failure or the size of a tape: where there is one, the call is passed on."""
    lowered, executable = compiled.lowered, compiled.run
    writer.test(f"{writer.bind(compiled, 'compiled')}.run is not {writer.bind(executable, 'executable')}")
    results = run_on_device(writer, executable, operands)
    reports = [(lowered.count, "")] if lowered.failures else []
    reports += [(len(results) - 1, f" > {lowered.capacity}")] if lowered.sized else []
    for position, condition in reports:
        kind = executable.outputs[position][1].name
        writer.test(f"{writer.bind(integer, 'integer')}({results[position]}, {kind!r}){condition}")
    return arrays(writer, executable, results[:lowered.count])


def is_staged(executable, position, value):
    """Whether an argument has memory that is kept for it, into which it is copied if the program reads it."""
    shape, dtype = executable.inputs[position]
    is_read = position not in executable.unread
    if position in executable.donated or not stages(executable.device, shape, dtype, is_read):
        return False
    if isinstance(value, np.ndarray | np.generic):
        return value.shape == shape and value.dtype == dtype and not (is_read and type(value) is np.ndarray and is_lent(value))
    return type(value) in NUMBERS and shape == () and dtype.kind in "iufc"


def small_ones(executable, positions):
    """The positions of the smallest arguments, as many as are staged together."""
    sizes = {k: int(np.prod(shape, dtype=np.int64)) * dtype.itemsize for k, (shape, dtype) in enumerate(executable.inputs)}
    total, chosen = 0, []
    for k in sorted(positions, key=sizes.get):
        total += sizes[k] if k not in executable.unread else 0
        if total <= TOGETHER:
            chosen.append(k)
    return sorted(chosen)


def stage(writer, executable, arguments, texts):
    """Write the copies; fills `texts` and returns the line that hands the memories back."""
    staging = Staging(executable.device, [executable.inputs[k] for k, *_ in arguments])
    names = writer.bind(staging, "staging")
    memories, buffers = [writer.fresh("m") for _ in arguments], [writer.fresh("b") for _ in arguments]
    writer.line(f"memories, buffers = {names}.take()")
    writer.line(f"{', '.join(memories)}, = memories")
    writer.line(f"{', '.join(buffers)}, = buffers")
    for (k, name, _), memory, buffer in zip(arguments, memories, buffers):
        if k not in executable.unread:
            writer.line(f"{memory}[{'()' if executable.inputs[k][0] == () else '...'}] = {name}")
        texts[k] = buffer
    return f"{names}.give(done.consume_token().block_until_ready, memories, buffers)"


def buffer_of(writer, executable, position, name, value):
    """(text of an argument's buffer, whether it may share memory that the caller can change)."""
    spec = executable.input_specs[position]
    if type(value) is not Array or value.spec.shape != spec.shape or value.spec.dtype != spec.dtype:
        place = writer.bind(executable.place_argument, "place")
        return f"{place}({name}, {writer.bind(spec, 'spec')}, {position})", True
    if position in executable.donated:
        writer.line(f"if {name}.is_seen: {name} = {writer.bind(executable.donation, 'donation')}({name})")
    return f"{name}._buffer", False


# several devices ----------------------------------------------------------------------------------------------------------
def on_several_devices(writer, executable, operands):
    arguments = []
    for (name, value), (spec, sharding) in zip(operands, executable.inputs, strict=True):
        if isinstance(value, spread.Placed) and value.spec.shape == spec.shape and value.dtype == spec.dtype and \
                value.sharding.is_equivalent_to(sharding, len(spec.shape)):
            arguments.append(f"{name}._buffer")
        else:
            placed, layout = writer.bind(type(executable).placed, "placed"), writer.bind(sharding, "sharding")
            arguments.append(f"{placed}({name}, {writer.bind(spec, 'spec')}, {layout})")
    run, handlers = writer.bind(executable.loaded.execute_sharded, "run"), writer.bind(executable.handlers, "handlers")
    results = names_of(writer, len(executable.handlers), f"{run}([{', '.join(arguments)}]).consume_with_handlers({handlers})")
    if executable.callbacks or not all(isinstance(value, Array) for _, value in operands):
        for result in results:
            writer.line(f"{result}.block_until_ready()")
    placed = writer.bind(spread.Placed, "Placed")
    return [f"{placed}({r}, {writer.bind(spec, 'spec')}, {writer.bind(sharding, 'sharding')})"
            for r, (spec, sharding) in zip(results, executable.outputs, strict=True)]


__all__ = ["write"]
