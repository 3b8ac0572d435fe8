"""`try`: what is raised while transforming is handled there; where values decide whether something is raised, an un-jitted call still works."""

import math
import struct

import numpy as np
import pytest

import transformer as T
from transformer.errors import ValueDependent

X = np.array([1.0, -2.0, 3.0])
DEFINITE, INDEFINITE = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[-1.0, 0.5], [0.5, 1.0]])


def missing_key(x):
    try:
        power = {"a": 1}["b"]
    except KeyError:
        power = 2
    else:
        power = 5
    finally:
        factor = 3.0
    return np.sum(x ** power) * factor


def missing_module(x):
    try:
        import a_module_that_is_nowhere as fast
    except ImportError:
        fast = np
    return np.sum(fast.sin(x))


def left_from_inside(x):
    total = 0.0
    for i in range(5):
        try:
            value = x[i]
        except IndexError:
            break
        else:
            total += value ** 2
        finally:
            total = total * 0.5
    return total


def passed_on(x):
    try:
        try:
            raise KeyError("k")
        except ValueError:
            x = x * 100
        finally:
            x = x * 2
    except KeyError:
        x = x + 1
    return np.sum(x ** 2)


def raised_again(x):
    try:
        try:
            raise ValueError("abc")
        except ValueError:
            raise
    except ValueError as error:
        return np.sum(x ** 2) * len(str(error))


def unfailing(x):
    try:
        y = np.exp(x) + x[0]
    except Exception:
        y = x
    return np.sum(y)


def raised_by_a_helper(x):
    def positive(v):
        if len(v) < 5:
            raise ValueError("too short")
        return v
    try:
        return np.sum(positive(x))
    except ValueError:
        return np.sum(x ** 3)


def in_a_branch(x):
    if x[0] > 0:
        try:
            y = [1.0, 2.0][7]
        except IndexError:
            y = 4.0
        return np.sum(x) * y
    return np.sum(x)


def indefinite(k):
    try:
        factor = np.linalg.cholesky(k)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(k + 3 * np.eye(2))
    return np.sum(np.log(np.diag(factor)))


