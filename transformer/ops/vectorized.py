"""np.vectorize: entered like user code, a loop over the broadcast elements (or, with a signature, over their leading axes)."""

from .broadcast_rows import Rows


def apply(wrapper, *args, **kwargs):
    """wrapper(*args, **kwargs) for a np.vectorize object."""
    rows = Rows(wrapper, args, kwargs)
    function = wrapper.pyfunc
    first = function(*rows.args(0), **rows.kwargs(0))
    results = first if isinstance(first, tuple) else (first,)
    buffers = rows.buffers(results)
    for buffer, result in zip(buffers, results):
        buffer[0] = result
    for i in range(1, rows.count):
        value = function(*rows.args(i), **rows.kwargs(i))
        for buffer, result in zip(buffers, value if isinstance(first, tuple) else (value,)):
            buffer[i] = result
    whole = [rows.shaped(buffer) for buffer in buffers]
    return tuple(whole) if isinstance(first, tuple) else whole[0]
