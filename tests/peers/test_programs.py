"""Programs for JAX run with the import changed and train alike."""

import numpy as np
import pytest

from tests.peers.programs import PROGRAMS, run

jax = pytest.importorskip("jax")


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_losses(name):
    theirs, ours = run(name, "jax"), run(name, "transformer")
    assert len(theirs) >= 20 and theirs[19] < theirs[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)
