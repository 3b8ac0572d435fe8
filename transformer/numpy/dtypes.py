"""Types of numbers: jnp.float32 and its kin, and questions about them."""

import ml_dtypes
import numpy as np

from .. import eager
from ..config import x64
from ..frontend import promotion
from ..frontend.promotion import Type
from ..frontend.reference import is_reference


class ScalarType:
    """A type of numbers: a dtype where one is wanted, and a function that makes arrays of it."""

    __transformer_opaque__ = True

    def __init__(self, dtype):
        self.dtype = np.dtype(dtype)
        self.type = self.dtype.type
        self.__name__ = self.dtype.name
        self.__doc__ = f"The type {self.__name__}; called, it makes arrays of this type."

    def __call__(self, value=0):
        from .creation import asarray
        return asarray(value, dtype=self.dtype)

    def __repr__(self):
        return f"<class 'transformer.numpy.{self.__name__}'>"

    def __eq__(self, other):
        if self is other:
            return True
        try:
            return self.dtype == np.dtype(other)
        except TypeError:
            return NotImplemented

    def __hash__(self):
        return hash(self.dtype)


NAMES = """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128""".split()
EXTENDED = """bfloat16 int1 int2 int4 uint1 uint2 uint4 float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3
float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu""".split()
SCALARS = {name: ScalarType(name) for name in NAMES}
SCALARS |= {name: ScalarType(getattr(ml_dtypes, name)) for name in EXTENDED if hasattr(ml_dtypes, name)}
SCALARS |= {"bool_": SCALARS["bool"], "single": SCALARS["float32"], "double": SCALARS["float64"], "csingle": SCALARS["complex64"],
            "cdouble": SCALARS["complex128"]}


class Default(ScalarType):
    """int_, uint, float_ and complex_: 32 or 64 bits, by the switch."""

    def __init__(self, name, wide):
        self.__name__, self.wide = name, np.dtype(wide)
        self.__doc__ = f"{wide}, or its 32-bit form unless 64-bit types are switched on."

    @property
    def dtype(self):
        return promotion.narrow(self.wide)

    @property
    def type(self):
        return self.dtype.type


SCALARS |= {"int_": Default("int_", "int64"), "uint": Default("uint", "uint64"), "float_": Default("float_", "float64"),
            "complex_": Default("complex_", "complex128")}
ABSTRACT = {name: getattr(np, name) for name in
            "generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character object_".split()}
WEAK = {int: "i", float: "f", complex: "c"}
SMALL_FLOATS = tuple(s.dtype for n, s in SCALARS.items() if "float" in n and s.dtype.kind == "V")
SMALL_INTS = tuple(s.dtype for n, s in SCALARS.items() if "int" in n and s.dtype.kind == "V")


def as_type(value):
    """The `Type` of a dtype, an array, a reference or a Python number."""
    if is_reference(value):
        return promotion.type_of(value, x64())
    if isinstance(value, eager.Array):
        return Type(value.dtype, value.weak_type)
    if isinstance(value, np.ndarray | np.generic | list | tuple | bool):
        return Type(promotion.narrow(np.asarray(value).dtype), False)
    kind = value if isinstance(value, type) else type(value)
    if kind in WEAK:
        return Type(promotion.default(WEAK[kind]), True)
    return Type(promotion.narrow(np.dtype(value)), False)


def result_type(*values, return_weak_type_flag=False):
    """The dtype that an operation of these arrays, dtypes and numbers computes in."""
    found = promotion.join(tuple(map(as_type, values)), x64())
    return (found.dtype, found.weak) if return_weak_type_flag else found.dtype


def promote_types(a, b):
    """The dtype that holds both: the least one above them in JAX's lattice."""
    return promotion.join((as_type(a), as_type(b)), x64()).dtype


def issubdtype(arg1, arg2):
    """`numpy.issubdtype`, which also knows bfloat16 and the other small types."""
    one = arg1 if isinstance(arg1, type) and arg1 in ABSTRACT.values() else np.dtype(arg1)
    if isinstance(one, np.dtype) and one in SMALL_FLOATS + SMALL_INTS:
        if isinstance(arg2, type) and arg2 in ABSTRACT.values():
            kinds = (np.floating, np.inexact) if one in SMALL_FLOATS else (
                np.integer, np.unsignedinteger if one.name.startswith("u") else np.signedinteger)
            return arg2 in (*kinds, np.number, np.generic)
        return one == np.dtype(arg2)
    two = arg2.dtype if isinstance(arg2, ScalarType) else arg2
    if isinstance(two, np.dtype) and two.kind == "V":
        return one == two
    return np.issubdtype(one, two)


KINDS = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c",
         "numeric": "iufc"}


def isdtype(dtype, kind):
    """Whether a dtype is of a kind, named as in the array API, or one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    dtype = np.dtype(dtype)
    if not isinstance(kind, str) or kind not in KINDS:
        return dtype == np.dtype(kind)
    own = "f" if dtype in SMALL_FLOATS else ("u" if dtype.name.startswith("u") else "i") if dtype in SMALL_INTS else dtype.kind
    return own in KINDS[kind]


def can_cast(from_, to, casting="safe"):
    """`numpy.can_cast`."""
    return np.can_cast(np.dtype(from_), np.dtype(to), casting)


def finfo(dtype):
    """Limits of a floating-point type."""
    dtype = np.dtype(getattr(dtype, "dtype", dtype))
    return ml_dtypes.finfo(dtype)


def iinfo(dtype):
    """Limits of an integer type."""
    dtype = np.dtype(getattr(dtype, "dtype", dtype))
    return ml_dtypes.iinfo(dtype)


def isscalar(element):
    """Whether a value is a number or an array without axes."""
    return np.ndim(element) == 0 and not isinstance(element, str | bytes | type(None))
