"""Plain NumPy functions in; readable gradients, Jacobians, batches and XLA programs out."""
