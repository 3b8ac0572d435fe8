"""The examples run, and do what they promise."""

import numpy as np

import transformer
from transformer.examples import digits


def test_data_is_split_and_enlarged():
    (images, labels), (held_out, _) = digits.load()
    assert images.shape == (1438, 784) and held_out.shape == (359, 784) and images.dtype == np.float32
    assert 0 <= images.min() and images.max() <= 1 and set(labels) == set(range(10))


def test_enlarging_keeps_a_gradient_of_grey():
    ramp = np.arange(8, dtype=np.float32)[None, None] * np.ones((1, 8, 1), np.float32)
    wide = digits.enlarge(ramp)[0, 0]
    np.testing.assert_allclose(wide[2:-2], (np.arange(28)[2:-2] + 0.5) * 8 / 28 - 0.5, rtol=1e-6)


def test_batched_prediction_equals_single_predictions():
    params, ((images, _), _) = digits.initial_params((784, 16, 10)), digits.load()
    many = digits.predict_batch(params, images[:5])
    np.testing.assert_allclose(many, np.stack([digits.predict(params, image) for image in images[:5]]), rtol=1e-5, atol=1e-5)


def test_gradient_of_the_loss_equals_finite_differences():
    params = [(w.astype(float), b.astype(float)) for w, b in digits.initial_params((6, 5, 10))]
    rng = np.random.default_rng(0)
    images, targets = rng.normal(size=(4, 6)), digits.one_hot(rng.integers(0, 10, 4)).astype(float)
    grads = transformer.grad(digits.loss)(params, images, targets)
    direction = [(rng.normal(size=w.shape), rng.normal(size=b.shape)) for w, b in params]

    def along(t):
        return digits.loss([(w + t * dw, b + t * db) for (w, b), (dw, db) in zip(params, direction, strict=True)], images, targets)

    want = (along(1e-6) - along(-1e-6)) / 2e-6
    got = sum(np.sum(g * d) for pair in zip(grads, direction, strict=True) for g, d in zip(*pair, strict=True))
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_training_reaches_95_percent_on_the_held_out_fifth():
    lines = []
    _, reached = digits.train(8, report=lines.append)
    assert reached >= 0.95
    assert len(lines) == 8 and "ms a step" in lines[0]


def test_main_prints_the_gradient_source(capsys):
    assert digits.main(["--epochs", "1"]) == 0
    printed = capsys.readouterr().out
    assert "def loss_grad(" in printed and "np.dot(images, " in printed and "accuracy on the held-out fifth" in printed
