"""Lowering of linear algebra: not there yet, each function says so."""

from ..errors import TransformError


def _refuse(name):
    def lower(hlo, out, *operands):
        raise TransformError(f"np.linalg.{name} cannot be compiled yet", "Call the function without jit: it runs on NumPy.")
    return lower


solve, inverse, determinant, sign_and_log = map(_refuse, ("solve", "inv", "det", "slogdet"))
cholesky, eigh, eig, svd, qr, pinv, lstsq = map(_refuse, ("cholesky", "eigh", "eig", "svd", "qr", "pinv", "lstsq"))
