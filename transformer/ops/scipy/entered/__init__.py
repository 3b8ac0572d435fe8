"""Functions of scipy that are entered as the user's own are: their loops stay loops, their conditions may depend on values."""