def quotient(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return x * 2.0


def remainder(x, y):
    try:
        return x % y
    except ArithmeticError:
        return x * 2.0


def logarithm(x):
    try:
        return math.log(x)
    except ValueError:
        pass
    return -x


def stored_outside(x, k):
    y = np.zeros(3)
    try:
        y[0] = x
        y[k] = x * x
    except IndexError:
        y[1] = 3 * x
    return np.sum(y)


def raised_by_value(x):
    try:
        if x > 1:
            raise ValueError("large")
        y = x * 3
    except ValueError as error:
        y = x * len(str(error))
    return y


def skipped(x):
    total = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError
            total = total + v * v
        except ValueError:
            continue
        total = total + 1
    return total


STATIC = [missing_key, missing_module, left_from_inside, passed_on, raised_again, unfailing, raised_by_a_helper, in_a_branch]
def not_invertible(a):
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError as error:
        raise ValueError(f"cannot solve: {error}")
    return np.sum(inverse ** 2)


def several(a):
    try:
        first = np.linalg.inv(a)
        second = np.linalg.inv(first + np.ones((2, 2))) @ np.linalg.inv(a - np.eye(2))
    except np.linalg.LinAlgError:
        return np.sum(a ** 2)
    else:
        second = second * 2
    return np.sum(first) + np.sum(second * a)


def in_rounds(a):
    total, left = 0.0, 0
    for k in range(4):
        try:
            b = np.linalg.inv(a - k * np.eye(2))
        except np.linalg.LinAlgError:
            left = left + 1
            continue
        total = total + np.sum(b * a)
    return total + left * a[0, 0]


def stored_before(a):
    buffer = np.zeros(3)
    try:
        buffer[0] = a[0, 0]
        inverse = np.linalg.inv(a)
        buffer[1] = inverse[0, 0]
    except np.linalg.LinAlgError:
        buffer[2] = 7.0 * a[1, 1]
    return np.sum(buffer * np.arange(1.0, 4.0))


def made_in_each_round(a):
    total = 0.0
    for k in range(70):
        try:
            row = np.array([0.1, 0.2])
            solved = np.linalg.solve(a + k * np.eye(2), a[0])
        except np.linalg.LinAlgError:
            row = np.array([0.3, 0.4])
            solved = a[1]
        row[k % 2] += a[0, k % 2]
        total += row[0] * solved[0]
    return total


def domains(x, y):
    try:
        return math.log(x) * math.sqrt(y) / (x - y) + math.asin(x * y)
    except (ValueError, ZeroDivisionError) as error:
        return len(str(error)) * x * x


FORETOLD = [(indefinite, DEFINITE), (indefinite, INDEFINITE), (quotient, 3.0, 2.0), (quotient, 3.0, 0.0), (remainder, 7.5, 2.0), (remainder, 7.5, 0.0),
            (logarithm, 2.0), (logarithm, -2.0), (not_invertible, DEFINITE), (several, DEFINITE), (in_rounds, DEFINITE),
            (stored_before, DEFINITE), (made_in_each_round, DEFINITE), (domains, 0.3, 0.5), (domains, -0.3, 0.5), (domains, 0.3, -0.5), (domains, 1.5, 0.9)]
BY_VALUE = [(stored_outside, 2.0, 2), (stored_outside, 2.0, 7), (raised_by_value, 3.0), (raised_by_value, 0.5),
            (skipped, X)]


def check_slope(f, x, *rest):
    value, slope = T.value_and_grad(f)(x, *rest)
    assert value == pytest.approx(f(x, *rest), rel=1e-12)
    way = np.cos(np.arange(np.size(x))).reshape(np.shape(x)) if np.ndim(x) else 1.0
    difference = (f(x + 1e-6 * way, *rest) - f(x - 1e-6 * way, *rest)) / 2e-6
    assert np.sum(slope * way) == pytest.approx(difference, rel=1e-5)
    assert T.jvp(lambda x: f(x, *rest), (x,), (way,))[1] == pytest.approx(difference, rel=1e-5)


@pytest.mark.parametrize("f", STATIC)
def test_handled_while_transforming(f):
    check_slope(f, X)
    assert T.jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(T.vmap(f)(np.stack([X, 2 * X])), [f(X), f(2 * X)], rtol=1e-12)


@pytest.mark.parametrize("f, x, rest", [(f, x, rest) for f, x, *rest in BY_VALUE])
def test_values_decide(f, x, rest):
    check_slope(f, x, *rest)
    with pytest.raises(ValueDependent, match="in this try depends on array values"):
        T.jit(f)(x, *rest)


@pytest.mark.parametrize("f, x, rest", [(f, x, rest) for f, x, *rest in FORETOLD])
def test_compiled_programs_test_for_failures(f, x, rest):
    check_slope(f, x, *rest)
    check_compiled(f, x, *rest)


def value_of_an_earlier_round(a):
    b, total = a, 0.0
    for k in range(5):
        try:
            c = np.linalg.inv(a - k * np.eye(2))
            b = c @ a
        except np.linalg.LinAlgError:
            total = total + np.sum(b) * k
        total = total + b[0, 1] * b[1, 1]
    return total


def value_before_a_failure(a):
    b = a[0, 0]
    try:
        if a[0, 1] > 0.5:
            b = b * np.linalg.solve(a, np.ones(2))[0]
            b = b * a[1, 1]
        b = b + np.linalg.inv(a)[0, 0]
    except np.linalg.LinAlgError:
        return b * 3
    finally:
        b = 0.0
    return b + 1


def bare(a):
    try:
        b = np.linalg.cholesky(a)
    except:  # noqa: E722
        b = a * 2
    return np.sum(b)


@pytest.mark.parametrize("f", [value_of_an_earlier_round, value_before_a_failure, bare], ids=lambda f: f.__name__)
@pytest.mark.parametrize("a", [DEFINITE, np.array([[2.0, 0.3], [0.1, 5.0]]), np.array([[2.0, 0.0], [0.0, 3.0]]), np.ones((2, 2))], ids=range(4))
def test_values_that_handlers_read(f, a):
    value = T.value_and_grad(f)(a)[0]
    np.testing.assert_allclose(value, f(a), rtol=1e-12)
    if f is not value_before_a_failure:
        check_compiled(f, a)


SINGULAR = [(stored_before, np.ones((2, 2))), (made_in_each_round, np.ones((2, 2))),
            (several, np.eye(2)), (several, np.array([[2.0, 1.0], [1.0, 2.0]])), (in_rounds, np.array([[2.0, 0.0], [0.0, 5.0]]))]


@pytest.mark.parametrize("f, x", SINGULAR)
def test_compiled_programs_find_singular_matrices(f, x):
    check_compiled(f, x)


def check_compiled(f, x, *rest):
    value, slope = T.jit(T.value_and_grad(f))(x, *rest)
    assert value == pytest.approx(f(x, *rest), rel=1e-12)
    np.testing.assert_allclose(slope, T.grad(f)(x, *rest), rtol=1e-10, atol=1e-12)
    assert T.jit(f)(x, *rest) == pytest.approx(f(x, *rest), rel=1e-12)


def test_what_a_compiled_handler_raises():
    for f in (not_invertible, T.jit(not_invertible), T.jit(T.grad(not_invertible))):
        with pytest.raises(ValueError, match="cannot solve: Singular matrix"):
            f(np.array([[1.0, 2.0], [2.0, 4.0]]))


def test_nan_is_no_failure():
    a = np.full((2, 2), np.nan)
    assert np.isnan(indefinite(a)) and np.isnan(T.jit(indefinite)(a))


def test_compiled_lanes_decide_each_for_itself():
    ks = np.stack([DEFINITE, INDEFINITE])
    np.testing.assert_allclose(T.jit(T.vmap(T.grad(indefinite)))(ks), [T.grad(indefinite)(k) for k in ks], rtol=1e-10, atol=1e-12)


def test_lanes_that_decide_differently_are_refused():
    with pytest.raises(ValueDependent, match="LinAlgError is raised in this try"):
        T.vmap(indefinite)(np.stack([DEFINITE, INDEFINITE]))


def test_each_call_decides_anew():
    slope = T.grad(quotient)
    assert [slope(3.0, y) for y in (2.0, 0.0, 4.0)] == [0.5, 2.0, 0.25]


def test_what_no_handler_catches_is_raised():
    def f(x):
        try:
            raise KeyError("gone")
        except (ValueError, ArithmeticError):
            return x
    with pytest.raises(KeyError, match="gone"):
        T.grad(f)(1.0)


def test_a_deferred_error_passes_a_handler_of_another_kind():
    def f(x):
        try:
            if x > 1:
                raise ValueError(f"{x} is large")
            y = x * 3
        except KeyError:
            y = x
        return y
    g = T.jit(f)
    assert g(0.5) == 1.5
    with pytest.raises(ValueError, match="2.0 is large"):
        g(2.0)


def test_a_refusal_is_no_error_of_the_program():
    def f(x):
        try:
            return np.sum(np.busday_count(x))
        except Exception:
            return 0.0
    with pytest.raises(T.errors.UnknownFunction):
        T.grad(f)(X)


def packed(x):
    try:
        struct.pack("d", x)
        return x * 2
    except Exception:
        return x * 7


def with_a_method_of_floats(x):
    try:
        return x * x.is_integer()
    except AttributeError:
        return x * 7


@pytest.mark.parametrize("f", [packed, with_a_method_of_floats])
@pytest.mark.parametrize("transform", [T.grad, T.jit])
def test_what_fails_for_an_abstract_value_only_is_not_handled(f, transform):
    with pytest.raises(T.TransformError, match="abstract value"):
        transform(f)(2.0)


def test_an_attribute_that_no_number_has():
    def f(x):
        try:
            return x.missing
        except AttributeError:
            return x * 7
    assert T.grad(f)(2.0) == 7.0


def test_the_name_of_the_error_is_gone_after_the_handler():
    def f(x):
        try:
            raise ValueError
        except ValueError as error:
            y = x * len(str(error))
        return y if error else x  # noqa: F821
    with pytest.raises(Exception, match="error is deleted"):
        T.grad(f)(1.0)


def test_handlers_name_classes():
    def f(x):
        try:
            raise ValueError
        except "ValueError":  # noqa: B030
            return x
    with pytest.raises(T.TransformError, match="no class of exceptions"):
        T.grad(f)(1.0)


class Diverged(ValueError):
    def __init__(self, code, at=0):
        super().__init__(f"diverged with {code}")
        self.code, self.at = code, at


def with_a_cause(x, k):
    try:
        try:
            raise KeyError("a")
        except KeyError as error:
            raise Diverged(k) from error
    except Diverged as error:
        return np.sum(x) * error.code * (3.0 if isinstance(error.__cause__, KeyError) else 1.0)


def with_a_context(x, k):
    try:
        try:
            raise KeyError("a")
        except KeyError:
            raise Diverged(k)  # noqa: B904
    except Diverged as error:
        return np.sum(x) * error.code * (3.0 if isinstance(error.__context__, KeyError) else 1.0)


@pytest.mark.parametrize("f", [with_a_cause, with_a_context], ids=lambda f: f.__name__)
def test_what_an_error_comes_from(f):
    x = np.array([0.5, 2.0])
    np.testing.assert_allclose(T.jit(f)(x, 2.0), f(x, 2.0))
    np.testing.assert_allclose(T.grad(f)(x, 2.0), [6.0, 6.0])


@pytest.mark.parametrize("transform", [T.grad, T.jit], ids=["grad", "jit"])
def test_classes_of_the_user_are_raised_as_they_are(transform):
    def f(x, k):
        if k > 1:
            raise Diverged(k, at=len(x))
        return np.sum(x) * k
    with pytest.raises(Diverged, match=r"diverged with 2\.0") as raised:
        transform(f)(np.ones(3), 2.0)
    assert (raised.value.code, raised.value.at) == (2.0, 3)


@pytest.mark.parametrize("transform", [T.grad, T.jit], ids=["grad", "jit"])
def test_classes_defined_in_functions_are_raised_as_their_ancestors(transform):
    class Local(ValueError):
        pass

    def f(x, k):
        if k > 1:
            raise Local(f"k is {k}")
        return np.sum(x) * k
    with pytest.raises(ValueError, match=r"k is 2\.0"):
        transform(f)(np.ones(3), 2.0)
