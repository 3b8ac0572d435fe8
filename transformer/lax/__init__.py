"""JAX's lax: control flow as plain Python that compiles, and the operations of XLA in NumPy's terms."""

import importlib

HOMES = {
    "control": "associative_scan cond custom_linear_solve custom_root fori_loop map platform_dependent scan switch while_loop",
    "fourier": "FftType fft",
    "elementwise": "RoundingMethod bitcast_convert_type clamp clz complex conj convert_element_type div integer_pow "
                   "mulhi optimization_barrier population_count reciprocal reduce_precision round rsqrt select select_n "
                   "shift_right_logical stop_gradient",
    "shapes": "broadcast broadcast_in_dim broadcast_like broadcast_shapes broadcast_to_rank broadcasted_iota collapse concatenate dtype empty expand_dims full "
              "full_like iota pad reshape rev split squeeze stack tile transpose unstack",
    "indexing": "dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim dynamic_update_index_in_dim dynamic_update_slice "
                "dynamic_update_slice_in_dim index_in_dim index_take slice_in_dim",
    "gathering": "GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers gather scatter scatter_add scatter_max scatter_min scatter_mul "
                 "scatter_sub",
    "products": "ConvDimensionNumbers ConvGeneralDilatedDimensionNumbers DotDimensionNumbers Precision PrecisionLike batch_matmul conv "
                "conv_dimension_numbers conv_general_dilated conv_general_dilated_local conv_general_dilated_patches conv_transpose "
                "conv_with_general_padding dot dot_general",
    "reductions": "approx_max_k approx_min_k argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce reduce_and "
                  "reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_window reduce_xor sort sort_key_val top_k",
}
"""Module of this package -> the public names in it; imported when first asked for."""

COLLECTIVES = ("all_gather all_to_all axis_index axis_size pbroadcast pmax pmean pmin ppermute pshuffle psum psum_scatter pswapaxes "
               "with_sharding_constraint").split()
PLACES = {name: module for module, names in HOMES.items() for name in names.split()}
ELEMENTWISE = ("abs acos acosh add asin asinh atan atan2 atanh bessel_i0e bessel_i1e betainc bitwise_and bitwise_not bitwise_or bitwise_xor cbrt "
               "ceil cos cosh digamma eq erf erf_inv erfc exp exp2 expm1 floor ge gt igamma igammac imag is_finite le lgamma log log1p logistic lt max "
               "min mul ne neg nextafter polygamma pow real rem shift_left shift_right_arithmetic sign sin sinh sqrt square sub tan tanh zeta").split()


def __getattr__(name):
    if name == "slice":
        value = importlib.import_module(f"{__name__}.indexing").slice_
    elif name in PLACES:
        value = getattr(importlib.import_module(f"{__name__}.{PLACES[name]}"), name)
    elif name in ELEMENTWISE:
        value = importlib.import_module(f"{__name__}.elementwise").named(name)
    elif name == "linalg":
        return importlib.import_module(f"{__name__}.linalg")
    elif name in COLLECTIVES:
        return getattr(importlib.import_module("transformer.parallel"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


__all__ = sorted([*PLACES, *ELEMENTWISE, *COLLECTIVES, "linalg", "slice"])


def __dir__():
    return __all__
