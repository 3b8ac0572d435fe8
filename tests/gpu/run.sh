#!/bin/sh
# Checks on a GPU: values and gradients against NumPy, several devices, dispatch. Needs an installed plugin (pip install '.[cuda12]') and driver.
#
#     tests/gpu/run.sh                            on CUDA
#     TRANSFORMER_PLATFORMS=cpu tests/gpu/run.sh  the same checks without a GPU, to try the script
#     tests/gpu/run.sh values dispatch            some of them
#
# The last line is "N passed, M failed"; the exit status is 0 if nothing failed.
set -eu
cd "$(dirname "$0")/../.."
export TRANSFORMER_PLATFORMS="${TRANSFORMER_PLATFORMS:-cuda}"
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
exec "${PYTHON:-python3}" -W error::RuntimeWarning -m tests.gpu.checks "$@"
