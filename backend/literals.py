"""Text of StableHLO types and constants. Constants are exact: floats are written in hexadecimal."""

import functools

import numpy as np

NAMES = {"bool": "i1", "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
         "complex64": "complex<f32>", "complex128": "complex<f64>",
         **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)}, **{f"uint{n}": f"ui{n}" for n in (8, 16, 32, 64)}}


@functools.cache
def dtype_text(dtype):
    """`f32`, `ui8`, `complex<f64>`; TypeError for a dtype that XLA does not have."""
    try:
        return NAMES[dtype.name]
    except KeyError:
        raise TypeError(f"XLA has no dtype {dtype}; use one of {', '.join(NAMES)}") from None


@functools.lru_cache(maxsize=4096)
def type_text(shape, dtype):
    """`tensor<2x3xf32>`."""
    return f"tensor<{''.join(f'{d}x' for d in shape)}{dtype_text(dtype)}>"


def scalar_text(value, dtype):
    """One element of a dense constant."""
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    if dtype.kind == "c":
        part = np.empty(0, dtype).real.dtype
        return f"({scalar_text(value.real, part)}, {scalar_text(value.imag, part)})"
    bits = np.asarray(value, dtype).tobytes()[::-1].hex().upper()
    return f"0x{bits}"


def dense_text(array):
    """`dense<...>` for an ndarray: one element where all are the same bits, a hexadecimal blob where it is large."""
    dtype = array.dtype
    if array.ndim == 0:
        return f"dense<{scalar_text(array[()], dtype)}>"
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.size and is_splat(flat):
        return f"dense<{scalar_text(flat[0], dtype)}>"
    if flat.size > 8 and dtype.kind != "b":
        return f'dense<"0x{flat.tobytes().hex().upper()}">'
    return f"dense<{nested_text(np.asarray(array), dtype)}>"


def is_splat(flat):
    raw = flat.view(np.uint8).reshape(flat.size, -1)
    return bool((raw == raw[0]).all())


def nested_text(array, dtype):
    if array.size == 0:
        return ""
    if array.ndim == 0:
        return scalar_text(array[()], dtype)
    return "[" + ", ".join(nested_text(row, dtype) for row in array) + "]"


def ints_text(values):
    """`array<i64: 1, 2>`."""
    return "array<i64: " + ", ".join(str(int(v)) for v in values) + ">" if len(values) else "array<i64>"


def list_text(values):
    """`[1, 2]`, as dimension number attributes want it."""
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


DTYPES = {text: name for name, text in NAMES.items()}


def parse_type(text):
    """(shape, dtype) of `tensor<2x3xf32>`."""
    *dims, element = text.removeprefix("tensor<")[:-1].split("x") if "complex" not in text else _split_complex(text)
    return tuple(map(int, dims)), dtype_of(DTYPES[element])


def _split_complex(text):
    dims, _, part = text.removeprefix("tensor<")[:-1].partition("complex")
    return [*dims.split("x")[:-1], "complex" + part]


def dtype_of(name):
    """np.dtype by name; bfloat16 comes from ml_dtypes, which jaxlib requires."""
    if name == "bfloat16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)
