"""Handwritten digits: a network in plain NumPy, batched, differentiated and compiled by transformer.

    python -m transformer demo --epochs 8

`predict` maps one image to ten log-probabilities and knows nothing of batches; `transformer.vmap` makes it take many.
`transformer.value_and_grad` differentiates the loss with respect to the list of (weights, biases) pairs, `transformer.jit`
compiles the update. The data are described in README.md.
"""

import argparse
import pathlib
import sys
import time

import numpy as np

import transformer

SIZES = (784, 512, 256, 10)
SIDE = 28
STEP = 0.12
DECAY = 0.75


# data -------------------------------------------------------------------------------------------------------------------------

def enlarge(images, side=SIDE):
    """Images of shape (n, h, w) resampled to (n, side, side) by bilinear interpolation."""
    n = images.shape[-1]
    at = np.clip((np.arange(side) + 0.5) * n / side - 0.5, 0, n - 1)
    low = np.minimum(at.astype(int), n - 2)
    rest = (at - low).astype(images.dtype)
    wide = images[:, low] * (1 - rest)[:, None] + images[:, low + 1] * rest[:, None]
    return wide[:, :, low] * (1 - rest) + wide[:, :, low + 1] * rest


def load(seed=0):
    """The digits as float32 rows of 784 pixels in [0, 1] and integer labels: four fifths to train, one fifth to test."""
    with np.load(pathlib.Path(__file__).with_name("digits.npz")) as data:
        images, labels = data["images"].astype(np.float32) / 16, data["labels"].astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(labels))
    images, labels = enlarge(images).reshape(len(labels), -1)[order], labels[order]
    held_out = len(labels) // 5
    return (images[held_out:], labels[held_out:]), (images[:held_out], labels[:held_out])


def one_hot(labels, count=10):
    """Rows with a 1 at the label."""
    return (labels[:, None] == np.arange(count)).astype(np.float32)


# network ----------------------------------------------------------------------------------------------------------------------

def initial_params(sizes=SIZES, seed=1):
    """A list of (weights, biases), one pair a layer; weights are random, scaled by the number of inputs."""
    rng = np.random.default_rng(seed)
    return [(rng.normal(scale=np.sqrt(2 / m), size=(n, m)).astype(np.float32), np.zeros(n, np.float32))
            for m, n in zip(sizes[:-1], sizes[1:], strict=True)]


def relu(x):
    return np.maximum(x, 0)


def logsumexp(x):
    """log(sum(exp(x))) without overflow."""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def predict(params, image):
    """Log-probabilities of the ten digits for one image."""
    activations = image
    for w, b in params[:-1]:
        activations = relu(np.dot(w, activations) + b)
    w, b = params[-1]
    logits = np.dot(w, activations) + b
    return logits - logsumexp(logits)


predict_batch = transformer.vmap(predict, in_axes=(None, 0))


def loss(params, images, targets):
    """Mean cross entropy of a batch; targets are one-hot rows."""
    return -np.sum(predict_batch(params, images) * targets) / len(images)


@transformer.jit
def update(params, images, targets, step):
    """One step of gradient descent of size `step`: the new params and the loss before it."""
    value, grads = transformer.value_and_grad(loss)(params, images, targets)
    return [(w - step * dw, b - step * db) for (w, b), (dw, db) in zip(params, grads)], value


@transformer.jit
def correct(params, images, labels):
    """How many images are recognised."""
    return np.sum(np.argmax(predict_batch(params, images), axis=1) == labels)


def accuracy(params, images, labels):
    return float(correct(params, images, labels)) / len(labels)


# training ---------------------------------------------------------------------------------------------------------------------

def batches(images, labels, size, rng):
    """Random minibatches of equal size, with one-hot targets."""
    order = rng.permutation(len(labels))
    for start in range(0, len(labels) - size + 1, size):
        rows = order[start:start + size]
        yield images[rows], one_hot(labels[rows])


def train_epoch(params, train, size, step, rng, progress):
    """One pass over the training data in steps of size `step`: the params, the mean loss, the seconds of each."""
    losses, seconds = [], []
    for images, targets in progress(batches(*train, size, rng), len(train[1]) // size):
        start = time.perf_counter()
        params, value = update(params, images, targets, step)
        losses.append(float(value))
        seconds.append(time.perf_counter() - start)
    return params, float(np.mean(losses)), seconds


def bar(label):
    """A progress bar for an iterable, if tqdm is installed and the output is a terminal."""
    def plain(steps, total):
        return steps
    if not sys.stderr.isatty():
        return plain
    try:
        from tqdm import tqdm
    except ImportError:
        return plain
    return lambda steps, total: tqdm(steps, total=total, desc=label, unit="step", leave=False)


def train(epochs, size=32, seed=0, report=print):
    """Train in ever smaller steps and report each epoch; the params, and the accuracy on the held-out fifth."""
    data, test = load(seed)
    params, rng = initial_params(seed=seed + 1), np.random.default_rng(seed)
    for epoch in range(1, epochs + 1):
        step = STEP * DECAY ** (epoch - 1)
        params, mean_loss, seconds = train_epoch(params, data, size, step, rng, bar(f"epoch {epoch}"))
        report(f"epoch {epoch:2d}   loss {mean_loss:.4f}   accuracy {accuracy(params, *data):.1%} (training) "
               f"{accuracy(params, *test):.1%} (held out)   {1e3 * np.median(seconds):.2f} ms a step")
    return params, accuracy(params, *test)


def gradient_source():
    """The gradient of the loss with respect to the params, as Python source."""
    data, _ = load()
    gradient = transformer.grad(loss)
    gradient(initial_params(), data[0][:32], one_hot(data[1][:32]))
    return gradient.source


def main(argv=None):
    """Entry point of `python -m transformer demo`."""
    parser = argparse.ArgumentParser(prog="python -m transformer demo", description="Train a network on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=8, help="passes over the training data (default 8)")
    parser.add_argument("--batch", type=int, default=32, help="images a step (default 32)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the weights and of the order of the data")
    parser.add_argument("--no-source", action="store_true", help="do not print the gradient's source")
    options = parser.parse_args(argv)
    print(f"network {'-'.join(map(str, SIZES))}, float32, batches of {options.batch}")
    _, reached = train(options.epochs, options.batch, options.seed)
    if not options.no_source:
        print(f"\nThe gradient of the loss, as generated:\n\n{gradient_source()}")
    print(f"accuracy on the held-out fifth: {reached:.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
