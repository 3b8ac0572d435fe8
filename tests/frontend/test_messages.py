"""Messages that a function gives by logging, warnings and streams: those of the calls of the program, in order, with their values."""

import logging
import sys
import warnings

import numpy as np
import pytest

import transformer as T

X = np.array([0.3, 1.7, 0.9, 1.2])
log = logging.getLogger("transformer.test_messages")
adapter = logging.LoggerAdapter(log, {"run": 3})


class Refused(UserWarning):
    pass


def logs(x, k):
    log.info("x %s, k %.2f", x, k)
    if k > 0:
        log.warning(f"k is {k:.1f}")
    else:
        logging.getLogger(log.name).error("none")
    s = 0.0
    for i in range(6):
        log.debug("round %d: %f", i, s)
        s = s + x[i % 4] * k
    adapter.log(logging.INFO, "end %s", {"s": s})
    return s


def handled(x, k):
    try:
        raise ValueError("no")
    except ValueError as error:
        log.exception("failed for %s", k)
        log.error("again", exc_info=error)
    return np.sum(x) * k


@pytest.fixture
def records(caplog):
    caplog.set_level(logging.DEBUG)
    return lambda: [(r.levelname, r.getMessage(), str(r.exc_info and r.exc_info[1])) for r in caplog.records if r.name == log.name]


@pytest.mark.parametrize("fn", [logs, handled], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("transform", [T.grad, T.jit, lambda f: T.jit(T.grad(f))], ids=["grad", "jit", "jit grad"])
def test_each_call_logs(fn, transform, records, caplog):
    program = transform(fn)
    for k in (0.5, -0.5, 0.5):
        caplog.clear()
        fn(X, k)
        expected = records()
        caplog.clear()
        program(X, k)
        assert records() == expected and expected


def test_levels_are_asked_at_each_call(caplog):
    def f(x):
        return np.sum(x) * (2.0 if log.isEnabledFor(logging.INFO) else 3.0) + log.level
    program = T.jit(f)
    for level in (logging.WARNING, logging.INFO, logging.DEBUG):
        caplog.set_level(level, log.name)
        np.testing.assert_allclose(program(X), f(X))


def test_loggers_are_not_changed():
    def f(x, k):
        named = logging.getLogger("transformer.other")
        if k > 0:
            named.setLevel(10)
        return np.sum(x)

    def g(x, k):
        logging.getLogger("transformer.other").disabled = k > 0
        return np.sum(x)
    for fn in (f, g):
        for transform in (T.grad, T.jit):
            with pytest.raises(T.TransformError, match="outlives the call and is changed here"):
                transform(fn)(X, 1.0)
    assert logging.getLogger("transformer.other").level == 0 and logging.getLogger("transformer.other").disabled is False


def warns(x, k):
    if k < 0:
        warnings.warn(f"k is {k}", Refused, stacklevel=2)
    warnings.warn("plain", stacklevel=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("ignored", stacklevel=2)
    return np.sum(x) * k


@pytest.mark.parametrize("transform", [T.grad, T.jit], ids=["grad", "jit"])
def test_each_call_warns(transform):
    program = transform(warns)
    for k in (0.5, -0.5, 0.5):
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            warns(X, k)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            program(X, k)
        assert [(w.category, str(w.message)) for w in found] == [(w.category, str(w.message)) for w in expected]


def test_streams(capfd):
    def f(x, k):
        sys.stdout.write(f"k {k}\n")
        print("x", x[0], file=sys.stderr)
        return np.sum(x)
    for program in (T.grad(f), T.jit(f)):
        for k in (0.5, 1.5):
            program(X, k)
            assert capfd.readouterr() == (f"k {k}\n", "x 0.3\n")


def test_source():
    assert 'import logging\nimport numpy as np\n' in T.grad(logs).show(X, 0.5)
    assert 'logging.getLogger("transformer.test_messages").info("x %s, k %.2f", x, k)' in T.grad(logs).show(X, 0.5)
